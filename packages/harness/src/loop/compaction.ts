import type { Reply, Session } from "@sotto/core"
import type { Config } from "../config/load.js"
import { tokensOf } from "../limits/meter.js"

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

  constructor(session: Session, settings: Config["compaction"]) {
    this.#session = session
    this.#settings = settings
  }

  replied({ usage }: Reply): void {
    this.#size = usage === undefined ? this.#session.context.tokens : tokensOf(usage)
  }

  /** Until the next reply it is not known how full the context is now. */
  compacted(): void {
    this.#size = undefined
    this.#failedAt = 0
  }

  failed(): void {
    this.#failedAt = this.#size ?? 0
  }

  get isDue(): boolean {
    const { auto = true, at = NEARLY_FULL } = this.#settings
    if (!auto || this.#size === undefined || this.#size < this.#failedAt * 1.05) return false
    return this.#size >= at * this.#session.context.window
  }

  /** How many tokens of the newest exchanges a compaction keeps. */
  get tail(): number {
    const { tokens, head } = this.#session.context
    return Math.min(this.#settings.tail ?? LONGEST_TAIL, Math.floor((tokens - head) * TAIL_SHARE))
  }
}
