import { parseArgs } from "node:util"
import { serve } from "../acp/agent.js"
import { stdioStream } from "../acp/stdio.js"
import { watchForLeaving } from "../exit.js"
import { EXIT } from "../usage.js"
import { version } from "../version.js"

const OPTIONS = { model: { type: "string" }, agent: { type: "string" } } as const

/** `sotto acp`: for editors, over the Agent Client Protocol. Ends when the editor closes the connection. */
export async function acp(args: readonly string[]): Promise<number> {
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
