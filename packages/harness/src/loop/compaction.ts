import type { Reply, Session } from "@sotto/core"
import type { Config } from "../settings/load.js"
import type { TurnHooks } from "../hooks/turn-hooks.js"
import { tokensOf } from "./meter.js"
import { reasonOf } from "../text/errors.js"
import type { Source } from "../sources/source.js"
import type { HarnessEvent } from "../events/events.js"
import type { Journal } from "./durability.js"

/** The share of the window at which there is still room for the reply and for the summary to be asked for. */
const NEARLY_FULL = 0.85
/** Tokens of the newest exchanges that are kept whole, at most… */
const LONGEST_TAIL = 8_000
/** …and never more than this share of the conversation, so that a compaction is worth its price. */
const TAIL_SHARE = 0.25

/** Knows how full the context is, by what the provider last counted, and when to do something about it. */
export class Fullness {
  readonly #session: Session
  readonly #settings: Config["compaction"]
  #size: number | undefined
  /** A compaction that failed is not tried again before the context has grown by this share. */
  #failedAt = 0
  /** The provider has said that it is too full, and nothing was done about that yet. */
  #overflowed: boolean

  constructor(session: Session, settings: Config["compaction"]) {
    this.#session = session
    this.#settings = settings
    const last = session.log.findLast(({ type }) => type === "replied" || type === "compacted")
    this.#overflowed = last?.type === "replied" && last.reply.stop === "overflow"
  }

  replied({ usage }: Reply): void {
    this.#size = usage === undefined ? this.#session.context.tokens : tokensOf(usage)
    this.#overflowed = false
  }

  /** The provider took no more. */
  overflowed(): void {
    this.#overflowed = true
  }

  get isOverflowed(): boolean {
    return this.#overflowed
  }

  /** False if the user compacts by hand only. */
  get isAutomatic(): boolean {
    return this.#settings.auto ?? true
  }

  /** Until the next reply it is not known how full the context is now. */
  compacted(): void {
    this.#size = undefined
    this.#failedAt = 0
    this.#overflowed = false
  }

  failed(): void {
    this.#failedAt = this.#size ?? 0
  }

  get isDue(): boolean {
    const { at = NEARLY_FULL } = this.#settings
    if (!this.isAutomatic) return false
    if (this.#overflowed) return true
    if (this.#size === undefined || this.#size < this.#failedAt * 1.05) return false
    return this.#size >= at * this.#session.context.window
  }

  /** How many tokens of the newest exchanges a compaction keeps. */
  get tail(): number {
    const { tokens, head } = this.#session.context
    return Math.min(this.#settings.tail ?? LONGEST_TAIL, Math.floor((tokens - head) * TAIL_SHARE))
  }
}

export interface CompactionParts {
  readonly session: Session
  readonly journal: Journal
  readonly fullness: Fullness
  readonly hooks: TurnHooks
  readonly sources: readonly Source[]
  /** A summary of what a compaction would replace that keeps the newest `tail` tokens. */
  readonly summarise: (tail: number, focus: string | undefined, abort: AbortSignal) => Promise<string>
}

/** Has the conversation summarised, when somebody asks for it or the context is nearly full, and goes on from that. */
export class Compaction {
  readonly #parts: CompactionParts
  readonly #tell: (event: HarnessEvent) => void
  #asked: { readonly focus: string | undefined } | undefined

  constructor(parts: CompactionParts, tell: (event: HarnessEvent) => void) {
    this.#parts = parts
    this.#tell = tell
  }

  /** At the next boundary. `focus` is what the summary should keep. */
  ask(focus: string | undefined): void {
    this.#asked = { focus }
  }

  get isAsked(): boolean {
    return this.#asked !== undefined
  }

  /** Unasked only where something is about to be sent: what is finished need not be shortened. */
  get isDue(): boolean {
    const { session, fullness } = this.#parts
    if (session.phase === "ready") return this.isAsked || fullness.isDue
    return session.phase === "idle" && this.isAsked
  }

  /** If it fails, nothing is lost and it is said. */
  async run(abort: AbortSignal): Promise<void> {
    const { session, journal, fullness, hooks, sources, summarise } = this.#parts
    const focus = this.#asked?.focus
    this.#asked = undefined
    try {
      const { tail } = fullness
      if (session.past(tail).length === 0) throw new Error("there is nothing to summarise yet.")
      await journal.durable()
      await hooks.compacting(abort)
      const summary = await summarise(tail, focus, abort)
      journal.command(() => session.compact(summary, { tail, closeTurn: true }))
      fullness.compacted()
      for (const source of sources) source.compacted?.()
    } catch (error) {
      fullness.failed()
      const why = reasonOf(error)
      this.#tell({
        type: "error",
        message: `The conversation could not be compacted, and stays as it is: ${why}`,
      })
    }
  }
}
