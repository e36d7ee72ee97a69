import type { Entry, Reply, Session } from "@sotto/core"
import { endOf } from "../../tools/events/endings.js"
import {
  type AccountFigures,
  asidesOf,
  eventsOf,
  type HarnessEvent,
  type TurnEnd,
  type UsageEvent,
} from "../../tools/events/events.js"

/** A turn of which a step was shown, and its end was not. */
export interface ShownTurn {
  readonly number: number
  readonly step: number
  /** True if that was the last step it may take. */
  readonly last: boolean
  /** Why the model stopped, once it has. */
  readonly stop?: Reply["stop"]
}

/** Says what was paid. */
export interface SpentMoney {
  /** Gives what the session and its subagents have cost so far. */
  figures(): AccountFigures
  /** Gives the dollars that the summary of the compaction with this number cost, if they are known. */
  summaryCost(compaction: number): number | undefined
}

/**
 * Shows a conversation to its observers: its entries once they are on disk, the ends of its turns, and what the work
 * itself tells. Never holds up the loop: what is to be shown is shown after what is to be done.
 */
export class EventFeed {
  readonly #session: Session
  readonly #emit: (event: HarnessEvent) => void
  readonly #account: SpentMoney
  readonly #due: Entry[] = []
  readonly #held: HarnessEvent[] = []
  /** The number of the newest entry that was shown, or was there before. */
  #shown: number
  #turn: ShownTurn | undefined

  constructor(session: Session, emit: (event: HarnessEvent) => void, account: SpentMoney) {
    this.#session = session
    this.#emit = emit
    this.#account = account
    this.#shown = session.log.at(-1)?.seq ?? -1
    // A turn that a crash left open goes on here, and its end is told here. A prompt that only waits has opened none.
    const open = session.isInTurn ? session.log.findLast(({ type }) => type === "step") : undefined
    if (open?.type === "step") this.#turn = turnOf(open)
  }

  get turn(): ShownTurn | undefined {
    this.flush()
    return this.#turn
  }

  /** Shows an entry that is on disk. */
  show(entry: Entry): void {
    if (this.#due.push(entry) === 1) setImmediate(() => this.flush())
  }

  /** Tells what has no entry, or is worth telling before it has one. */
  tell(event: HarnessEvent): void {
    this.flush()
    this.#emit(event)
  }

  /** Tells of a request that a subagent has made. */
  tellSubagent(session: string, event: UsageEvent): void {
    this.tell({ ...event, session: event.session ?? session, account: this.#account.figures() })
  }

  /** Tells what the newest reply has led to, after that reply, which may not be on disk yet. */
  tellAfterReply(event: HarnessEvent): void {
    this.flush()
    const reply = this.#session.log.findLast(({ type }) => type === "replied")
    if (reply !== undefined && reply.seq > this.#shown) this.#held.push(event)
    else this.#emit(event)
  }

  /** Shows what is due now. */
  flush(): void {
    for (const entry of this.#due.splice(0)) this.#show(entry)
  }

  /** Unless a reason is given, it is at its end because there is nothing left to do, or nothing that it may do. */
  endTurn(reason?: TurnEnd): void {
    this.flush()
    this.#endTurn(reason)
  }

  #show(entry: Entry): void {
    this.#shown = entry.seq
    if (entry.type === "step" && this.#turn?.number !== entry.turn) this.#endTurn(undefined)
    for (const event of eventsOf(entry, () => asidesOf(this.#session, 1)))
      this.#emit(this.#priced(event, entry.seq))
    if (entry.type === "replied") for (const event of this.#held.splice(0)) this.#emit(event)
    if (entry.type === "step") this.#turn = turnOf(entry)
    if (entry.type === "replied" && this.#turn) this.#turn = { ...this.#turn, stop: entry.reply.stop }
    if (entry.type === "aborted") this.#endTurn("interrupted")
    if (entry.type === "ended") this.#endTurn("done")
  }

  /** Adds what the log alone does not say: money. */
  #priced(event: HarnessEvent, seq: number): HarnessEvent {
    if (event.type === "usage") return { ...event, account: this.#account.figures() }
    if (event.type !== "compacted") return event
    const cost = this.#account.summaryCost(seq)
    return cost === undefined ? event : { ...event, cost }
  }

  #endTurn(reason: TurnEnd | undefined): void {
    if (this.#turn === undefined) return
    const { step, last, stop } = this.#turn
    this.#turn = undefined
    const account = this.#account.figures()
    this.#emit({ type: "turn-end", reason: reason ?? endOf(stop, last), steps: step, account })
  }
}

function turnOf({ turn, step, last }: Entry & { readonly type: "step" }): ShownTurn {
  return { number: turn, step, last }
}
