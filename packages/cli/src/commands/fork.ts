import { forkSession } from "@sotto/harness"
import { UsageError } from "../usage.js"
import { fullSessionId, line, withStore } from "./open-store.js"
import type { Subcommand } from "./subcommand.js"

export const subcommand: Subcommand = {
  help: `sotto fork ID PROMPT: a new session that begins as this one was before the turn that the prompt opened; prints its id

PROMPT is the id of a prompt, such as m4: \`sotto show ID --ids\` lists them. The old session stays as it is.
\`sotto run --session NEW-ID\` goes on with the new one.
`,
  options: {},
  run,
}

async function run(args: readonly string[]): Promise<number> {
  const [id, prompt] = args
  if (id === undefined || prompt === undefined || args.length > 2)
    throw new UsageError("From where? sotto fork ID PROMPT; `sotto show ID --ids` lists the prompts.")
  return withStore(async (store) => line(await forkSession(store, await fullSessionId(store, id), prompt)))
}
