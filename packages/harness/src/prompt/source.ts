import { resolve } from "node:path"
import { removed } from "@sotto/core"
import { observeEnvironment } from "./environment.js"
import { Instructions } from "./instructions.js"
import { isTellable } from "../permissions/readable.js"
import type { Source, Stage } from "../sources/source.js"

/** What the system prompt is made of, looked at before every boundary; the engine tells what is different. */
export function surroundings({ workplace, session, judge }: Stage): Source {
  const { cwd, config, now, trust } = workplace
  const told = ["instructions", "nested"].flatMap((family) => session.facts(family).map(([key]) => key))
  const instructions = new Instructions({ ...workplace.place, extra: config.instructions, told })
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
        if (isTellable(path, cwd, judge)) session.observe(key, value)
      }
    },
    touched: ({ path }) => instructions.touch(path),
  }
}
