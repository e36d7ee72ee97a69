import type { CacheUse } from "@sotto/core/cache"
import type { Call, HttpDialectName } from "../call.js"
import type { Cached } from "../compare/expiry.js"
import { predictor } from "../money/prediction.js"
import { Siblings } from "../problems/siblings.js"
import type { Break, Purpose } from "../report.js"
import { type Snapshot, whole } from "../segments/snapshot.js"
import { ReminderCounter } from "./reminder-counter.js"
import { purposeOf } from "./side.js"

/** Sums over the calls of a strand. */
export interface Sums {
  sent: number
  read: number
  written: number
  missed: number
  /** Calls that the provider answered, and those of them whose usage it reported. */
  answered: number
  reported: number
}

/**
 * Calls of which each continues the one before. A thread is one strand, or several that follow one another: whether a
 * branch is another thread or the same one after a step back shows only later, when the strand it left goes on or not.
 */
export class Strand {
  readonly source: string
  readonly dialect: HttpDialectName
  readonly model: string
  readonly purpose: Extract<Purpose, "title" | "summary"> | undefined
  predict: ((snapshot: Snapshot) => CacheUse) | undefined
  readonly tally: ReminderCounter
  readonly siblings: Siblings
  readonly sums: Sums = { sent: 0, read: 0, written: 0, missed: 0, answered: 0, reported: 0 }
  readonly breaks: Break[] = []
  readonly isPartial: boolean
  /**
   * False if the model was offered no tool: then its answer does not count as an agent's work. A session file does not
   * tell.
   */
  readonly mayAct: boolean
  calls = 0
  /** True for the calls of a source that only ask how long a prompt is. */
  countsTokens = false
  last: number
  /** The newest call that the provider took. */
  tip: Snapshot
  /** False while every call so far has failed: what was never processed was never cached. */
  wasTaken = false
  /** When the newest call ends. */
  until = Number.NEGATIVE_INFINITY
  cached: Cached | undefined
  responseId: string | undefined
  /** The provider's id of the reply to the newest call that it took. */
  tipId: string | undefined
  /** Breakpoints of Anthropic's that the cache may hold. */
  entries: readonly number[] = []

  constructor(
    call: Call,
    model: string,
    /** The place of its first call in the whole trace. */
    readonly first: number,
    tip: Snapshot,
    /** The strand it branched off. */
    readonly origin: Strand | undefined,
    /** True if it began while a call of its origin was under way: it can only be another thread. */
    readonly isParallel: boolean,
  ) {
    this.source = call.source
    this.isPartial = call.partial === true
    this.mayAct = this.isPartial || tip.sections.tools.length > 0
    this.dialect = tip.dialect
    this.model = model
    this.last = first
    this.tip = tip
    this.purpose = purposeOf(tip)
    this.predict = predictor(tip.dialect, model)
    this.tally = origin === undefined ? new ReminderCounter() : origin.tally.branch()
    this.siblings = origin === undefined ? new Siblings() : origin.siblings.branch()
  }

  /** Lets go of the newest call: no later one will be compared with it. */
  close(): void {
    const sections = { key: [], tools: [], system: [], parameters: [], messages: [] }
    this.tip = whole(this.dialect, sections, "")
    this.predict = undefined
    this.tally.close()
    this.siblings.close()
  }
}
