import { resolve } from "node:path"
import { observeEnvironment } from "../prompt/environment.js"
import { Instructions } from "../prompt/instructions.js"
import { isTellable } from "../tools/readable.js"
import type { Source, Stage } from "./source.js"

/** What the system prompt is made of, looked at before every boundary; the engine tells what is different. */
export function surroundings({ workplace, session, judge }: Stage): Source {
  const { cwd, env, config, now } = workplace
  const told = ["instructions", "nested"].flatMap((family) => session.facts(family).map(([key]) => key))
  const instructions = new Instructions({ cwd, env, extra: config.instructions, told })
  const before = new Map<string, unknown>()
  return {
    name: "environment and instructions",
    collect: () => {
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
