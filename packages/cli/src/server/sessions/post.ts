import { createHash, randomUUID } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import type { Receipt, Session } from "@sotto/core"
import {
  type CommandOf,
  type Mailbox,
  type Outcome,
  type Posted,
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

interface PostOptions {
  /** Called when no process holds the session. May open it here, which carries out what was posted. */
  free(): Promise<void>
  /** Reads the session as its log has it. */
  read(): Promise<Pick<Session, "log" | "receipt">>
}

/** Has the process that holds a session carry out a command, through the store. */
export async function postCommand(
  store: PostedStore,
  sessionId: string,
  command: SessionCommand,
  { free, read }: PostOptions,
): Promise<PostedResult> {
  const id = commandId(command)
  // The kept outcome says what the message was when it was taken. The log says what it is now.
  if (isNamed(command) && (await store.outcome(sessionId, id))?.is === "done")
    return { is: "done", result: saidBefore(await read(), command) }
  await store.post(sessionId, { id, command })
  if (isNamed(command)) checkRivals(await store.posted(sessionId), id, command)
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
      if (isLate) return await unanswered(command, read)
      if ((await store.holder(sessionId)) === undefined) await free()
    } catch (error) {
      // It is posted: a database that goes away after that keeps it.
      if (!(error instanceof StoreError && error.code === "unavailable")) throw error
      if (isLate) return { is: "waiting" }
    }
    await changed(store, wait)
  }
}

/** Tells of a command that no holder has carried out. The log may have the message already, or another one of its id. */
async function unanswered(command: SessionCommand, read: PostOptions["read"]): Promise<PostedResult> {
  const known = isNamed(command) ? saidBefore(await read(), command) : undefined
  return known === undefined ? { is: "waiting" } : { is: "done", result: known }
}

/** A message that has an id of its sender's. */
type NamedMessage = CommandOf<"say"> & { readonly id: string }

function isNamed(command: SessionCommand): command is NamedMessage {
  return command.type === "say" && command.id !== undefined
}

/** Refuses a message whose id another one has that waits already: the session will take the first and refuse this one. */
function checkRivals(waiting: readonly Posted[], id: string, { id: message }: NamedMessage): void {
  const first = waiting.find((one) => {
    const { type, id: other } = one.command as { readonly type?: unknown; readonly id?: unknown }
    return type === "say" && other === message
  })
  if (first !== undefined && first.id !== id) throw idTaken(message)
}

/** Finds the receipt of a message that the log has. Throws if the log has other words under its id. */
function saidBefore(
  session: Pick<Session, "log" | "receipt">,
  { id, text, parts, origin }: NamedMessage,
): Receipt | undefined {
  const known = session.receipt(id)
  if (known === undefined) return undefined
  const said = session.log[known.seq]
  const words = text === undefined ? parts : [{ type: "text", text }]
  const isSame =
    said?.type === "said" &&
    isDeepStrictEqual([said.content, said.origin], [words, origin ?? { kind: "human" }])
  if (!isSame) throw idTaken(id)
  return known
}

function idTaken(id: string) {
  return refused(
    "id-taken",
    `The id "${id}" belongs to another message. The same message has the same words and origin. Give another one another id.`,
  )
}

/**
 * Gives a message that is sent again the same id: it is the same command. With other words it is another one, and the
 * session refuses it.
 */
function commandId(command: SessionCommand): string {
  if (!isNamed(command)) return randomUUID()
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
