/**
 * The JSON that the page reads, and nothing else. `sotto serve` answers with these shapes, and the page imports no other
 * type of the server.
 *
 * Who computes what: `@sotto/lens/pages` turns calls into rows, pages and breaks, for recordings, for a proxy that runs, and for the requests
 * of a session of Sotto. The server adds what only a session knows (turns, the inbox, the ledger, asides, the view).
 *
 * Lists come in parts. `from` counts from 1 for steps and calls; `limit` is at most 1,000. An answer may hold fewer than asked for.
 */
import type { HttpDialectName, Report } from "@sotto/lens"
import type {
  BreakPage,
  CallPage,
  CallRow,
  CallTotals,
  MendingPolicy,
  SegmentComparison,
  ToolUse,
} from "@sotto/lens/pages"

export type { Finding, HttpDialectName, Report, ThreadReport } from "@sotto/lens"
export type {
  BreakPage,
  CalledTool,
  CallPage,
  CallRow,
  CallTokens,
  CallTotals,
  ContextKind,
  CutText,
  MarkedReminder,
  Mended,
  PageSegment,
  SegmentChange,
  SegmentComparison,
  ShownChange,
  ToolUse,
  Unchanged,
} from "@sotto/lens/pages"

/** Every answer other than a success. */
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly remedy?: string }
}

/**
 * What a session does, whichever process has it open. `idle`: it waits for a prompt. `asking`: it waits for an answer to a
 * question. `waiting`: it has something to do, and waits for a process that does it.
 */
export type SessionState = "idle" | "running" | "asking" | "waiting"

/** The process that has a session open: a terminal, or a server. A server on a shared store has a name. */
export interface ShownHolder {
  readonly worker?: string
  readonly host: string
  readonly pid: number
}

/** Tokens as the provider reported them: what was sent, how much of it was read from the cache, and what came back. */
export interface UsedTokens {
  readonly sent: number
  readonly read: number
  readonly output: number
}

export interface SessionListItem {
  readonly id: string
  readonly title?: string
  /** Beginning of the first prompt; absent before there is one. In a list it is read only for sessions without a title. */
  readonly begun?: string
  /** The session that started it, of a subagent's. */
  readonly parent?: string
  readonly labels?: readonly string[]
  readonly metadata?: Readonly<Record<string, string>>
  readonly cwd: string
  readonly model: string
  readonly agent: string
  readonly state: SessionState
  /** Absent while no process has it open. */
  readonly holder?: ShownHolder
  readonly questions: readonly OpenQuestion[]
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
  /** Its own steps so far, over all turns. */
  readonly steps: number
  /** Of every request that was paid for: steps, requests beside them, and those of subagents. */
  readonly tokens: UsedTokens
  /** Dollars for these requests; absent where the price of a model is not known. */
  readonly cost?: number
  /** Models whose own price is not known, each with the model whose price was taken for it; absent without one. */
  readonly assumed?: Readonly<Record<string, string>>
}

/**
 * `GET /sessions?limit&before&q&state&label&cwd&parent`; `before` is the id of the last session of the part before. `q` keeps sessions with
 * all of its words in their title, first prompt, folder or id; `state` keeps those in this state.
 */
export interface SessionList {
  readonly sessions: readonly SessionListItem[]
  /** True if there are more after the last one. */
  readonly more: boolean
}

export type MessageDelivery = "next-step" | "after-turn" | "now" | "passive"

export type MessageOrigin =
  | { readonly kind: "human" | "coordinator" | "task-notification" }
  | { readonly kind: "channel"; readonly server: string }

export interface QueuedMessage {
  readonly id: string
  readonly text: string
  readonly delivery: MessageDelivery
  readonly origin: MessageOrigin
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Something that only a person can decide: the object of the event `ask`, without its type. */
export type OpenQuestion =
  | {
      readonly id: string
      readonly kind: "permission"
      readonly agent?: string
      /** The call that waits for the answer. */
      readonly call: string
      readonly tool: string
      readonly permission: string
      readonly target: string
      readonly detail?: string
      readonly always?: string
      readonly accesses?: readonly {
        readonly permission: string
        readonly target: string
        readonly needs: boolean
      }[]
    }
  | {
      readonly id: string
      readonly kind: "question"
      readonly agent?: string
      readonly question: string
      readonly options?: readonly string[]
    }
  | {
      readonly id: string
      readonly kind: "plan"
      readonly agent?: string
      readonly path: string
      readonly plan: string
    }

/** `GET /sessions/{id}` */
export interface SessionDetail extends SessionListItem {
  /** The sequence number of the newest event: `events?from=` it misses nothing that comes later. */
  readonly seq: number
  /** The dialect that the session's requests are in, and the others in which a step can be shown. */
  readonly dialect: HttpDialectName
  readonly dialects: readonly HttpDialectName[]
  readonly turns: number
  readonly agents: readonly string[]
  readonly queue: readonly QueuedMessage[]
  /** True if the page may say, answer and abort here. */
  readonly canSteer: boolean
  /** Counts over the whole session. */
  readonly breaks: number
}

/** A message on its way into the model. */
export interface MessageRow {
  readonly id: string
  readonly origin: MessageOrigin
  readonly delivery: MessageDelivery
  readonly arrivedAt: number
  readonly deliveredAt?: number
  /** Beginning of its words. */
  readonly text: string
}

/** A step of a session of Sotto. */
export interface StepRow extends CallRow {
  readonly turn: number
  readonly step: number
  readonly agent: string
  /** Messages that this step delivered, in order. */
  readonly messages: readonly MessageRow[]
  /** Why an epoch begins with this step: "start", "compacted", "model". */
  readonly epoch?: readonly string[]
  /** The sequence number of the step's entry in the log. */
  readonly seq: number
}

/** `GET /sessions/{id}/steps?from&limit` · `GET /traces/{id}/calls?from&limit` */
export interface RowsPart<Row extends CallRow = CallRow> {
  readonly rows: readonly Row[]
  readonly total: number
  /** True while the server still reads a long session: `total` grows. */
  readonly more?: boolean
}

/** A reminder that a step told: an aside, and why its rule spoke. */
export interface ToldReminder {
  readonly kind: string
  readonly key: string
  readonly trust: "harness" | "user" | "untrusted"
  readonly text: string
  readonly carrier: string
  readonly tokens: number
  /** What the rule of this kind is for, in a sentence, and where it comes from: "standard", or the path of a Markdown rule. */
  readonly rule: string
  readonly source: string
  /** Why it spoke now, as far as the log tells: "3 steps since it last spoke", "file.edited", "a message arrived in mid-turn". */
  readonly reason: string
}

/** A message as the person saw it. */
export interface ViewMessage {
  readonly id: string
  readonly role: "user" | "assistant" | "tool"
  readonly text: string
  readonly name?: string
}

/**
 * `GET /sessions/{id}/requests/{n}?from&limit&dialect&whole`
 *
 * `from` counts segments from 0; without it the part begins with the first new segment. `dialect` shows the same step in
 * another one. `whole=PATH` gives only that segment, with its whole text.
 */
export interface StepPage extends CallPage {
  readonly row: StepRow
  readonly dialect: HttpDialectName
  /** In the order in which they went up. */
  readonly told: readonly ToldReminder[]
  /** What the person saw of this step: what went in, and what came back. */
  readonly view: readonly ViewMessage[]
  /** What the rules said at this step. */
  readonly ledger: readonly LedgerCell[]
  /** What the provider says of its cache at this step, if it was asked. */
  readonly diagnosis?: CacheDiagnosis
}

/** A provider's own account of its cache, beside what Sotto did at the same step. */
export interface CacheDiagnosis {
  /** What the provider says: "tools_changed, 12,400 tokens missed". */
  readonly provider: string
  /** What Sotto did: "a rebase (compaction)", "sent the same bytes". */
  readonly sotto: string
  /** What to do about it, where the two disagree. */
  readonly remedy?: string
}

/**
 * `GET /sessions/{id}/requests/{n}/tools?whole=ID` · `GET /traces/{id}/calls/{n}/tools?whole=ID`: what the model called in its
 * answer, and what came of it. Long texts are cut; `whole` gives only that call, with its whole texts.
 */
export interface ToolsAnswer {
  readonly tools: readonly ToolUse[]
}

/**
 * `GET /compare?a&b`: two requests, of one or two subjects. `a` and `b` are `s/ID/N` for a session and `t/ID/N` for a
 * trace; without `/N` it is the last one.
 */
export interface CompareAnswer extends SegmentComparison {
  readonly a: CallRow
  readonly b: CallRow
}

export interface LedgerCell {
  readonly kind: string
  readonly outcome: "spoke" | "throttled" | "over-budget" | "disabled" | "nothing" | "failed"
  readonly key?: string
  readonly tokens?: number
  readonly carrier?: string
  readonly until?: string
  readonly error?: string
  /** Why it had nothing to say. */
  readonly why?: string
  /** On kind "guard": forgeries made inert. */
  readonly neutralised?: number
  /** On kind "cache": what the provider itself says of its cache. */
  readonly diagnostics?: { readonly message: string; readonly reason?: string; readonly tokens?: number }
  /** On kind "economy": the account, as the log has it with the step. */
  readonly economy?: unknown
}

/** A rule, and how often it had each outcome over the whole session. */
export interface LedgerKind {
  readonly kind: string
  readonly on: boolean
  readonly spoke: number
  /** Of what it said. */
  readonly tokens: number
  /** How often it was throttled, over budget, or failed. */
  readonly kept: number
}

/** `GET /sessions/{id}/ledger?from&limit`: `from` and `limit` count steps. Cells with the outcome "nothing" are left out of `steps`. */
export interface LedgerPart {
  readonly kinds: readonly LedgerKind[]
  readonly steps: readonly {
    readonly n: number
    readonly turn: number
    readonly step: number
    readonly cells: readonly LedgerCell[]
  }[]
  readonly total: number
}

/** `GET /sessions/{id}/breaks` · `GET /traces/{id}/breaks` */
export interface BreakList {
  readonly breaks: readonly BreakPage[]
}

/** `GET /sessions/{id}/search?q=TEXT&limit` · `GET /traces/{id}/search?q&limit`: where a text first stands, ignoring case. */
export interface SearchAnswer {
  readonly hits: readonly {
    readonly n: number
    readonly path: string
    readonly role: string
    readonly excerpt: string
  }[]
  readonly more: boolean
}

export interface TraceSummary {
  readonly id: string
  readonly name: string
  /** `proxy`: a proxy that is running. */
  readonly kind: "recording" | "proxy"
  readonly calls: number
  readonly updatedAt: number
}

/** `GET /traces` */
export interface TraceList {
  readonly traces: readonly TraceSummary[]
}

/** `GET /traces/{id}` */
export interface TraceDetail extends TraceSummary {
  readonly report: Report
  readonly totals: CallTotals
  /** The number of the newest event. */
  readonly seq: number
  /** What a proxy that runs mends. */
  readonly mending?: MendingPolicy
}

/**
 * Server-sent events of a session are the objects of `--output jsonl`; the id of an event is its sequence number. The page
 * reads these fields and passes over types that it does not know. A session also tells `{ type: "question-answered", id }`.
 *
 * Numbers grow, but not by one. `text` and `reasoning` come whole, once the reply is in the log. While the model still
 * writes, `{ type: "partial", of: "text" | "reasoning", text }` tells what it adds: an event without a number, which is
 * never told again. The whole text takes the place of its parts.
 */
export interface SessionEvent {
  readonly type: string
  readonly id?: string
  readonly text?: string
  readonly name?: string
  readonly n?: number
  readonly [field: string]: unknown
}

/** `GET /traces/{id}/events?from=N`: a call was recorded, or the trace ended. The id of an event is `n`. */
export type TraceEvent = { readonly type: "call"; readonly n: number } | { readonly type: "end" }

/** `POST /sessions/{id}/say` */
export interface SayBody {
  readonly text: string
  readonly delivery?: MessageDelivery
  readonly id?: string
}

/** `POST /sessions/{id}/answer` */
export interface AnswerBody {
  readonly id: string
  readonly answer: string
}

/** `POST /sessions/{id}/reminders` */
export interface KindBody {
  readonly kind: string
  readonly on: boolean
}
