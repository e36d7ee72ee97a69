import { parseArgs } from "node:util"
import { watchForLeaving } from "../exit.js"
import { EXIT } from "../usage.js"
import { version } from "../version.js"
import type { CommandOptions, Subcommand } from "./subcommand.js"

const OPTIONS = { model: { type: "string" }, agent: { type: "string" } } as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: "sotto acp [--model P/M] [--agent NAME]: what an editor starts; speaks the Agent Client Protocol on stdin and stdout\n",
  options: OPTIONS,
  manual: ["Editors", "../sources/editors.md"],
  run,
}

/** Runs `sotto acp`: for editors, over the Agent Client Protocol. Ends when the editor closes the connection. */
async function run(args: readonly string[]): Promise<number> {
  // Loaded here, because completions load this file for its options alone.
  const [{ serve }, { stdioStream }] = await Promise.all([
    import("../acp/agent.js"),
    import("../acp/stdio.js"),
  ])
  const { model, agent } = parseArgs({ args: [...args], options: OPTIONS }).values
  const options = {
    env: process.env,
    version: await version(),
    ...(model !== undefined && { model }),
    ...(agent !== undefined && { agent }),
  }
  const stream = stdioStream(Boolean(process.env.SOTTO_DEBUG))
  const leaving = watchForLeaving()
  try {
    await serve(stream, options, leaving.signal)
  } finally {
    leaving.stop()
  }
  // An editor that is gone has closed the connection, which is how this ends.
  return leaving.code === EXIT.unread ? EXIT.done : (leaving.code ?? EXIT.done)
}
