import type { ServerResponse } from "node:http"
import type { Origin } from "@sotto/core"
import type { SessionCommand } from "@sotto/harness"
import { ApiError } from "../errors.js"
import type { Feed } from "./feed.js"
import type { Hub } from "./hub.js"

/** What became of a message: the model's final words of the turn that delivered it, once that turn has ended. */
export type MessageAnswer =
  | { readonly is: "answered"; readonly text: string; readonly reason: string }
  | { readonly is: "pending"; readonly state: "queued" | "delivered" }
  | { readonly is: "cancelled" }

/** Callers that may wait at once. Each holds a connection, for a minute at most. */
const MOST_WAITING = 500
const waiting = new WeakMap<Hub, number>()

export interface AnswerWait {
  readonly message: string
  /** Decides whether the caller may hear of a message of this origin. */
  isOwn(origin: Origin): boolean
  readonly milliseconds: number
  /** The response: nothing is waited for once its client has left. */
  readonly outgoing: ServerResponse
}

/** Waits for the answer to a message, whichever process runs the session. Undefined if there is no such message. */
export async function waitForAnswer(
  hub: Hub,
  id: string,
  { message, isOwn, milliseconds, outgoing }: AnswerWait,
): Promise<MessageAnswer | undefined> {
  const feed = await hub.feed(id)
  const origin = originIn(feed, message) ?? (await postedOrigin(hub, id, message))
  if (origin === undefined || !isOwn(origin)) return undefined
  const first = answerIn(feed, message)
  if (first.is !== "pending" || milliseconds === 0) return first
  const before = waiting.get(hub) ?? 0
  if (before >= MOST_WAITING) throw tooManyWaiting()
  waiting.set(hub, before + 1)
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      stop()
      outgoing.off("close", done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    const more = () => {
      if (answerIn(feed, message).is !== "pending") done()
    }
    const stop = feed.read({ more, now: () => {}, end: done })
    outgoing.once("close", done)
  })
  waiting.set(hub, (waiting.get(hub) ?? 1) - 1)
  return answerIn(feed, message)
}

/** Finds the answer in the log as far as it was read. A message that is not in the log waits for its session. */
function answerIn({ following: { session, events } }: Feed, message: string): MessageAnswer {
  const { state } = session.receipt(message) ?? { state: "queued" }
  if (state === "cancelled") return { is: "cancelled" }
  if (state === "queued") return { is: "pending", state }
  const begun = events.findLastIndex(({ event }) => event.type === "delivered" && event.id === message)
  const end = events.findIndex(({ event }, i) => i > begun && event.type === "turn-end")
  const ended = events[end]?.event
  if (ended?.type !== "turn-end") return { is: "pending", state }
  const turn = events.slice(0, end)
  const last = turn.findLastIndex(({ event }) => event.type === "step")
  const words = turn.slice(last).flatMap(({ event }) => (event.type === "text" ? [event.text] : []))
  return { is: "answered", text: words.join(""), reason: ended.reason }
}

function originIn({ following: { session } }: Feed, message: string): Origin | undefined {
  const said = session.log[session.receipt(message)?.seq ?? -1]
  return said?.type === "said" ? said.origin : undefined
}

/** Finds who sent a message that waits for the process that will run the session. */
async function postedOrigin(hub: Hub, id: string, message: string): Promise<Origin | undefined> {
  for (const { command } of await hub.store.posted(id)) {
    const said = command as SessionCommand
    if (said.type === "say" && said.id === message) return said.origin ?? { kind: "human" }
  }
  return undefined
}

function tooManyWaiting(): ApiError {
  return new ApiError(
    503,
    "too-many-waiting",
    `${MOST_WAITING} callers wait for answers here, which is the most that this server takes.`,
    "Ask again later, or read the session's events.",
  )
}
