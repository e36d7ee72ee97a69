import { pastOf, type Session } from "@sotto/core"
import { reasonOf } from "../../platform/text/errors.js"
import type { TurnHooks } from "../../sources/hooks/turn-hooks.js"
import type { Source } from "../../sources/source.js"
import type { Fullness } from "../limits/fullness.js"
import type { Durability } from "./durability.js"
import type { EventFeed } from "./event-feed.js"

export interface CompactionParts {
  readonly session: Session
  readonly durability: Durability
  readonly showing: Pick<EventFeed, "tell" | "flush">
  readonly fullness: Fullness
  readonly hooks: TurnHooks
  readonly sources: readonly Source[]
  /** A summary of what a compaction would replace that keeps the newest `tail` tokens. */
  readonly summarise: (tail: number, focus: string | undefined, abort: AbortSignal) => Promise<string>
}

/**
 * Has the conversation summarised, when a caller asks for it, the context is nearly full or a summary pays, and goes
 * on.
 */
export class Compactor {
  readonly #parts: CompactionParts
  #asked: { readonly focus: string | undefined } | undefined

  constructor(parts: CompactionParts) {
    this.#parts = parts
  }

  /** Asks for a compaction at the next boundary. `focus` is what the summary should keep. */
  ask(focus: string | undefined): void {
    this.#asked = { focus }
  }

  get isAsked(): boolean {
    return this.#asked !== undefined
  }

  /** Unasked only where something is about to be sent: what is finished need not be shortened. */
  get isDue(): boolean {
    const { session, fullness } = this.#parts
    if (session.phase === "ready") return this.isAsked || fullness.isDue || fullness.isTooDear
    return session.phase === "idle" && this.isAsked
  }

  /** Compacts the conversation. If it fails, nothing is lost and the failure is told. */
  async run(abort: AbortSignal): Promise<void> {
    const { session, durability, showing, fullness, hooks, sources, summarise } = this.#parts
    const focus = this.#asked?.focus
    const why = this.isAsked ? "asked" : fullness.isDue ? "window" : "price"
    this.#asked = undefined
    try {
      const { tail } = fullness
      if (pastOf(session, tail).length === 0) throw new Error("there is nothing to summarise yet.")
      await durability.onDisk()
      await hooks.compacting(abort)
      const summary = await summarise(tail, focus, abort)
      durability.command(() => session.compact(summary, { tail, closeTurn: true, why }))
      showing.flush()
      fullness.compacted()
      for (const source of sources) source.compacted?.()
    } catch (error) {
      fullness.failed()
      const why = reasonOf(error)
      showing.tell({
        type: "error",
        message: `The conversation could not be compacted, and stays as it is: ${why}`,
      })
    }
  }
}
