import type { HttpDialectName } from "../call.js"

/** What a mender may do to requests. Everything is off unless it is named. */
export interface MendingPolicy {
  /** Segments that come back with a volatile change go out as they were first sent. "results" also holds masked tool results. */
  readonly hold?: boolean | "results"
  /** Kinds of reminders that are no longer sent. */
  readonly mute?: readonly string[]
  /** Kinds of reminders that are sent at most once in the given number of steps. */
  readonly throttle?: Readonly<Record<string, number>>
  /** Reminders that follow tool results in a message of Anthropic's API go out inside the last of these results. */
  readonly smoosh?: boolean
  /** Adds cache markers where the harness placed none within reach. */
  readonly breakpoints?: boolean
}

/** One request as the harness sent it. */
export interface OriginalRequest {
  readonly dialect: HttpDialectName
  /** Without its query. Gemini names the model here. */
  readonly path: string
  /** The raw text of the body. */
  readonly body: string
  /** What the header `anthropic-beta` lists. */
  readonly betas?: readonly string[]
}

/** One thing that a mender did to a request, for people to read. */
export interface Mend {
  readonly policy: "hold" | "mute" | "throttle" | "smoosh" | "breakpoints" | "thinking"
  /** Where in the original body, for example `messages[3].content[1]`. */
  readonly path: string
  /** What happened there, in one sentence. */
  readonly message: string
  /** Beginning of the text that was not sent. */
  readonly withheld?: string
  /** Beginning of the text that was told at the tail instead. */
  readonly told?: string
}

/** What goes out instead of an original request. */
export interface MendedRequest {
  /** The raw text to send. The very text of the original if `mends` is empty. */
  readonly body: string
  readonly mends: readonly Mend[]
  /** Why the original goes out although there was something to mend, for example because the validator refused the mended body. */
  readonly fellBack?: string
  /** What the header `anthropic-beta` has to list besides, for a field of this body that is a beta. */
  readonly betas?: readonly string[]
}

/** Mends the requests of one trace, in the order in which they are sent. It never throws and owns no socket, disk or clock. */
export interface Mender {
  /** The same original twice in a row, a retry, gives the same bytes twice. */
  mend(request: OriginalRequest): MendedRequest
  /**
   * Says that the provider refused what went out for this original (400 or 422), so that the same body, sent again, goes out
   * as the harness wrote it. The thread is mended no more.
   */
  refused?(request: OriginalRequest): void
  /** What must survive a restart, as text for a file. It contains parts of the conversation. */
  save(): string
}
