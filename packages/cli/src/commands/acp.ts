import { parseArgs } from "node:util"
import { serve } from "../acp/agent.js"
import { stdioStream } from "../acp/stdio.js"
import { EXIT } from "../usage.js"
import { version } from "../version.js"

const OPTIONS = { model: { type: "string" }, agent: { type: "string" } } as const

/** `sotto acp`: for editors, over the Agent Client Protocol. Ends when the editor closes the connection. */
export async function acp(args: readonly string[]): Promise<number> {
  const { model, agent } = parseArgs({ args: [...args], options: OPTIONS }).values
  const left = new AbortController()
  const leave = () => left.abort()
  process.once("SIGINT", leave)
  process.once("SIGTERM", leave)
  const options = {
    env: process.env,
    version: await version(),
    ...(model !== undefined && { model }),
    ...(agent !== undefined && { agent }),
  }
  try {
    await serve(stdioStream(Boolean(process.env.SOTTO_DEBUG)), options, left.signal)
  } finally {
    process.removeListener("SIGINT", leave)
    process.removeListener("SIGTERM", leave)
  }
  return EXIT.done
}
