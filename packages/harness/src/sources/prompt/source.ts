import { resolve } from "node:path"
import { dynamic, removed } from "@sotto/core"
import { isTellable } from "../../execution/permissions/readable.js"
import type { Project } from "../../platform/workspace/project.js"
import type { Config } from "../../settings/load.js"
import type { FolderTrust } from "../../settings/trust/decide.js"
import type { Source, SourceContext } from "../source.js"
import { observeEnvironment } from "./environment.js"
import { Instructions } from "./instructions.js"

interface PromptSettings {
  readonly place: Project
  readonly config: Pick<Config, "instructions">
  readonly trust: Pick<FolderTrust, "stamp">
  now(): number
}

/** Observes what the system prompt is made of, before every boundary; the engine tells what is different. */
export function promptFacts(
  { cwd, session, judge }: SourceContext,
  { place, config, now, trust }: PromptSettings,
): Source {
  const told = ["instructions", "nested"].flatMap((family) => session.facts(family).map(([key]) => key))
  const instructions = new Instructions({ ...place, extra: config.instructions, told })
  const before = new Map<string, unknown>()
  return {
    name: "environment and instructions",
    collect: () => {
      // Only observed if it was ever so: what is new about a folder that is not trusted is nothing.
      if (trust.stamp !== undefined) session.observe("trust", trust.stamp)
      else if (session.fact("trust") !== undefined) session.observe("trust", removed())
      for (const { key, value } of observeEnvironment({ cwd, now: () => now() })) {
        if (before.get(key) === value) continue
        before.set(key, value)
        session.observe(key, value)
      }
      for (const { key, value } of instructions.refresh()) {
        const path = resolve(cwd, key.slice(key.indexOf(":") + 1))
        if (isTellable(path, cwd, judge)) session.observe(dynamic(key), value)
      }
    },
    touched: ({ path }) => instructions.touch(path),
  }
}
