import type { Json } from "./json.js"
import type { Kind } from "./reminder.js"

/**
 * Something that happened, as a rule hears of it. Its fields are whatever the harness noted: read them with `fieldsOf`.
 */
export interface Signal {
  /** What happened: "file.edited". */
  readonly type: string
  readonly [field: string]: unknown
}

/** A memo as the log has it. */
export type MemoRecord = readonly [kind: Kind, key: string, value: Json]

/** Signals that go on waiting for a rule, by the sequence numbers of their entries. */
export type HeldSignals = readonly [kind: Kind, seqs: readonly number[]]
