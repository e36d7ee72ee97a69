import type { HttpDialectName } from "../call.js"
import type { Break, Severity } from "../report.js"
import type { Section, SegmentKind } from "../segments/segment.js"

/** What a part of a request is, for people: the parts of a chart. */
export type ContextKind =
  | "tools"
  | "system"
  | "user"
  | "assistant"
  | "reasoning"
  | "calls"
  | "results"
  | "reminders"
  | "media"

/** All kinds of context, in the order in which a page shows them. */
export const CONTEXT_KINDS: readonly ContextKind[] = [
  "tools",
  "system",
  "user",
  "assistant",
  "reasoning",
  "calls",
  "results",
  "reminders",
  "media",
]

/** What one request sent, and what the provider's cache did with it, in tokens. */
export interface CallTokens {
  readonly sent: number
  readonly read: number
  readonly written: number
  readonly missed: number
  /** Absent where no response says it. */
  readonly output?: number
  /** True if the provider reported them; otherwise the cache model predicts them. */
  readonly reported: boolean
}

/** A tool that the model called in its answer to a request. */
export interface CalledTool {
  readonly id: string
  readonly name: string
  /** Beginning of its input, as text. */
  readonly about: string
  /** When its result came, in milliseconds since 1970, where that is known. */
  readonly endedAt?: number
  readonly error?: boolean
}

/** One call in a list: what a timeline and a chart need of it. */
export interface CallRow {
  /** Its place in the trace or session, counted from 1. */
  readonly n: number
  /** The thread that it belongs to, and its place there, counted from 1. */
  readonly thread: string
  readonly call: number
  /** When it was sent, in milliseconds since 1970, and how long the answer took. */
  readonly at?: number
  readonly ms?: number
  readonly dialect: HttpDialectName
  readonly model: string
  readonly tokens: CallTokens
  /** US dollars, where the price is known. */
  readonly money?: number
  /** The model whose price was taken, because that of the call's model is not known. */
  readonly assumed?: string
  /** Estimated tokens of the request by what they are. Kinds without tokens are left out. */
  readonly kinds: Readonly<Partial<Record<ContextKind, number>>>
  /** Reminders that stand in this request and not in the one before. */
  readonly reminders: readonly { readonly kind: string; readonly tokens: number }[]
  /** Tools that the model called in its answer, where the answer is known. */
  readonly tools: readonly CalledTool[]
  /** Beginning of the text that the model answered. */
  readonly said?: string
  /** Beginning of what the user said that is new in this request. */
  readonly asked?: string
  readonly break?: Pick<Break, "cause" | "lostTokens">
  /** How many things the proxy changed in it. */
  readonly mends?: number
  /** The HTTP status of a refusal, or why no answer came. */
  readonly failed?: string
}

/** A reminder inside a segment. */
export interface MarkedReminder {
  readonly kind: string
  readonly text: string
  readonly tokens: number
  /** Where it stands in the segment's text, in UTF-16 units. Absent if the text was cut before it. */
  readonly start?: number
  readonly end?: number
}

/** One segment of a request as a page shows it. */
export interface PageSegment {
  /** Where it stands in the body: "messages.3.content.0". */
  readonly path: string
  readonly section: Section
  readonly role: string
  readonly kind: SegmentKind
  /** The name of the tool that is defined, called, or answers; the id of a call whose tool is not known. */
  readonly name?: string
  /** What a person reads: the words of a text, the JSON of everything else. Secrets that a pattern recognises are redacted. */
  readonly text: string
  /** True if `text` is only the beginning: `?whole=PATH` gives all of it. */
  readonly cut?: boolean
  readonly tokens: number
  /** UTF-8 bytes of its JSON. */
  readonly bytes: number
  /** True if the request before it in its thread did not have it. What it had, behind the first change, is processed again all the same. */
  readonly isNew: boolean
  /** True if it carries a cache marker. */
  readonly marked?: boolean
  readonly reminders: readonly MarkedReminder[]
}

/** What a request has in common with the one before it in its thread, from the first segment on. */
export interface Unchanged {
  /** The place (`n`) of the request before it. */
  readonly since: number
  /** How many segments from the start are the same, of how many the request before it had. */
  readonly segments: number
  readonly of: number
  readonly tokens: number
  readonly bytes: number
  /** Digest of these segments in the request before it and in this one. Equal digests: nothing in them changed. */
  readonly before: string
  readonly now: string
}

/** A break with everything that is known of it. */
export interface BreakPage extends Break {
  /** The place of the call in the trace or session. */
  readonly n: number
  readonly thread: string
  readonly severity: Severity
  readonly remedy: string
  /** US dollars, where the price is known. */
  readonly money?: number
  /** The model whose price was taken, because that of the call's model is not known. */
  readonly assumed?: string
}

/** One thing that the proxy changed in a request. */
export interface Mended {
  /** Where in the body. */
  readonly path: string
  /** What happened there, in one sentence. */
  readonly message: string
  /** The policy that did it, where the recording says so. */
  readonly policy?: string
  /** What the harness sent and the provider did not get. */
  readonly withheld?: string
  /** What the provider got instead. */
  readonly told?: string
}

/** One request, laid out for reading. */
export interface CallPage {
  readonly row: CallRow
  /** Segments in the order in which the provider's cache reads them, from `from` on. */
  readonly segments: readonly PageSegment[]
  readonly from: number
  /** How many there are in all. */
  readonly total: number
  /** Bytes of the request on the wire. Absent for session files. */
  readonly bytes?: number
  /** Absent for the first call of a thread. */
  readonly unchanged?: Unchanged
  /** With the whole text of the segment before and after, up to a limit, instead of excerpts. */
  readonly break?: BreakPage
  /** What the model answered. */
  readonly reply: readonly {
    readonly kind: "text" | "reasoning" | "call"
    readonly name?: string
    readonly text: string
  }[]
  /** What the proxy changed in it: what was withheld and what was told instead. */
  readonly mends: readonly Mended[]
  /** The places of the calls before and after it in its thread. */
  readonly previous?: number
  readonly next?: number
}

/** A text, or its beginning. */
export interface CutText {
  readonly text: string
  /** True if `text` is only the beginning. */
  readonly cut?: boolean
}

/** What the arguments of a tool call do to a file. */
export interface ShownChange {
  readonly path: string
  /** Absent where the whole file is written and the call does not say what was there. */
  readonly before?: string
  readonly after: string
  /** True if one side is only the beginning. */
  readonly cut?: boolean
}

/** A tool call of a reply with its arguments, its result and the files that it changes. */
export interface ToolUse {
  readonly id: string
  readonly name: string
  /** JSON. */
  readonly input: CutText
  readonly changes: readonly ShownChange[]
  /** Absent while the tool works, and where no later request brings its result. */
  readonly result?: CutText & { readonly error?: boolean; readonly at?: number }
}

/** What all calls of a trace come to. */
export interface CallTotals {
  /** `output` is absent where no response says it. */
  readonly tokens: { readonly sent: number; readonly read: number; readonly output?: number }
  /** US dollars; absent where no price is known. */
  readonly cost?: number
  /** Models whose own price is not known, each with the model whose price was taken for it; absent without one. */
  readonly assumed?: Readonly<Record<string, string>>
  /** Without compactions, which are meant. */
  readonly breaks: number
  /** When the first call was sent, and when the last answer had come, in milliseconds since 1970. */
  readonly startedAt?: number
  readonly endedAt?: number
}

/** A segment that only one of two requests has, or that has other words in the second. */
export interface SegmentChange {
  readonly a?: PageSegment
  readonly b?: PageSegment
}

/** What differs between two requests. */
export interface SegmentComparison {
  /** The common start: how many segments, and their tokens. */
  readonly same: { readonly segments: number; readonly tokens: number }
  /** How many segments each has. */
  readonly segments: { readonly a: number; readonly b: number }
  /** Tokens of the segments that only this one has, those with other words included. */
  readonly onlyTokens: { readonly a: number; readonly b: number }
  readonly changes: readonly SegmentChange[]
  /** How many more changes there are. */
  readonly left: number
}
