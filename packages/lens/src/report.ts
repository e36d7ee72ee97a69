import type { HttpDialectName, SourceFormat } from "./call.js"

/** Why a call does not extend the one before it in its thread. */
export type Cause =
  | "tools-added"
  | "tools-removed"
  | "tools-reordered"
  | "tool-reworded"
  | "system-changed"
  | "reminder-inserted"
  | "reminder-moved"
  | "reminder-removed"
  | "reminder-changed"
  | "result-masked"
  | "result-changed"
  | "reasoning-removed"
  | "message-inserted"
  | "message-edited"
  | "message-removed"
  | "media-removed"
  | "serialisation"
  | "parameter-changed"
  | "markers-out-of-reach"
  | "compacted"
  | "expired"
  | "not-cached"

/** The first segment of a call that differs from what its thread had already sent. */
export interface Break {
  /** Counted from 1 within the thread. */
  readonly call: number
  /** Where it stands in the body: "messages.3.content.0". */
  readonly segment: string
  /** The first differing byte of the request. Absent for session files, whose bytes are not known. */
  readonly byte?: number
  readonly cause: Cause
  readonly detail: string
  /** Tokens that had been sent before and had to be processed again as new. */
  readonly lostTokens: number
  /** Excerpts around the difference, without secrets. */
  readonly before: string
  readonly after: string
}

/** What a thread is for. */
export type Purpose = "main" | "subagent" | "title" | "summary" | "other"

/** How often one kind of reminder was sent, and what it cost. */
export interface ReminderTally {
  readonly kind: string
  /** How often one entered the conversation. */
  readonly times: number
  /** In how many different wordings. */
  readonly distinct: number
  readonly tokens: number
  /** Of all tokens that the thread sent, from 0 to 1; a reminder counts in every call that carries it. */
  readonly share: number
}

/** The tokens of a thread: sent, read from the cache, written to it and missed. */
export interface ThreadTokens {
  readonly sent: number
  readonly read: number
  readonly written: number
  readonly missed: number
  /** True if the provider reported them; otherwise the cache model predicts them. */
  readonly reported: boolean
}

/** What was found about one thread. */
export interface ThreadReport {
  readonly id: string
  readonly source: string
  readonly dialect: HttpDialectName
  readonly model: string
  readonly calls: number
  readonly purpose: Purpose
  /** The thread that this one branched off or was started by. */
  readonly parent?: string
  readonly tokens: ThreadTokens
  readonly reminders: readonly ReminderTally[]
  readonly breaks: readonly Break[]
}

/** How serious a finding is. */
export type Severity = "error" | "warning" | "note"

/** Something worth a person's attention. */
export interface Finding {
  readonly id: string
  readonly severity: Severity
  readonly thread?: string
  /** Counted from 1 within the thread. */
  readonly call?: number
  readonly message: string
  readonly remedy: string
  readonly tokens?: number
  /** In US dollars. */
  readonly money?: number
  /** The model whose price was taken for it, because that of the thread's model is not known. */
  readonly assumed?: string
}

/** What was read from one source. */
export interface SourceReport {
  readonly name: string
  readonly format: SourceFormat
  readonly calls: number
}

/** What `sotto check --json` prints. */
export interface Report {
  readonly version: 1
  readonly sources: readonly SourceReport[]
  readonly threads: readonly ThreadReport[]
  readonly findings: readonly Finding[]
}

/** Writes a number as people read it: "8,388". */
export function figure(count: number): string {
  return Math.round(count).toLocaleString("en-US")
}
