import type { AssistantPart, Entry, Reply, Session } from "@sotto/core"
import { endOf } from "./endings.js"
import { asidesOf, endingAfter, eventsOf, type HarnessEvent } from "./events.js"
import { callsIn, nameCalls, spokenIn } from "./retell.js"

/** An event with its number. Numbers grow with the log, and are the same whenever and wherever they are counted. */
export interface NumberedEvent {
  readonly seq: number
  readonly event: FollowedEvent
}

export type FollowedEvent = HarnessEvent | { readonly type: "question-answered"; readonly id: string }

/**
 * Numbers of one entry begin at its own sequence number times this. They grow by two, so that "after the number I had"
 * and "from the one after it on" mean the same.
 */
const STRIDE = 2 ** 22
/** Below are the events that follow from the log, above it those that do not. */
const LIVE = 2 ** 12
const NEXT = 2

/**
 * Follows the log of a session while another process runs it, and tells what happens by the events with which it is
 * shown there. The events of an entry depend on the log up to it and on nothing else: a reader can go on from any
 * number, also with another process. Words of the model come whole, with the entry of its reply.
 */
export class LogFollower {
  readonly session: Session
  readonly #events: NumberedEvent[] = []
  readonly #ids = new Map<AssistantPart, string>()
  readonly #taken = new Set<string>()
  /** The step of the open turn, and why the model stopped. */
  #open: { readonly step: number; readonly last: boolean; readonly stop: Reply["stop"] } | undefined
  #newest: Entry | undefined

  /** `restore` makes the session of the log's first entry, for reading. */
  constructor(log: readonly Entry[], restore: (log: readonly Entry[]) => Session) {
    this.session = restore(log.slice(0, 1))
    const [first] = log
    if (first?.type === "opened") this.#add(first, [{ type: "session", id: first.id }])
    this.take(log.slice(1))
  }

  /** How many entries it has taken: the sequence number of the one it waits for. */
  get length(): number {
    return this.session.log.length
  }

  get events(): readonly NumberedEvent[] {
    return this.#events
  }

  /** The number of the newest event. */
  get seq(): number {
    return this.#events.at(-1)?.seq ?? 0
  }

  /** Takes more entries of the log. Those it has already are passed over. */
  take(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (entry.seq < this.length) continue
      this.session.follow([entry])
      nameCalls(entry, this.#ids, this.#taken)
      this.#add(entry, this.#told(entry))
    }
  }

  /**
   * Adds something that the log does not keep, such as a question or an error. It is numbered after the newest entry,
   * and by the time since that: a process that starts anew goes on above the numbers of the one before it.
   */
  add(event: FollowedEvent, now: number): NumberedEvent {
    const { seq = 0, at = now } = this.#newest ?? {}
    const since = Math.min(Math.max(0, Math.floor((now - at) / 1000)) * NEXT, STRIDE / 4)
    const first = seq * STRIDE + LIVE + since + 1
    const numbered = { seq: Math.max(first, this.seq + NEXT), event }
    this.#events.push(numbered)
    return numbered
  }

  #add(entry: Entry, events: readonly HarnessEvent[]): void {
    this.#newest = entry
    for (const [i, event] of events.entries())
      this.#events.push({ seq: entry.seq * STRIDE + 1 + Math.min(i * NEXT, LIVE - NEXT), event })
  }

  #told(entry: Entry): readonly HarnessEvent[] {
    const told = [
      ...spokenIn(entry, this.#ids),
      ...eventsOf(entry, () => asidesOf(this.session, 1)),
      ...callsIn(entry, this.#ids),
    ]
    if (entry.type === "step") this.#open = { step: entry.step, last: entry.last, stop: undefined }
    if (this.#open && entry.type === "replied") this.#open = { ...this.#open, stop: entry.reply.stop }
    if (this.#open === undefined || this.session.isInTurn) return told
    const { step, last, stop } = this.#open
    this.#open = undefined
    const ending = entry.type === "ended" ? "done" : endOf(stop, last)
    const reason = entry.type === "aborted" ? endingAfter(entry.reason) : ending
    return [...told, { type: "turn-end", reason, steps: step }]
  }
}
