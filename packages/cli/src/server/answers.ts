/**
 * Names the type of every answer and of every event of the server. `npm run docs` makes `answer-schemas.ts` from the types
 * that this module exports, and with it the description in /openapi.json and the client. A comment here or at a field
 * becomes the description there.
 */
import type { Aside, Entry } from "@sotto/core"
import type { HarnessEvent, NumberedEvent, RestoreReport } from "@sotto/harness"
import type {
  CallPage,
  CallRow,
  QueuedMessage,
  RowsPart,
  SessionListItem,
  StepPage,
  StepRow,
} from "@sotto/inspector"

export type {
  BreakList,
  CompareAnswer,
  ErrorAnswer,
  LedgerPart,
  SearchAnswer,
  SessionDetail,
  SessionList,
  SessionListItem,
  ToolsAnswer,
  TraceDetail,
  TraceEvent,
  TraceList,
} from "@sotto/inspector"

export interface HealthAnswer {
  readonly status: "ok"
  readonly version: string
}

/** Sessions that this server has open, and those of them that have something to do. */
export interface SessionCounts {
  readonly open: number
  readonly atWork: number
}

export interface LiveAnswer {
  readonly status: "live"
}

export interface ReadyAnswer {
  readonly status: "ready"
  readonly sessions: SessionCounts
}

export interface DrainAnswer {
  readonly status: "draining"
  readonly sessions: SessionCounts
}

/** What has become of a message. */
export interface MessageReceipt {
  readonly id: string
  /** Absent while the process that holds the session has yet to take it. */
  readonly seq?: number
  readonly state: "queued" | "delivered" | "cancelled"
  readonly step?: number
}

export interface DoneAnswer {
  /** False with status 202: it waits for the process that holds the session. */
  readonly done: boolean
}

export interface RewindAnswer extends DoneAnswer, Partial<RestoreReport> {}

/** What is still queued. */
export interface QueueAnswer {
  readonly queue: readonly QueuedMessage[]
}

export interface LogPart {
  readonly entries: readonly Entry[]
  readonly total: number
}

export interface AsidesAnswer {
  readonly asides: readonly Aside[]
}

/** Requests of a session, a row each. */
export interface StepRows extends RowsPart<StepRow> {}

/** Calls of a trace, a row each. */
export interface CallRows extends RowsPart<CallRow> {}

export interface StepRequest extends StepPage {
  /** The request as it was sent. */
  readonly body?: unknown
}

export interface CallRequest extends CallPage {
  /** The request as it was sent. */
  readonly body?: unknown
}

export interface LinkAnswer {
  /** Lets one browser in, once. */
  readonly once: string
  readonly path: string
}

/** Says that a page has its cookie. */
export type LetIn = Readonly<Record<string, never>>

/** A body in a provider's own format, or a description in OpenAPI's. */
export interface FreeObject {
  readonly [field: string]: unknown
}

/** Says what the session does: at the beginning of a stream, and when it has changed. */
export interface StateEvent extends Pick<SessionListItem, "state" | "holder" | "steps" | "tokens" | "cost"> {
  readonly type: "state"
  /** How many wait for an answer. GET /sessions/{id} has them. */
  readonly questions: number
}

/** What the model adds to its words while it writes. The whole text follows with its reply. */
export interface PartialEvent {
  readonly type: "partial"
  readonly of: Extract<HarnessEvent, { type: "text" | "reasoning" }>["type"]
  readonly text: string
}

/**
 * An event of a session: an object of `--output jsonl`, or one of `question-answered`, `partial` and `state`. Its number is
 * the id of the server-sent event; one without an id is of this moment only.
 */
export type SessionStreamEvent = NumberedEvent["event"] | PartialEvent | StateEvent

/** What is posted to a webhook. */
export interface WebhookMessage {
  /** Of the event: the same whenever it is sent again. */
  readonly id: string
  readonly type: "turn-end" | "question" | "error"
  /** When it happened, as ISO 8601. */
  readonly timestamp: string
  readonly session: string
  /** The event as the stream of events has it. */
  readonly data: Extract<HarnessEvent, { type: "turn-end" | "ask" | "error" }>
}
