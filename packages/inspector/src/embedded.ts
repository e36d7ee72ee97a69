import type {
  BreakPage,
  CallPage,
  CallRow,
  LedgerPart,
  Report,
  SessionDetail,
  TraceDetail,
} from "./contract.js"

/** What is looked at: a session of Sotto, or a trace. */
export interface Subject {
  readonly type: "session" | "trace"
  readonly id: string
}

/** What a page that is one file has in it. */
export interface Embedded {
  readonly version: 1
  readonly subject: Subject
  /** Of a trace. */
  readonly trace?: TraceDetail
  /** Of a session. */
  readonly session?: SessionDetail
  readonly report?: Report
  readonly rows: readonly CallRow[]
  readonly breaks: readonly BreakPage[]
  /** Each with the segments that are new in it; the ones before are those of the page before it in its thread. */
  readonly pages: readonly (CallPage | null)[]
  readonly ledger?: LedgerPart
}
