import { randomUUID } from "node:crypto"
import { type Entry, forkLog } from "@sotto/core"
import type { SessionCatalogue, SessionLeases, SessionLog } from "./contract.js"
import { StoreError } from "./error.js"
import { readSession } from "./read.js"

/**
 * Makes a new session that begins as a stored one was before the turn that a prompt opened, or as it is now. Returns its
 * id.
 */
export async function forkSession(
  store: SessionLog & SessionCatalogue & Pick<SessionLeases, "release">,
  sessionId: string,
  prompt?: string,
): Promise<string> {
  const { cwd, title, workspace, labels, metadata } = await store.about(sessionId)
  const id = randomUUID()
  const whole = await store.load(sessionId)
  if (prompt === undefined) checkIdle(whole, sessionId)
  const log = forkLog(whole, prompt, id)
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

/** Refuses an open turn: both sessions would do the same work. */
function checkIdle(log: readonly Entry[], sessionId: string): void {
  const { isInTurn, phase } = readSession(log)
  if (isInTurn || phase !== "idle")
    throw new StoreError(
      "conflict",
      `Session ${sessionId} is in the middle of a turn.`,
      "Wait for its end, or name a prompt to fork it at.",
    )
}
