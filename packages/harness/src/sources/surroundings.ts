import { observeEnvironment } from "../prompt/environment.js"
import { Instructions } from "../prompt/instructions.js"
import type { Source, Stage } from "./source.js"

/** What the system prompt is made of, looked at before every boundary; the engine tells what is different. */
export function surroundings({ workplace, session }: Stage): Source {
  const { cwd, env, config, now } = workplace
  const told = session.log.flatMap((entry) => (entry.type === "observed" ? [entry.key] : []))
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
