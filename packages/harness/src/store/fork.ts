import { randomUUID } from "node:crypto"
import { forkLog } from "@sotto/core"
import type { SessionCatalogue, SessionLeases, SessionLog } from "./contract.js"
import { StoreError } from "./error.js"

/** Makes a new session that begins as a stored one was before the turn that a prompt opened. Returns its id. */
export async function forkSession(
  store: SessionLog & SessionCatalogue & Pick<SessionLeases, "release">,
  sessionId: string,
  prompt: string,
): Promise<string> {
  const { cwd, title, workspace, labels, metadata } = await store.about(sessionId)
  const id = randomUUID()
  const log = forkLog(await store.load(sessionId), prompt, id)
  if (log === undefined)
    throw new StoreError(
      "unknown-prompt",
      `No turn of session ${sessionId} was opened by a message "${prompt}".`,
      `\`sotto show ${sessionId} --ids\` lists the prompts with their ids.`,
    )
  const about = {
    cwd,
    ...(title !== undefined && { title: `${title} (fork)` }),
    ...(workspace !== undefined && { workspace }),
    ...(labels && { labels }),
    ...(metadata && { metadata }),
  }
  await store.create(about, log)
  await store.release(id)
  return id
}
