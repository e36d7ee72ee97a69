import type { Reply, Session } from "@sotto/core"
import { allClasses } from "@sotto/core/economy"
import { USUAL } from "../../settings/config/usual.js"
import type { Config } from "../../settings/load.js"

/** The newest exchanges that are kept whole are never more than this share of the conversation, so that a compaction is worth its price. */
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
    this.#size = usage === undefined ? this.#session.context.tokens : allClasses(usage)
    this.#overflowed = false
  }

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

  /** Forgets the size: until the next reply it is not known how full the context is now. */
  compacted(): void {
    this.#size = undefined
    this.#failedAt = 0
    this.#overflowed = false
  }

  failed(): void {
    this.#failedAt = this.#size ?? 0
  }

  get isDue(): boolean {
    const { at = USUAL.compactionAt } = this.#settings
    if (!this.isAutomatic) return false
    if (this.#overflowed) return true
    if (this.#size === undefined || this.#isTriedInVain) return false
    return this.#size >= at * this.#session.context.window
  }

  /** A summary costs less by now than going on without one has cost, by the session's economy. */
  get isTooDear(): boolean {
    if (!this.isAutomatic || this.#isTriedInVain) return false
    return this.#session.economy?.summaryPays ?? false
  }

  get #isTriedInVain(): boolean {
    return this.#size !== undefined && this.#size < this.#failedAt * 1.05
  }

  /** How many tokens of the newest exchanges a compaction keeps. */
  get tail(): number {
    const { tokens, head } = this.#session.context
    return Math.min(this.#settings.tail ?? USUAL.compactionTail, Math.floor((tokens - head) * TAIL_SHARE))
  }
}
