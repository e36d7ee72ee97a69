import type {
  BreakList,
  CompareAnswer,
  HttpDialectName,
  LedgerPart,
  RowsPart,
  SearchAnswer,
  SessionDetail,
  SessionEvent,
  SessionList,
  SessionState,
  ToolsAnswer,
  TraceDetail,
  TraceEvent,
  TraceList,
} from "../../contract.js"
import type { Subject } from "../../embedded.js"
import type { AnyPage, AnyRow } from "./shapes.js"

export interface PageQuery {
  readonly from?: number
  readonly limit?: number
  readonly dialect?: HttpDialectName
  readonly whole?: string
}

interface ListQuery {
  readonly before?: string
  readonly q?: string
  readonly state?: SessionState
}

/** Whether events come. */
export type FeedLink = "open" | "lost" | "ended"

export interface FeedListener {
  event(event: SessionEvent | TraceEvent, seq: number): void
  link(link: FeedLink): void
}

/** Where the page's data comes from: the server, or the file that the page itself is. */
export interface DataReader {
  /** True if something can change while the page is open, and the page may act. */
  readonly isLive: boolean
  sessions(query?: ListQuery): Promise<SessionList>
  traces(): Promise<TraceList>
  session(id: string): Promise<SessionDetail>
  trace(id: string): Promise<TraceDetail>
  rows(subject: Subject, from: number, limit: number): Promise<RowsPart<AnyRow>>
  page(subject: Subject, n: number, query?: PageQuery): Promise<AnyPage>
  /** What the model called in its answer; `whole` names the one call to give uncut. */
  tools(subject: Subject, n: number, whole?: string): Promise<ToolsAnswer>
  /** Compares two requests: `s/ID/N` or `t/ID/N`. */
  compare(a: string, b: string): Promise<CompareAnswer>
  breaks(subject: Subject): Promise<BreakList>
  ledger(id: string, from: number, limit: number): Promise<LedgerPart>
  search(subject: Subject, q: string): Promise<SearchAnswer>
  /** The body of a request as it was sent. */
  raw(subject: Subject, n: number): Promise<string>
  /** Sends a command of the user. */
  send(method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<unknown>
  /** Events after a number, through lost connections. Returns how to stop. */
  listen(subject: Subject, from: number, listener: FeedListener): () => void
}

/** An answer other than a success, in words for people. */
export class ServerRefusal extends Error {
  override readonly name = "Refusal"
  constructor(
    message: string,
    readonly status: number,
    readonly remedy?: string,
  ) {
    super(message)
  }
}
