import { observeEnvironment } from "../prompt/environment.js"
import { Instructions } from "../prompt/instructions.js"
import type { Source, Stage } from "./source.js"

/** What the system prompt is made of, looked at before every boundary; the engine tells what is different. */
export function surroundings({ workplace, session }: Stage): Source {
  const { cwd, env, config, now } = workplace
  const told = ["instructions", "nested"].flatMap((family) => session.facts(family).map(([key]) => key))
  const instructions = new Instructions({ cwd, env, extra: config.instructions, told })
  return {
    name: "environment and instructions",
    collect: () => {
      const seen = [...observeEnvironment({ cwd, now: () => now() }), ...instructions.refresh()]
      for (const { key, value } of seen) session.observe(key, value)
    },
    touched: ({ path }) => instructions.touch(path),
  }
}
