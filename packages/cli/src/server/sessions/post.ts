import { createHash, randomUUID } from "node:crypto"
import {
  type Mailbox,
  type Outcome,
  type SessionCommand,
  type SessionLeases,
  type SessionLog,
  StoreError,
  takesTime,
} from "@sotto/harness"
import { refused } from "../errors.js"

/** How long to wait for a holder that lives and does not answer. */
const WAIT_MS = 10_000
/**
 * How soon to look what became of it, and how seldom at last. Each look takes twice as long to come as the one before:
 * many who wait for a holder that is busy must not keep it, and the database, busier still.
 */
const FIRST_LOOK_MS = 25
const LAST_LOOK_MS = 1_000

/** What posting needs of a store. */
type PostedStore = Mailbox & Pick<SessionLeases, "holder"> & Pick<SessionLog, "onChange">

/** What became of a command: what it returned, or that its holder has yet to carry it out. */
export type PostedResult = { readonly is: "done"; readonly result: unknown } | { readonly is: "waiting" }

/**
 * Has the process that holds a session carry out a command, through the store. `free` is called when no process holds
 * the session, and may open it here, which carries out what was posted.
 */
export async function postCommand(
  store: PostedStore,
  sessionId: string,
  command: SessionCommand,
  free: () => Promise<void>,
): Promise<PostedResult> {
  const id = commandId(command)
  await store.post(sessionId, { id, command })
  const started = Date.now()
  // A command that takes time has a result only when its holder has come to its end.
  const isOver = (outcome: Outcome) => !takesTime(command) || outcome.is === "refused" || "result" in outcome
  for (let wait = FIRST_LOOK_MS; ; wait = Math.min(wait * 2, LAST_LOOK_MS)) {
    const isLate = Date.now() - started > WAIT_MS
    try {
      const outcome = await store.outcome(sessionId, id)
      const isEnd = outcome !== undefined && (isOver(outcome) || isLate)
      if (isEnd || (outcome !== undefined && (await store.holder(sessionId)) === undefined))
        return { is: "done", result: resultOf(outcome) }
      if (isLate) return { is: "waiting" }
      if ((await store.holder(sessionId)) === undefined) await free()
    } catch (error) {
      // It is posted: a database that goes away after that keeps it.
      if (!(error instanceof StoreError && error.code === "unavailable")) throw error
      if (isLate) return { is: "waiting" }
    }
    await changed(store, wait)
  }
}

/**
 * Gives a message that is sent again the same id: it is the same command. With other words it is another one, and the
 * session refuses it.
 */
function commandId(command: SessionCommand): string {
  if (command.type !== "say" || command.id === undefined) return randomUUID()
  const { id, text, parts, origin } = command
  return `say ${id} ${createHash("sha256")
    .update(JSON.stringify([text ?? parts, origin]))
    .digest("base64url")}`
}

/** Waits until the store has changed, and at least half of the time; if it does not change, all of it. */
async function changed(store: Pick<SessionLog, "onChange">, wait: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      stop()
      resolve()
    }
    const timer = setTimeout(done, wait / 2)
    const stop = store.onChange(done)
  })
  await new Promise((resolve) => setTimeout(resolve, wait / 2))
}

function resultOf(outcome: Outcome): unknown {
  if (outcome.is === "done") return outcome.result
  throw refused(outcome.code, outcome.message)
}
