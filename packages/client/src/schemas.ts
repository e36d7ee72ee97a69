// Written by `npm run docs` from the description of the server; a test says when it is not current.

type AbortedEntry = {
  readonly type: "aborted"
  readonly reason?: string
  readonly interrupts?: Interruption
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

/** What a session and everything that it started has cost so far. */
type AccountFigures = {
  /** Requests that were paid for. */
  readonly requests: number
  /** In dollars; absent if the price of a request is not known. */
  readonly cost?: number
  /** In dollars, of the requests whose price is known; there if the price of another is not. */
  readonly costAtLeast?: number
  /** Requests whose price is not known; absent without one. */
  readonly unpriced?: number
  /** Requests of which the provider did not say what they used; absent without one. */
  readonly uncounted?: number
  /** Models whose own price is not known, each with the model whose price was taken for it; absent without one. */
  readonly assumed?: { readonly [field: string]: string }
  /** Read anew, at the full price. */
  readonly input: number
  /** Written by the model. */
  readonly output: number
  /** Read from the prompt cache. */
  readonly cacheRead: number
  /** Written to the prompt cache. */
  readonly cacheWrite: number
}

type AgentEntry = {
  readonly type: "agent"
  readonly name: string
  readonly own?: ModelChoice
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

type AgentEvent = {
  readonly type: "agent"
  readonly name: string
}

/** A reminder as it was told, for people who want to look. */
type Aside = {
  /** The turn in which it was told, counted from 1. */
  readonly turn: number
  /** The step of the turn at which it was told. */
  readonly step: number
  /** What it is about. */
  readonly kind: string
  /** What in particular it is about, such as a path. */
  readonly key: string
  /** Whose words it carries. */
  readonly trust: Trust
  /** What the model was told. */
  readonly text: string
  /** How it travelled. */
  readonly carrier: Carrier
  /** What it cost. */
  readonly tokens: number
}

type AsidesAnswer = {
  readonly asides: readonly Aside[]
}

type AskEvent =
  | {
      readonly type: "ask"
      readonly id: string
      readonly kind: "permission"
      /** The pattern that would allow exactly this for good. Absent where no pattern can say it. */
      readonly always?: string
      /** The subagent that asks, or the member of a team; absent where it is the agent that the user talks to. */
      readonly agent?: string
      /** The call that waits for it. */
      readonly call: string
      readonly tool: string
      readonly permission: string
      readonly target: string
      readonly detail?: string
      /** Everything the call would touch, each command of a command line by itself, and what of it needs the answer. */
      readonly accesses?: readonly {
        readonly permission: string
        readonly target: string
        readonly needs: boolean
      }[]
    }
  | {
      readonly type: "ask"
      readonly id: string
      readonly kind: "question"
      readonly agent?: string
      readonly question: string
      readonly options?: readonly string[]
    }
  | {
      readonly type: "ask"
      readonly id: string
      readonly kind: "plan"
      readonly agent?: string
      readonly path: string
      readonly plan: string
    }

/** What a model can contribute. */
type AssistantPart = AssistantTextPart | ReasoningPart | ToolCallPart

/** Text of a reply. */
type AssistantTextPart = {
  readonly verbatim?: Verbatim
  readonly type: "text"
  /** The text. */
  readonly text: string
  /** The model sees it, the user does not. */
  readonly synthetic?: boolean
  /** The user sees it, the model does not. */
  readonly ignored?: boolean
}

/** What a message brought along because the user mentioned it, such as `@notes.md`: the model was given it. */
type AttachedEvent = {
  readonly type: "attached"
  /** The id of the message that mentions it. */
  readonly message: string
  /** A path, `server:uri`, or the name of an agent. */
  readonly name: string
  /** How much of it: "lines 3 to 9", "an image", "12 entries". */
  readonly what: string
}

type BilledEntry = {
  readonly type: "billed"
  /** What it was for: as in `SideQuestion`, or "retry" for an attempt that was charged and brought no reply. */
  readonly purpose: string
  /** The model that was asked. */
  readonly model: string
  /** What it cost, as the provider counted. Absent if the provider did not say. */
  readonly usage?: Usage
  /** Which way was taken, where there are two. */
  readonly way?: SideWay
  /** What the two ways would have cost, where they were compared. */
  readonly prices?: SidePrices
  /** Seconds that the provider was asked to keep its cache, where that is longer than it does by itself. */
  readonly cacheLifetime?: number
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

/** The first segment of a call that differs from what its thread had already sent. */
type Break = {
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

/** `GET /sessions/{id}/breaks` · `GET /traces/{id}/breaks` */
type BreakList = {
  readonly breaks: readonly BreakPage[]
}

/** A break with everything that is known of it. */
type BreakPage = {
  /** The place of the call in the trace or session. */
  readonly n: number
  readonly thread: string
  readonly severity: Severity
  readonly remedy: string
  /** US dollars, where the price is known. */
  readonly money?: number
  /** The model whose price was taken, because that of the call's model is not known. */
  readonly assumed?: string
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

/** A provider's own account of its cache, beside what Sotto did at the same step. */
type CacheDiagnosis = {
  /** What the provider says: "tools_changed, 12,400 tokens missed". */
  readonly provider: string
  /** What Sotto did: "a rebase (compaction)", "sent the same bytes". */
  readonly sotto: string
  /** What to do about it, where the two disagree. */
  readonly remedy?: string
}

/** A provider's own cache diagnostics: what of the request differs from the one that led to the reply named in it. Without a reason nothing does. Two reasons are Sotto's words: "pending" means that the comparison was not finished in time, "unanswered" that the reply says nothing of it. */
type CacheDiagnostics = {
  /** The provider's id of this reply, for the next request to name. */
  readonly message: string
  /** The provider's word: "system_changed", "comparison_response_not_found". */
  readonly reason?: string
  /** Input tokens that the cache would have had otherwise. */
  readonly tokens?: number
}

type CallEvent = {
  readonly type: "call"
  readonly n: number
}

type CallRequest = {
  /** The request as it was sent. */
  readonly body?: { readonly [field: string]: unknown }
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
    readonly kind: "reasoning" | "text" | "call"
    readonly name?: string
    readonly text: string
  }[]
  /** What the proxy changed in it: what was withheld and what was told instead. */
  readonly mends: readonly Mended[]
  /** The places of the calls before and after it in its thread. */
  readonly previous?: number
  readonly next?: number
}

/** One call in a list: what a timeline and a chart need of it. */
type CallRow = {
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
  readonly kinds: {
    readonly tools?: number
    readonly system?: number
    readonly user?: number
    readonly assistant?: number
    readonly reasoning?: number
    readonly calls?: number
    readonly results?: number
    readonly reminders?: number
    readonly media?: number
  }
  /** Reminders that stand in this request and not in the one before. */
  readonly reminders: readonly {
    readonly kind: string
    readonly tokens: number
  }[]
  /** Tools that the model called in its answer, where the answer is known. */
  readonly tools: readonly CalledTool[]
  /** Beginning of the text that the model answered. */
  readonly said?: string
  /** Beginning of what the user said that is new in this request. */
  readonly asked?: string
  readonly break?: {
    readonly cause: Cause
    /** Tokens that had been sent before and had to be processed again as new. */
    readonly lostTokens: number
  }
  /** How many things the proxy changed in it. */
  readonly mends?: number
  /** The HTTP status of a refusal, or why no answer came. */
  readonly failed?: string
}

/** Calls of a trace, a row each. */
type CallRows = {
  readonly rows: readonly CallRow[]
  readonly total: number
  /** True while the server still reads a long session: `total` grows. */
  readonly more?: boolean
}

/** What one request sent, and what the provider's cache did with it, in tokens. */
type CallTokens = {
  readonly sent: number
  readonly read: number
  readonly written: number
  readonly missed: number
  /** Absent where no response says it. */
  readonly output?: number
  /** True if the provider reported them; otherwise the cache model predicts them. */
  readonly reported: boolean
}

/** What all calls of a trace come to. */
type CallTotals = {
  /** `output` is absent where no response says it. */
  readonly tokens: {
    readonly sent: number
    readonly read: number
    readonly output?: number
  }
  /** US dollars; absent where no price is known. */
  readonly cost?: number
  /** Models whose own price is not known, each with the model whose price was taken for it; absent without one. */
  readonly assumed?: { readonly [field: string]: string }
  /** Without compactions, which are meant. */
  readonly breaks: number
  /** When the first call was sent, and when the last answer had come, in milliseconds since 1970. */
  readonly startedAt?: number
  readonly endedAt?: number
}

/** A tool that the model called in its answer to a request. */
type CalledTool = {
  readonly id: string
  readonly name: string
  /** Beginning of its input, as text. */
  readonly about: string
  /** When its result came, in milliseconds since 1970, where that is known. */
  readonly endedAt?: number
  readonly error?: boolean
}

type CancelledEntry = {
  readonly type: "cancelled"
  readonly id: string
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

type CancelledEvent = {
  readonly type: "cancelled"
  readonly id: string
}

/** What a model and its API accept, as far as it decides what is sent. Pinned per epoch. */
type Capabilities = {
  /** `role: "system"` (or "developer") inside the conversation. */
  readonly systemMessages: boolean
  /** Reminders inside the last tool result, where text after one would be mistaken for a new turn. */
  readonly toolResultReminders: boolean
  /** A trailing assistant message that the model continues. */
  readonly prefill: boolean
  /** Takes images. */
  readonly images: boolean
  /** Takes PDF documents. */
  readonly documents: boolean
  /** Chat content as a list of parts; some servers take only strings. */
  readonly contentParts: boolean
  /** Tools can be added and removed inside the conversation. */
  readonly toolChanges: boolean
  /** Reasoning is refused once anything before it has changed. */
  readonly tiedReasoning: boolean
  /** Tokens. */
  readonly contextWindow: number
  /** OpenAI's explicit cache breakpoints. */
  readonly cacheBreakpoints?: boolean
  /** Further carriers that the dialect takes. A reminder takes one only if its rule or its settings ask for it. */
  readonly carriers?: readonly Carrier[]
}

/** How a reminder travels on the wire: as a message with system authority, inside the last tool result, as text of the user message, as the beginning of the reply, or in a way that a dialect of your own declares in `CustomCarriers`. */
type Carrier = "system-message" | "tool-result" | "user-text" | "assistant-text"

type CarrierEntry = {
  readonly type: "carrier"
  readonly refused: Carrier
  readonly dropped?: readonly Dropped[]
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

/** Why a call does not extend the one before it in its thread. */
type Cause =
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

type CompactedEntry = {
  readonly type: "compacted"
  readonly summary: string
  /** The first exchange of the epoch that stays as it is; all before it is summarised. */
  readonly from?: number
  /** The open tool turn is closed for it, and goes on after it. */
  readonly closes?: true
  /** Who wanted it: the user, the price of going on without it, or the end of the window. */
  readonly why?: CompactionCause
  /** Estimates of what is sent without it and with it. Absent if nothing was sent yet, and in logs of an older Sotto. */
  readonly tokens?: CompactionSize
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

/** A compaction is done: from the next request on a summary stands for the conversation so far. */
type CompactedEvent = {
  readonly type: "compacted"
  /** Who wanted it. Absent where a program gave the summary and did not say. */
  readonly why?: CompactionCause
  readonly summary: string
  /** What the summary cost, in dollars. Absent if a price is not known, and where it is told from the log alone. */
  readonly cost?: number
  /** Tokens of a request without the compaction. */
  readonly before?: number
  /** Tokens of a request with it. */
  readonly after?: number
}

/** Why a conversation was compacted. */
type CompactionCause = "asked" | "price" | "window"

/** What a compaction does to the size of a request, in tokens. */
type CompactionSize = {
  /** Tokens of a request without the compaction. */
  readonly before: number
  /** Tokens of a request with it. */
  readonly after: number
}

/** `GET /compare?a&b`: two requests, of one or two subjects. `a` and `b` are `s/ID/N` for a session and `t/ID/N` for a trace; without `/N` it is the last one. */
type CompareAnswer = {
  readonly a: CallRow
  readonly b: CallRow
  /** The common start: how many segments, and their tokens. */
  readonly same: {
    readonly segments: number
    readonly tokens: number
  }
  /** How many segments each has. */
  readonly segments: {
    readonly a: number
    readonly b: number
  }
  /** Tokens of the segments that only this one has, those with other words included. */
  readonly onlyTokens: {
    readonly a: number
    readonly b: number
  }
  readonly changes: readonly SegmentChange[]
  /** How many more changes there are. */
  readonly left: number
}

/** What a user, a tool or a file can contribute. */
type ContentPart = TextPart | ImagePart | FilePart

/** A text, or its beginning. */
type CutText = {
  readonly text: string
  /** True if `text` is only the beginning. */
  readonly cut?: boolean
}

type DeliveredEvent = {
  readonly type: "delivered"
  readonly id: string
  readonly step: number
}

/** When a message reaches the model: steer, follow up, interrupt, or join if the agent goes on anyway. */
type Delivery = "next-step" | "after-turn" | "now" | "passive"

/** How a message was delivered: its frame, and its content where that had to be cut. */
type DeliveryRecord = {
  readonly id: string
  readonly frame?: Frame
  readonly content?: readonly ContentPart[]
}

/** The dialects that come with the engine. One of your own has a name of its own. */
type DialectName =
  | ("anthropic" | "openai" | "openai-chat" | "gemini" | "ai-sdk")
  | {
      /** Returns a string representation of a string. */
      readonly toString: { readonly [field: string]: unknown }
      /** Returns the character at the specified index. */
      readonly charAt: { readonly [field: string]: unknown }
      /** Returns the Unicode value of the character at the specified location. */
      readonly charCodeAt: { readonly [field: string]: unknown }
      /** Returns a string that contains the concatenation of two or more strings. */
      readonly concat: { readonly [field: string]: unknown }
      /** Returns the position of the first occurrence of a substring, or -1 if it is not present. */
      readonly indexOf: { readonly [field: string]: unknown }
      /** Returns the last occurrence of a substring in the string, or -1 if it is not present. */
      readonly lastIndexOf: { readonly [field: string]: unknown }
      /** Determines whether two strings are equivalent in the current locale. Determines whether two strings are equivalent in the current or specified locale. */
      readonly localeCompare: { readonly [field: string]: unknown }
      /** Matches a string with a regular expression, and returns an array containing the results of that search. Matches a string or an object that supports being matched against, and returns an array containing the results of that search, or null if no matches are found. */
      readonly match: { readonly [field: string]: unknown }
      /** Replaces text in a string, using a regular expression or search string. Passes a string and {@linkcode replaceValue} to the `[Symbol.replace]` method on {@linkcode searchValue}. This method is expected to implement its own replacement algorithm. Replaces text in a string, using an object that supports replacement within a string. */
      readonly replace: { readonly [field: string]: unknown }
      /** Finds the first substring match in a regular expression search. */
      readonly search: { readonly [field: string]: unknown }
      /** Returns a section of a string. */
      readonly slice: { readonly [field: string]: unknown }
      /** Split a string into substrings using the specified separator and return them as an array. */
      readonly split: { readonly [field: string]: unknown }
      /** Returns the substring at the specified location within a String object. */
      readonly substring: { readonly [field: string]: unknown }
      /** Converts all the alphabetic characters in a string to lowercase. */
      readonly toLowerCase: { readonly [field: string]: unknown }
      /** Converts all alphabetic characters to lowercase, taking into account the host environment's current locale. */
      readonly toLocaleLowerCase: { readonly [field: string]: unknown }
      /** Converts all the alphabetic characters in a string to uppercase. */
      readonly toUpperCase: { readonly [field: string]: unknown }
      /** Returns a string where all alphabetic characters have been converted to uppercase, taking into account the host environment's current locale. */
      readonly toLocaleUpperCase: { readonly [field: string]: unknown }
      /** Removes the leading and trailing white space and line terminator characters from a string. */
      readonly trim: { readonly [field: string]: unknown }
      /** Returns the length of a String object. */
      readonly length: number
      /** Gets a substring beginning at the specified location and having the specified length. */
      readonly substr: { readonly [field: string]: unknown }
      /** Returns the primitive value of the specified object. */
      readonly valueOf: { readonly [field: string]: unknown }
      /** Returns a nonnegative integer Number less than 1114112 (0x110000) that is the code point value of the UTF-16 encoded code point starting at the string element at position pos in the String resulting from converting this object to a String. If there is no element at that position, the result is undefined. If a valid UTF-16 surrogate pair does not begin at pos, the result is the code unit at pos. */
      readonly codePointAt: { readonly [field: string]: unknown }
      /** Returns true if searchString appears as a substring of the result of converting this object to a String, at one or more positions that are greater than or equal to position; otherwise, returns false. */
      readonly includes: { readonly [field: string]: unknown }
      /** Returns true if the sequence of elements of searchString converted to a String is the same as the corresponding elements of this object (converted to a String) starting at endPosition – length(this). Otherwise returns false. */
      readonly endsWith: { readonly [field: string]: unknown }
      /** Returns the String value result of normalizing the string into the normalization form named by form as specified in Unicode Standard Annex #15, Unicode Normalization Forms. */
      readonly normalize: { readonly [field: string]: unknown }
      /** Returns a String value that is made from count copies appended together. If count is 0, the empty string is returned. */
      readonly repeat: { readonly [field: string]: unknown }
      /** Returns true if the sequence of elements of searchString converted to a String is the same as the corresponding elements of this object (converted to a String) starting at position. Otherwise returns false. */
      readonly startsWith: { readonly [field: string]: unknown }
      /** Returns an `<a>` HTML anchor element and sets the name attribute to the text value */
      readonly anchor: { readonly [field: string]: unknown }
      /** Returns a `<big>` HTML element */
      readonly big: { readonly [field: string]: unknown }
      /** Returns a `<blink>` HTML element */
      readonly blink: { readonly [field: string]: unknown }
      /** Returns a `<b>` HTML element */
      readonly bold: { readonly [field: string]: unknown }
      /** Returns a `<tt>` HTML element */
      readonly fixed: { readonly [field: string]: unknown }
      /** Returns a `<font>` HTML element and sets the color attribute value */
      readonly fontcolor: { readonly [field: string]: unknown }
      /** Returns a `<font>` HTML element and sets the size attribute value */
      readonly fontsize: { readonly [field: string]: unknown }
      /** Returns an `<i>` HTML element */
      readonly italics: { readonly [field: string]: unknown }
      /** Returns an `<a>` HTML element and sets the href attribute value */
      readonly link: { readonly [field: string]: unknown }
      /** Returns a `<small>` HTML element */
      readonly small: { readonly [field: string]: unknown }
      /** Returns a `<strike>` HTML element */
      readonly strike: { readonly [field: string]: unknown }
      /** Returns a `<sub>` HTML element */
      readonly sub: { readonly [field: string]: unknown }
      /** Returns a `<sup>` HTML element */
      readonly sup: { readonly [field: string]: unknown }
      /** Pads the current string with a given string (possibly repeated) so that the resulting string reaches a given length. The padding is applied from the start (left) of the current string. */
      readonly padStart: { readonly [field: string]: unknown }
      /** Pads the current string with a given string (possibly repeated) so that the resulting string reaches a given length. The padding is applied from the end (right) of the current string. */
      readonly padEnd: { readonly [field: string]: unknown }
      /** Removes the trailing white space and line terminator characters from a string. */
      readonly trimEnd: { readonly [field: string]: unknown }
      /** Removes the leading white space and line terminator characters from a string. */
      readonly trimStart: { readonly [field: string]: unknown }
      /** Removes the leading white space and line terminator characters from a string. */
      readonly trimLeft: { readonly [field: string]: unknown }
      /** Removes the trailing white space and line terminator characters from a string. */
      readonly trimRight: { readonly [field: string]: unknown }
      /** Matches a string with a regular expression, and returns an iterable of matches containing the results of that search. */
      readonly matchAll: { readonly [field: string]: unknown }
      /** Replace all instances of a substring in a string, using a regular expression or search string. */
      readonly replaceAll: { readonly [field: string]: unknown }
      /** Returns a new String consisting of the single UTF-16 code unit located at the specified index. */
      readonly at: { readonly [field: string]: unknown }
      /** Iterator */
      readonly "__@iterator@404": { readonly [field: string]: unknown }
    }

type DoneAnswer = {
  /** False with status 202: it waits for the process that holds the session. */
  readonly done: boolean
}

type DrainAnswer = {
  readonly status: "draining"
  readonly sessions: SessionCounts
}

/** A result that a rebase drops, and what stands for it from then on. */
type Dropped = {
  /** The id of the result. */
  readonly id: string
  /** What the model reads in its place. */
  readonly text: string
}

/** What the session has paid and would pay, in input-token equivalents. It is logged with every step, and the next step goes by what was logged: so a restored session decides as one that never stopped. */
type EconomyAccount = {
  /** Tokens of results that count as stale at this step. */
  readonly stale: number
  /** What re-reading stale results has cost since the last rebase, this step included. */
  readonly paid: number
  /** What a rebase that drops them would cost now; 0 if the cache is gone anyway. */
  readonly price: number
  /** What re-reading the conversation that a summary would replace has cost since the last one, and what one costs now. */
  readonly summary: {
    readonly paid: number
    readonly price: number
  }
  /** Seconds that the provider keeps the cache after its last use. */
  readonly lifetime: number
  /** The provider is asked to keep it for longer than it does by itself. */
  readonly extended?: true
  /** By how much the other lifetime would have been cheaper so far, where the provider offers two. */
  readonly regret: number
  /** The rates of the epoch. */
  readonly rates: EconomyRates
  /** Tokens of all that this step sends. */
  readonly tokens: number
  /** Why stale results are dropped at this step: the account has reached the price, or the cache is gone because of this. */
  readonly because?:
    | "system"
    | "agent"
    | "model"
    | "carrier"
    | "format"
    | "start"
    | "compaction"
    | "snip"
    | "rewind"
    | "trust"
    | "economy"
    | "break-even"
    | "pause"
}

/** Prices as multiples of what an input token costs. */
type EconomyRates = {
  /** A token that the cache has. */
  readonly read: number
  /** A token that is written to the cache for its shorter lifetime. */
  readonly write: number
  /** A token that is written to the cache for an hour. */
  readonly writeHour: number
  /** A token that the model writes. */
  readonly output: number
}

type EditedEntry = {
  readonly type: "edited"
  readonly id: string
  readonly content?: readonly ContentPart[]
  readonly delivery?: Delivery
  readonly interrupts?: Interruption
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

type EndEvent = {
  readonly type: "end"
}

type EndedEntry = {
  readonly type: "ended"
  readonly reason?: string
  readonly interrupts?: Interruption
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

/** One entry of the log: what a command did, with its sequence number. Plain JSON. Store it as it is, and give all of them to `restoreSession`. */
type Entry =
  | OpenedEntry
  | SaidEntry
  | EditedEntry
  | CancelledEntry
  | NotedEntry
  | ObservedEntry
  | AgentEntry
  | ModelEntry
  | StepEntry
  | RepliedEntry
  | ResultEntry
  | AbortedEntry
  | EndedEntry
  | RecoveredEntry
  | CompactedEntry
  | BilledEntry
  | SnippedEntry
  | CarrierEntry
  | FormatEntry
  | ImportedEntry
  | ToolsEntry
  | KindEntry
  | RewoundEntry
  | RedoneEntry

/** Every answer other than a success. */
type ErrorAnswer = {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly remedy?: string
  }
}

type ErrorEvent = {
  readonly type: "error"
  readonly message: string
}

/** A keyed value that holds until it changes. What cannot be read now is not the same as what is gone. */
type Fact =
  | {
      readonly is: "known"
      readonly value: Json
    }
  | {
      readonly is: "unavailable"
      readonly last?: boolean | string | number | readonly Json[] | { readonly [field: string]: Json }
    }
  | {
      readonly is: "removed"
    }

/** A document, such as a PDF. */
type FilePart = {
  readonly type: "file"
  /** As MIME has it: "image/png". */
  readonly mediaType: string
  /** Base64, without a `data:` prefix. */
  readonly data: string
  /** What the file is called. */
  readonly name?: string
  /** The model sees it, the user does not. */
  readonly synthetic?: boolean
  /** The user sees it, the model does not. */
  readonly ignored?: boolean
}

/** Something worth a person's attention. */
type Finding = {
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

type FormatEntry = {
  readonly type: "format"
  readonly format: number
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

/** The harness's words around a message: who sent it, and what to make of it. */
type Frame = {
  readonly before: string
  readonly after?: string
  /** The same, for where it stands apart from the words, in a system message after them. */
  readonly apart?: string
}

/** A tag around outside text. Any name that begins with "reminder-" is free for rules of your own: no other text can open or close it either. The tag of the reminders themselves is not among them: outside text in it would speak with the harness's voice. */
type FrameTag = ("mcp-resource" | "new-diagnostics") | string

/** A body in a provider's own format, or a description in OpenAPI's. */
type FreeObject = { readonly [field: string]: unknown }

type HealthAnswer = {
  readonly status: "ok"
  readonly version: string
}

/** Signals that go on waiting for a rule, by the sequence numbers of their entries. */
type HeldSignals = readonly [string, readonly number[]]

/** The dialects of the engine that write a provider's HTTP bodies. */
type HttpDialectName = "anthropic" | "openai" | "openai-chat" | "gemini"

/** An image. */
type ImagePart = {
  readonly type: "image"
  /** As MIME has it: "image/png". */
  readonly mediaType: string
  /** Base64, without a `data:` prefix. */
  readonly data: string
  /** What the file is called. */
  readonly name?: string
  /** The model sees it, the user does not. */
  readonly synthetic?: boolean
  /** The user sees it, the model does not. */
  readonly ignored?: boolean
}

type ImportedEntry = {
  readonly type: "imported"
  readonly messages: readonly Message[]
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

type InterruptedEvent = {
  readonly type: "interrupted"
}

/** A model call that was cut short, and what it had finished saying. */
type Interruption = {
  readonly request: string
  readonly kept: Reply
  readonly tokens?: number
}

/** Plain data: what survives being written to a log and read back. */
type Json = boolean | null | string | number | readonly Json[] | { readonly [field: string]: Json }

type KindEntry = {
  readonly type: "kind"
  readonly kind: string
  readonly on: boolean
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

type LedgerCell = {
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
  readonly diagnostics?: {
    readonly message: string
    readonly reason?: string
    readonly tokens?: number
  }
  /** On kind "economy": the account, as the log has it with the step. */
  readonly economy?: { readonly [field: string]: unknown }
}

/** A rule, and how often it had each outcome over the whole session. */
type LedgerKind = {
  readonly kind: string
  readonly on: boolean
  readonly spoke: number
  /** Of what it said. */
  readonly tokens: number
  /** How often it was throttled, over budget, or failed. */
  readonly kept: number
}

/** `GET /sessions/{id}/ledger?from&limit`: `from` and `limit` count steps. Cells with the outcome "nothing" are left out of `steps`. */
type LedgerPart = {
  readonly kinds: readonly LedgerKind[]
  readonly steps: readonly {
    readonly n: number
    readonly turn: number
    readonly step: number
    readonly cells: readonly LedgerCell[]
  }[]
  readonly total: number
}

/** Make all properties in T readonly */
type LetIn = Readonly<Record<string, never>>

type LinkAnswer = {
  /** Lets one browser in, once. */
  readonly once: string
  readonly path: string
}

type LiveAnswer = {
  readonly status: "live"
}

type LogPart = {
  readonly entries: readonly Entry[]
  readonly total: number
}

/** A reminder inside a segment. */
type MarkedReminder = {
  readonly kind: string
  readonly text: string
  readonly tokens: number
  /** Where it stands in the segment's text, in UTF-16 units. Absent if the text was cut before it. */
  readonly start?: number
  readonly end?: number
}

/** Something that is not text. */
type MediaPart = ImagePart | FilePart

/** A memo as the log has it. */
type MemoRecord = readonly [string, string, Json]

/** One thing that the proxy changed in a request. */
type Mended = {
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

/** What a mender may do to requests. Everything is off unless it is named. */
type MendingPolicy = {
  /** Segments that come back with a volatile change go out as they were first sent. "results" also holds masked tool results. */
  readonly hold?: boolean | "results"
  /** Kinds of reminders that are no longer sent. */
  readonly mute?: readonly string[]
  /** Kinds of reminders that are sent at most once in the given number of steps. */
  readonly throttle?: { readonly [field: string]: number }
  /** Reminders that follow tool results in a message of Anthropic's API go out inside the last of these results. */
  readonly smoosh?: boolean
  /** Adds cache markers where the harness placed none within reach. */
  readonly breakpoints?: boolean
}

/** What was said, by the user, the assistant or a tool. */
type Message = {
  /** Unique in the transcript. */
  readonly id: string
  /** Who said it. */
  readonly role: "user" | "assistant" | "tool"
  /** What was said, in order. */
  readonly parts: readonly Part[]
  /** The agent it was for or from. */
  readonly agent?: string
}

type MessageDelivery = "next-step" | "after-turn" | "now" | "passive"

type MessageOrigin =
  | {
      readonly kind: "human" | "coordinator" | "task-notification"
    }
  | {
      readonly kind: "channel"
      readonly server: string
    }

/** What has become of a message. */
type MessageReceipt = {
  readonly id: string
  /** Absent while the process that holds the session has yet to take it. */
  readonly seq?: number
  readonly state: "queued" | "delivered" | "cancelled"
  readonly step?: number
}

/** A message on its way into the model. */
type MessageRow = {
  readonly id: string
  readonly origin: MessageOrigin
  readonly delivery: MessageDelivery
  readonly arrivedAt: number
  readonly deliveredAt?: number
  /** Beginning of its words. */
  readonly text: string
}

/** A model, how it is spoken to, and how it is asked. */
type ModelChoice = {
  /** The model's name: "claude-sonnet-5-5", or with the provider before it: "openai/gpt-5.6". */
  readonly id: string
  /** The wire format in which the requests are written. It decides, with the id, what is accepted: a Claude model behind a Chat Completions gateway takes what the gateway takes. Requests refuse to be encoded in another dialect. Absent: the provider's own. */
  readonly dialect?: DialectName
  /** What it accepts, where the built-in table is wrong or silent. */
  readonly capabilities?: {
    /** `role: "system"` (or "developer") inside the conversation. */
    readonly systemMessages?: boolean
    /** Reminders inside the last tool result, where text after one would be mistaken for a new turn. */
    readonly toolResultReminders?: boolean
    /** A trailing assistant message that the model continues. */
    readonly prefill?: boolean
    /** Takes images. */
    readonly images?: boolean
    /** Takes PDF documents. */
    readonly documents?: boolean
    /** Chat content as a list of parts; some servers take only strings. */
    readonly contentParts?: boolean
    /** Tools can be added and removed inside the conversation. */
    readonly toolChanges?: boolean
    /** Reasoning is refused once anything before it has changed. */
    readonly tiedReasoning?: boolean
    /** Tokens. */
    readonly contextWindow?: number
    /** OpenAI's explicit cache breakpoints. */
    readonly cacheBreakpoints?: boolean
    /** Further carriers that the dialect takes. A reminder takes one only if its rule or its settings ask for it. */
    readonly carriers?: readonly Carrier[]
  }
  readonly variants?: { readonly [field: string]: ModelSettings }
  /** What the user has chosen for this model by hand. It holds whatever the agent says. */
  readonly override?: ModelSettings
  /** One of the model's `variants`; else, if it is a thinking level, that level; else nothing. */
  readonly variant?: string
  /** How much the model thinks. */
  readonly think?: ThinkLevel
  /** Further fields of the provider's body, as they are: `{ service_tier: "flex" }`. */
  readonly options?: { readonly [field: string]: Json }
  /** How freely the model chooses, from 0 to 2. */
  readonly temperature?: number
  /** From which share of the likeliest words the model chooses, from 0 to 1. */
  readonly topP?: number
}

type ModelEntry = {
  readonly type: "model"
  readonly model: ModelChoice
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

/** What an agent, a model or one of its variants says about how the model is asked. */
type ModelSettings = {
  /** How much the model thinks. */
  readonly think?: ThinkLevel
  /** Further fields of the provider's body, as they are: `{ service_tier: "flex" }`. */
  readonly options?: { readonly [field: string]: Json }
  /** How freely the model chooses, from 0 to 2. */
  readonly temperature?: number
  /** From which share of the likeliest words the model chooses, from 0 to 1. */
  readonly topP?: number
}

type NotedEntry = {
  readonly type: "noted"
  readonly signal: Signal
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

type NoticeEvent = {
  readonly type: "notice"
  readonly message: string
}

type ObservedEntry = {
  readonly type: "observed"
  readonly key: string
  readonly fact: Fact
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

/** Something that only a person can decide: the object of the event `ask`, without its type. */
type OpenQuestion =
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

type OpenedEntry = {
  readonly type: "opened"
  readonly version: number
  readonly id: string
  readonly agent: string
  readonly model: ModelChoice
  /** The agent's, where it brings one along. */
  readonly own?: ModelChoice
  readonly nonce?: string
  /** Entries before this number were copied from another session, which has paid for what they tell of. */
  readonly copied?: number
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

/** Who sent a message. It decides how the model is introduced to it, who sees it, and how far it is trusted. */
type Origin =
  | {
      readonly kind: "human" | "coordinator"
    }
  | {
      readonly kind: "task-notification"
      readonly task?: "agent" | "command"
      readonly failed?: boolean
    }
  | {
      readonly kind: "channel"
      readonly server: string
    }

/** One segment of a request as a page shows it. */
type PageSegment = {
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

/** A part of a message. */
type Part = TextPart | ImagePart | FilePart | ReasoningPart | ToolCallPart | ToolResultPart

/** What the model adds to its words while it writes. The whole text follows with its reply. */
type PartialEvent = {
  readonly type: "partial"
  readonly of: "reasoning" | "text"
  readonly text: string
}

/** A tool as it is sent. */
type PinnedTool = {
  /** What the model calls it by. */
  readonly name: string
  /** What it does, for the model. */
  readonly description: string
  /** What it takes, as JSON Schema. */
  readonly inputSchema: { readonly [field: string]: Json }
  /** The provider runs it, inside of its reply: a definition of the provider's own is sent in place of this one, where it has one. It is offered to agents whose rules do not deny the permission of this name. */
  readonly provided?: "search"
}

/** What stays the same for a whole epoch. One object an epoch: its identity is the encoders' cache key. */
type Pins = {
  /** The format in which this epoch's bytes are written. */
  readonly format: number
  /** The model's name, as it was given. */
  readonly model: string
  /** The one the requests are for; any will do where the session does not say. */
  readonly dialect?: DialectName
  /** Pinned, because providers key their caches on it: another level is another epoch. */
  readonly think?: ThinkLevel
  /** The name of the cache, where it is not the session's id. */
  readonly cacheKey?: string
  /** Fields of the provider's body that the agent and the model ask for. */
  readonly options?: { readonly [field: string]: Json }
  /** The agent with which the epoch began. */
  readonly agent: string
  /** The agent's own prompt, if it has one: switching to an agent with another one is another epoch. */
  readonly prompt:
    | null
    | string
    | {
        readonly add: string
      }
  /** The system prompt. */
  readonly system: string
  /** The tools, sorted by name. */
  readonly tools: readonly PinnedTool[]
  /** The facts that the system prompt states, and their values. */
  readonly stated: { readonly [field: string]: Json }
  /** The kinds whose rules were on and off when the epoch began. */
  readonly roster: Roster
  /** Forgeries made inert in system and tools. */
  readonly neutralised: number
  /** The epoch keeps reasoning from before it: the API is asked to drop what no longer fits. */
  readonly dropsReasoning?: true
  /** What the model takes. */
  readonly capabilities: Capabilities
  /** Makes the tags of this session unlike those of any other. */
  readonly nonce?: string
  /** Whether what may be snipped carries an `[id:…]` tag. */
  readonly idTags: boolean
}

type ProgressEvent = {
  readonly type: "progress"
  readonly id: string
  readonly line: string
}

/** What a thread is for. */
type Purpose = "other" | "main" | "subagent" | "title" | "summary"

type QuestionAnsweredEvent = {
  readonly type: "question-answered"
  readonly id: string
}

/** What is still queued. */
type QueueAnswer = {
  readonly queue: readonly QueuedMessage[]
}

type QueuedEvent = {
  readonly type: "queued"
  readonly id: string
}

type QueuedMessage = {
  readonly id: string
  readonly text: string
  readonly delivery: MessageDelivery
  readonly origin: MessageOrigin
  /** Milliseconds since 1970. */
  readonly at: number
}

type ReadyAnswer = {
  readonly status: "ready"
  readonly sessions: SessionCounts
}

type ReasoningEvent = {
  readonly type: "reasoning"
  readonly text: string
}

/** What the model thought before it answered. */
type ReasoningPart = {
  readonly type: "reasoning"
  /** The thought, or the provider's summary of it. */
  readonly text: string
  /** The provider's proof that it wrote this. Reasoning without one cannot be sent back. */
  readonly signature?: string
  /** The provider's own form of it. */
  readonly verbatim?: Verbatim
}

type RebaseEvent = {
  readonly type: "rebase"
  readonly reason: string
}

/** Why an epoch began. */
type RebaseReason =
  | "system"
  | "agent"
  | "model"
  | "carrier"
  | "format"
  | "start"
  | "compaction"
  | "snip"
  | "rewind"
  | "trust"
  | "economy"

type RecoveredEntry = {
  readonly type: "recovered"
  readonly calls: readonly string[]
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

type RedoneEntry = {
  /** A rewind was taken back. */
  readonly type: "redone"
  /** The conversation goes on as it was before this entry. */
  readonly before: number
  /** Families of facts that go forward too. */
  readonly facts: readonly string[]
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

type RedoneEvent = {
  readonly type: "redone"
}

/** What a rule has the model told; frozen once sent. */
type Reminder = {
  /** What it is about. */
  readonly kind: string
  /** What in particular it is about, such as a path. */
  readonly key: string
  /** Whose words it carries. */
  readonly trust: Trust
  /** What it costs. */
  readonly tokens: number
  /** The carrier asked for; the usual one of the model unless given, and wherever this one is not allowed. */
  readonly carrier?: Carrier
  /** The harness's own words. */
  readonly line: string
  /** Outside text that the line is about. */
  readonly body?: ReminderBody
}

/** Outside text that a reminder brings along, with where it comes from. */
type ReminderBody = {
  /** The outside text. */
  readonly text: string
  /** Where it comes from: a path, a server, a command. The model is told. */
  readonly source: string
  /** Whose text it is. The user's own configuration needs no frame. */
  readonly trust: "user" | "untrusted"
  /** The tag of its frame; "reminder-body" unless given. Names that begin with "reminder-" are free for your own. */
  readonly tag?: FrameTag
  /** Attributes of the tag, in place of `source`. */
  readonly attributes?: { readonly [field: string]: string }
  /** Images and documents that follow the text. */
  readonly media?: readonly MediaPart[]
}

type ReminderEvent = {
  readonly type: "reminder"
  /** What the model was told. */
  readonly text: string
  /** The step of the turn at which it was told. */
  readonly step: number
  /** How it travelled. */
  readonly carrier: Carrier
  /** What it is about. */
  readonly kind: string
  /** What it cost. */
  readonly tokens: number
}

/** How often one kind of reminder was sent, and what it cost. */
type ReminderTally = {
  readonly kind: string
  /** How often one entered the conversation. */
  readonly times: number
  /** In how many different wordings. */
  readonly distinct: number
  readonly tokens: number
  /** Of all tokens that the thread sent, from 0 to 1; a reminder counts in every call that carries it. */
  readonly share: number
}

type RepliedEntry = {
  readonly type: "replied"
  readonly request: string
  readonly reply: Reply
  readonly tokens?: number
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

/** What the model answered to one request. */
type Reply = {
  /** What the model said, in order. */
  readonly parts: readonly AssistantPart[]
  /** Why it stopped. */
  readonly stop?:
    | "other"
    | "end"
    | "tool-calls"
    | "length"
    | "refusal"
    | "filtered"
    | "overflow"
    | "paused"
    | "malformed"
  /** The provider's own word for `stop`, where that is not how a reply usually ends: "SAFETY". */
  readonly why?: string
  /** Names of the tools whose calls were not sent to their end. The session drops those calls and logs the names. */
  readonly cut?: readonly string[]
  /** What it cost, as the provider counted. */
  readonly usage?: Usage
  /** Only where the request asked for them. */
  readonly diagnostics?: CacheDiagnostics
}

/** What `sotto check --json` prints. */
type Report = {
  readonly version: 1
  readonly sources: readonly SourceReport[]
  readonly threads: readonly ThreadReport[]
  readonly findings: readonly Finding[]
}

/** Tells what became of files when the conversation went back or forward. */
type RestoredEvent = {
  readonly type: "restored"
  /** Nothing was done: this is what would be. */
  readonly preview?: true
  /** What came back, and what became of it: `removed` if nothing was there before, `made` if it had been removed. */
  readonly restored: readonly {
    readonly path: string
    readonly is: "changed" | "made" | "removed"
  }[]
  /** What another program has changed since: it was left. */
  readonly conflicts: readonly {
    readonly path: string
    readonly why: string
  }[]
  /** What cannot come back. */
  readonly lost: readonly {
    readonly path: string
    readonly why: string
  }[]
  /** What else is not covered, in words. */
  readonly notices: readonly string[]
}

type ResultEntry = {
  readonly type: "result"
  readonly callId: string
  readonly output: readonly ContentPart[]
  readonly error: boolean
  readonly tokens?: number
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

/** What becomes of a tool's results once they are old, where the session has an economy. */
type ResultPolicy = {
  /** "stub": the call can be made again, so that a line which says so will do. "tail": the call cannot be made again, so that the last lines stay. "keep": nothing is dropped. Unless given: "stub" for a tool that is safe to repeat, else "tail". */
  readonly old?: "stub" | "tail" | "keep"
  /** The field of the input that names the file which a call reads. A later read of the same file supersedes it. */
  readonly reads?: string
  /** The field of the input that names the file which a call changes. Reads that are younger than the change are kept. */
  readonly edits?: string
}

type RetryEvent = {
  readonly type: "retry"
  readonly attempt: number
  readonly reason: string
  readonly seconds: number
}

type RewindAnswer = {
  /** False with status 202: it waits for the process that holds the session. */
  readonly done: boolean
  /** What came back, and what became of it: `removed` if nothing was there before, `made` if it had been removed. */
  readonly restored?: readonly {
    readonly path: string
    readonly is: "changed" | "made" | "removed"
  }[]
  /** What another program has changed since: it was left. */
  readonly conflicts?: readonly {
    readonly path: string
    readonly why: string
  }[]
  /** What cannot come back. */
  readonly lost?: readonly {
    readonly path: string
    readonly why: string
  }[]
  /** What else is not covered, in words. */
  readonly notices?: readonly string[]
}

type RewoundEntry = {
  readonly type: "rewound"
  /** The message that opened the turn to go back before. */
  readonly to: string
  /** Of the step that delivered it. */
  readonly step: number
  /** Families of facts that go back too, being the conversation's own. */
  readonly facts: readonly string[]
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

type RewoundEvent = {
  readonly type: "rewound"
  readonly to: string
}

/** Which kinds there were, and which of them were switched off. */
type Roster = {
  readonly on: readonly string[]
  readonly off: readonly string[]
}

/** What a step logs of its rules. That one is off, or was not asked, follows from the roster and from `Silences`. */
type RuleOutcome =
  | {
      readonly kind: string
      readonly key: string
      readonly outcome: "spoke"
      readonly tokens: number
    }
  | {
      readonly kind: string
      readonly key: string
      readonly outcome: "over-budget"
      readonly tokens: number
    }
  | {
      readonly kind: string
      readonly key: string
      readonly outcome: "throttled"
      readonly until: string
    }
  | {
      readonly kind: string
      readonly outcome: "failed"
      readonly error: string
    }
  | {
      readonly kind: string
      readonly key: string
      readonly outcome: "nothing"
      readonly why: string
    }

type SaidEntry = {
  readonly type: "said"
  readonly id: string
  readonly content: readonly ContentPart[]
  readonly origin: Origin
  readonly delivery: Delivery
  readonly hidden: boolean
  readonly system?: string
  readonly interrupts?: Interruption
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

/** How a model chooses its words. No provider keys its cache on it, so that each step has its agent's own. */
type SamplingSettings = {
  /** How freely the model chooses, from 0 to 2. */
  readonly temperature?: number
  /** From which share of the likeliest words the model chooses, from 0 to 1. */
  readonly topP?: number
}

/** `GET /sessions/{id}/search?q=TEXT&limit` · `GET /traces/{id}/search?q&limit`: where a text first stands, ignoring case. */
type SearchAnswer = {
  readonly hits: readonly {
    readonly n: number
    readonly path: string
    readonly role: string
    readonly excerpt: string
  }[]
  readonly more: boolean
}

type SearchEvent = {
  readonly type: "search"
  readonly query: string
}

/** The part of a request that a segment belongs to. */
type Section = "tools" | "system" | "key" | "parameters" | "messages"

/** A segment that only one of two requests has, or that has other words in the second. */
type SegmentChange = {
  readonly a?: PageSegment
  readonly b?: PageSegment
}

/** What a segment holds. */
type SegmentKind =
  | "system"
  | "reasoning"
  | "media"
  | "parameter"
  | "tool"
  | "text"
  | "call"
  | "result"
  | "other"

/** Sessions that this server has open, and those of them that have something to do. */
type SessionCounts = {
  readonly open: number
  readonly atWork: number
}

/** `GET /sessions/{id}` */
type SessionDetail = {
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
  readonly id: string
  readonly title?: string
  /** Beginning of the first prompt; absent before there is one. In a list it is read only for sessions without a title. */
  readonly begun?: string
  /** The session that started it, of a subagent's. */
  readonly parent?: string
  readonly labels?: readonly string[]
  readonly metadata?: { readonly [field: string]: string }
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
  readonly assumed?: { readonly [field: string]: string }
}

/** Names the session, before all other events. */
type SessionIdEvent = {
  readonly type: "session"
  readonly id: string
}

/** `GET /sessions?limit&before&q&state&label&cwd&parent`; `before` is the id of the last session of the part before. `q` keeps sessions with all of its words in their title, first prompt, folder or id; `state` keeps those in this state. */
type SessionList = {
  readonly sessions: readonly SessionListItem[]
  /** True if there are more after the last one. */
  readonly more: boolean
}

type SessionListItem = {
  readonly id: string
  readonly title?: string
  /** Beginning of the first prompt; absent before there is one. In a list it is read only for sessions without a title. */
  readonly begun?: string
  /** The session that started it, of a subagent's. */
  readonly parent?: string
  readonly labels?: readonly string[]
  readonly metadata?: { readonly [field: string]: string }
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
  readonly assumed?: { readonly [field: string]: string }
}

/** What a session does, whichever process has it open. `idle`: it waits for a prompt. `asking`: it waits for an answer to a question. `waiting`: it has something to do, and waits for a process that does it. */
type SessionState = "idle" | "running" | "asking" | "waiting"

/** An event of a session: an object of `--output jsonl`, or one of `question-answered`, `partial` and `state`. Its number is the id of the server-sent event; one without an id is of this moment only. */
type SessionStreamEvent =
  | StateEvent
  | PartialEvent
  | SessionIdEvent
  | UntrustedEvent
  | StepEvent
  | TextEvent
  | ReasoningEvent
  | ToolCallEvent
  | ToolInputEvent
  | ToolResultEvent
  | SearchEvent
  | ProgressEvent
  | QueuedEvent
  | AttachedEvent
  | DeliveredEvent
  | CancelledEvent
  | ReminderEvent
  | AskEvent
  | AgentEvent
  | CompactedEvent
  | RebaseEvent
  | RewoundEvent
  | RedoneEvent
  | RestoredEvent
  | UsageEvent
  | RetryEvent
  | InterruptedEvent
  | TurnEndEvent
  | NoticeEvent
  | ErrorEvent
  | QuestionAnsweredEvent

/** How serious a finding is. */
type Severity = "error" | "warning" | "note"

/** What the arguments of a tool call do to a file. */
type ShownChange = {
  readonly path: string
  /** Absent where the whole file is written and the call does not say what was there. */
  readonly before?: string
  readonly after: string
  /** True if one side is only the beginning. */
  readonly cut?: boolean
}

/** The process that has a session open: a terminal, or a server. A server on a shared store has a name. */
type ShownHolder = {
  readonly worker?: string
  readonly host: string
  readonly pid: number
}

/** What the two ways of asking cost, in input-token equivalents. */
type SidePrices = {
  readonly side?: number
  readonly transcript?: number
}

/** How something is asked about a conversation: with the session's own bytes and a tail, or with a transcript of it. */
type SideWay = "side" | "transcript"

/** Something that happened, as a rule hears of it. Its fields are whatever the harness noted: read them with `fieldsOf`. */
type Signal = {
  /** What happened: "file.edited". */
  readonly type: string
}

type SnippedEntry = {
  readonly type: "snipped"
  readonly ids: readonly string[]
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

/** What kind of recording a source is, as `sotto check --json` names it. */
type SourceFormat =
  | "calls"
  | "bodies"
  | "har"
  | "sotto"
  | "claude-code"
  | "codex"
  | "pi"
  | "opencode"
  | "gemini-cli"

/** What was read from one source. */
type SourceReport = {
  readonly name: string
  readonly format: SourceFormat
  readonly calls: number
}

/** Says what the session does: at the beginning of a stream, and when it has changed. */
type StateEvent = {
  readonly type: "state"
  /** How many wait for an answer. GET /sessions/{id} has them. */
  readonly questions: number
  readonly state: SessionState
  /** Absent while no process has it open. */
  readonly holder?: ShownHolder
  /** Its own steps so far, over all turns. */
  readonly steps: number
  /** Of every request that was paid for: steps, requests beside them, and those of subagents. */
  readonly tokens: UsedTokens
  /** Dollars for these requests; absent where the price of a model is not known. */
  readonly cost?: number
}

type StepEntry = {
  readonly type: "step"
  readonly request: string
  readonly agent: string
  readonly turn: number
  readonly step: number
  readonly last: boolean
  /** The step opens an epoch. */
  readonly epoch?: {
    readonly reasons: readonly RebaseReason[]
    readonly pins: Pins
    /** Of the system prompt and the tools. */
    readonly tokens?: number
    /** Kinds that have to tell anew what the summary has replaced. */
    readonly forget: readonly string[]
    /** Results that the economy drops with it. */
    readonly dropped?: readonly Dropped[]
    /** What becomes of the reasoning of an open tool turn that the economy does not wait for. */
    readonly reasoning?: "close" | "drop"
  }
  /** What the economy's account says at this step, where the session has one. */
  readonly economy?: EconomyAccount
  /** Tools that come and go within the epoch. */
  readonly tools?: ToolChanges
  /** How the model chooses its words at this step, where the agent or the model says so. */
  readonly sampling?: SamplingSettings
  readonly delivered: readonly DeliveryRecord[]
  readonly reminders: readonly Reminder[]
  readonly outcomes: readonly RuleOutcome[]
  readonly memos: readonly MemoRecord[]
  readonly held: readonly HeldSignals[]
  /** Why rules kept silent, as far as that is not why they did at the step before. */
  readonly silences?: { readonly [field: string]: string }
  /** Of everything that goes up with it. */
  readonly tokens?: number
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

type StepEvent = {
  readonly type: "step"
  readonly n: number
}

type StepRequest = {
  /** The request as it was sent. */
  readonly body?: { readonly [field: string]: unknown }
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
    readonly kind: "reasoning" | "text" | "call"
    readonly name?: string
    readonly text: string
  }[]
  /** What the proxy changed in it: what was withheld and what was told instead. */
  readonly mends: readonly Mended[]
  /** The places of the calls before and after it in its thread. */
  readonly previous?: number
  readonly next?: number
}

/** A step of a session of Sotto. */
type StepRow = {
  readonly turn: number
  readonly step: number
  readonly agent: string
  /** Messages that this step delivered, in order. */
  readonly messages: readonly MessageRow[]
  /** Why an epoch begins with this step: "start", "compacted", "model". */
  readonly epoch?: readonly string[]
  /** The sequence number of the step's entry in the log. */
  readonly seq: number
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
  readonly kinds: {
    readonly tools?: number
    readonly system?: number
    readonly user?: number
    readonly assistant?: number
    readonly reasoning?: number
    readonly calls?: number
    readonly results?: number
    readonly reminders?: number
    readonly media?: number
  }
  /** Reminders that stand in this request and not in the one before. */
  readonly reminders: readonly {
    readonly kind: string
    readonly tokens: number
  }[]
  /** Tools that the model called in its answer, where the answer is known. */
  readonly tools: readonly CalledTool[]
  /** Beginning of the text that the model answered. */
  readonly said?: string
  /** Beginning of what the user said that is new in this request. */
  readonly asked?: string
  readonly break?: {
    readonly cause: Cause
    /** Tokens that had been sent before and had to be processed again as new. */
    readonly lostTokens: number
  }
  /** How many things the proxy changed in it. */
  readonly mends?: number
  /** The HTTP status of a refusal, or why no answer came. */
  readonly failed?: string
}

/** Requests of a session, a row each. */
type StepRows = {
  readonly rows: readonly StepRow[]
  readonly total: number
  /** True while the server still reads a long session: `total` grows. */
  readonly more?: boolean
}

type TextEvent = {
  readonly type: "text"
  readonly text: string
}

type TextPart =
  | {
      readonly type: "text"
      /** The text. */
      readonly text: string
      /** The model sees it, the user does not. */
      readonly synthetic?: boolean
      /** The user sees it, the model does not. */
      readonly ignored?: boolean
    }
  | {
      readonly verbatim?: Verbatim
      readonly type: "text"
      /** The text. */
      readonly text: string
      /** The model sees it, the user does not. */
      readonly synthetic?: boolean
      /** The user sees it, the model does not. */
      readonly ignored?: boolean
    }

/** How much a model thinks before it answers. Every dialect spells it as its provider does, with the nearest value that the model takes; a model that cannot stop thinking thinks as little as it can for "off". */
type ThinkLevel = "off" | "low" | "medium" | "high" | "max"

/** What was found about one thread. */
type ThreadReport = {
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

/** The tokens of a thread: sent, read from the cache, written to it and missed. */
type ThreadTokens = {
  readonly sent: number
  readonly read: number
  readonly written: number
  readonly missed: number
  /** True if the provider reported them; otherwise the cache model predicts them. */
  readonly reported: boolean
}

/** A reminder that a step told: an aside, and why its rule spoke. */
type ToldReminder = {
  readonly kind: string
  readonly key: string
  readonly trust: "user" | "harness" | "untrusted"
  readonly text: string
  readonly carrier: string
  readonly tokens: number
  /** What the rule of this kind is for, in a sentence, and where it comes from: "standard", or the path of a Markdown rule. */
  readonly rule: string
  readonly source: string
  /** Why it spoke now, as far as the log tells: "3 steps since it last spoke", "file.edited", "a message arrived in mid-turn". */
  readonly reason: string
}

type ToolCallEvent = {
  readonly type: "tool-call"
  readonly id: string
  readonly name: string
  readonly input: Json
}

/** A call that the model made. */
type ToolCallPart = {
  readonly type: "tool-call"
  /** Unique in the session. The provider's own id wherever that is unique too. */
  readonly id: string
  /** The tool that it calls. */
  readonly name: string
  /** What it calls the tool with. */
  readonly input: Json
  /** The stream ended before the input was complete: such a call is never kept. */
  readonly unfinished?: boolean
  /** The provider's own form of it. */
  readonly verbatim?: Verbatim
}

/** Tools that come and go within an epoch, where the provider can be told without touching the list already sent. */
type ToolChanges = {
  /** Tools that can be called from here on. */
  readonly added: readonly PinnedTool[]
  /** Names of tools that can no longer be called. */
  readonly removed: readonly string[]
}

/** A tool that the model can call. */
type ToolDefinition = {
  /** What the model calls it by. */
  readonly name: string
  /** What it does, for the model. */
  readonly description: string
  /** What it takes, as JSON Schema. */
  readonly inputSchema: { readonly [field: string]: Json }
  /** The provider runs it, inside of its reply: a definition of the provider's own is sent in place of this one, where it has one. It is offered to agents whose rules do not deny the permission of this name. */
  readonly provided?: "search"
  /** After a crash, a call without a result may simply be made again. */
  readonly safeToRepeat?: boolean
  /** What an economy may do with results once they are old. It is not sent. */
  readonly results?: ResultPolicy
}

type ToolInputEvent = {
  readonly type: "tool-input"
  readonly id: string
  readonly name: string
  readonly size: number
  readonly about?: string
}

type ToolResultEvent = {
  readonly type: "tool-result"
  readonly id: string
  readonly output: string
  readonly error?: true
}

/** What a call returned. */
type ToolResultPart = {
  readonly type: "tool-result"
  /** The call that it answers. */
  readonly callId: string
  /** What came out. */
  readonly output: readonly ContentPart[]
  /** True if the call failed. */
  readonly error?: boolean
}

/** A tool call of a reply with its arguments, its result and the files that it changes. */
type ToolUse = {
  readonly id: string
  readonly name: string
  /** JSON. */
  readonly input: CutText
  readonly changes: readonly ShownChange[]
  /** Absent while the tool works, and where no later request brings its result. */
  readonly result?: {
    readonly text: string
    /** True if `text` is only the beginning. */
    readonly cut?: boolean
    readonly error?: boolean
    readonly at?: number
  }
}

/** `GET /sessions/{id}/requests/{n}/tools?whole=ID` · `GET /traces/{id}/calls/{n}/tools?whole=ID`: what the model called in its answer, and what came of it. Long texts are cut; `whole` gives only that call, with its whole texts. */
type ToolsAnswer = {
  readonly tools: readonly ToolUse[]
}

type ToolsEntry = {
  readonly type: "tools"
  readonly tools: readonly ToolDefinition[]
  readonly seq: number
  /** Milliseconds, by the harness's clock. Only an economy goes by it: a cache that is not used for long is gone. */
  readonly at: number
}

/** `GET /traces/{id}` */
type TraceDetail = {
  readonly report: Report
  readonly totals: CallTotals
  /** The number of the newest event. */
  readonly seq: number
  /** What a proxy that runs mends. */
  readonly mending?: MendingPolicy
  readonly id: string
  readonly name: string
  /** `proxy`: a proxy that is running. */
  readonly kind: "recording" | "proxy"
  readonly calls: number
  readonly updatedAt: number
}

/** `GET /traces/{id}/events?from=N`: a call was recorded, or the trace ended. The id of an event is `n`. */
type TraceEvent = CallEvent | EndEvent

/** `GET /traces` */
type TraceList = {
  readonly traces: readonly TraceSummary[]
}

type TraceSummary = {
  readonly id: string
  readonly name: string
  /** `proxy`: a proxy that is running. */
  readonly kind: "recording" | "proxy"
  readonly calls: number
  readonly updatedAt: number
}

/** Whose words it carries. What carries untrusted words never travels with system authority. */
type Trust = "user" | "harness" | "untrusted"

/** One thing that a folder brings along and that takes effect only if the user trusts the folder. */
type TrustItem = {
  /** In a word: "hook", "MCP server", "permission". */
  readonly what: string
  /** The file, from the folder, and the field in it: "sotto.json: hooks.stop". */
  readonly where: string
  /** What exactly would run or be allowed, without characters that could hide something. */
  readonly detail: string
}

/** Why a turn ended. `length`: at the model's limit on output. `overflow`: the context was full, also after a compaction. `limit`: at one that the user has set. */
type TurnEnd =
  | "error"
  | "length"
  | "filtered"
  | "overflow"
  | "interrupted"
  | "done"
  | "max-steps"
  | "refused"
  | "limit"

type TurnEndEvent = {
  readonly type: "turn-end"
  readonly reason: TurnEnd
  readonly steps: number
  /** Of the session and its subagents so far. Absent where the turn is told from the log alone. */
  readonly account?: AccountFigures
}

/** What a request has in common with the one before it in its thread, from the first segment on. */
type Unchanged = {
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

type UntrustedEvent = {
  readonly type: "untrusted"
  readonly items: readonly TrustItem[]
}

/** Tokens of one request, as the provider counted them. */
type Usage = {
  /** Read anew, at the full price. */
  readonly input: number
  /** Written by the model. */
  readonly output: number
  /** Read from the prompt cache. */
  readonly cacheRead: number
  /** Written to the prompt cache. */
  readonly cacheWrite: number
}

/** A request that was paid for, as the provider counted it. */
type UsageEvent = {
  readonly type: "usage"
  /** What it was for: "step", or what a request beside the steps was for: "summary", "title", "outcome", "retry". */
  readonly purpose: string
  /** The session of the subagent that made it; absent if the session did itself. */
  readonly session?: string
  /** Of the session and its subagents so far. Absent where the request is told from the log alone. */
  readonly account?: AccountFigures
  /** Read anew, at the full price. */
  readonly input: number
  /** Written by the model. */
  readonly output: number
  /** Read from the prompt cache. */
  readonly cacheRead: number
  /** Written to the prompt cache. */
  readonly cacheWrite: number
}

/** Tokens as the provider reported them: what was sent, how much of it was read from the cache, and what came back. */
type UsedTokens = {
  readonly sent: number
  readonly read: number
  readonly output: number
}

/** A provider's own form of an assistant part, so that the same dialect can return it unchanged. */
type Verbatim = {
  /** The name of the dialect that reads it. */
  readonly dialect: string
  /** As it came. */
  readonly block: Json
  /** What goes back instead, where the provider would refuse the block itself: another form of it, or null for nothing. */
  readonly sent?: boolean | string | number | readonly Json[] | { readonly [field: string]: Json }
}

/** A message as the person saw it. */
type ViewMessage = {
  readonly id: string
  readonly role: "user" | "assistant" | "tool"
  readonly text: string
  readonly name?: string
}

/** What is posted to a webhook. */
type WebhookMessage = {
  /** Of the event: the same whenever it is sent again. */
  readonly id: string
  readonly type: "error" | "question" | "turn-end"
  /** When it happened, as ISO 8601. */
  readonly timestamp: string
  readonly session: string
  /** The event as the stream of events has it. */
  readonly data:
    | {
        readonly type: "ask"
        readonly id: string
        readonly kind: "permission"
        /** The pattern that would allow exactly this for good. Absent where no pattern can say it. */
        readonly always?: string
        /** The subagent that asks, or the member of a team; absent where it is the agent that the user talks to. */
        readonly agent?: string
        /** The call that waits for it. */
        readonly call: string
        readonly tool: string
        readonly permission: string
        readonly target: string
        readonly detail?: string
        /** Everything the call would touch, each command of a command line by itself, and what of it needs the answer. */
        readonly accesses?: readonly {
          readonly permission: string
          readonly target: string
          readonly needs: boolean
        }[]
      }
    | {
        readonly type: "ask"
        readonly id: string
        readonly kind: "question"
        readonly agent?: string
        readonly question: string
        readonly options?: readonly string[]
      }
    | {
        readonly type: "ask"
        readonly id: string
        readonly kind: "plan"
        readonly agent?: string
        readonly path: string
        readonly plan: string
      }
    | {
        readonly type: "turn-end"
        readonly reason: TurnEnd
        readonly steps: number
        /** Of the session and its subagents so far. Absent where the turn is told from the log alone. */
        readonly account?: AccountFigures
      }
    | {
        readonly type: "error"
        readonly message: string
      }
}

type CreateSessionInput = {
  /** The absolute path of the folder to work in. */
  readonly cwd?: string
  /** Instead of cwd: the name of a workspace that this server has, as other servers may. */
  readonly workspace?: string
  readonly model?: string
  readonly agent?: string
  /** An empty one leaves the name to Sotto. */
  readonly title?: string
  /** A set of at most 20 texts of at most 64 characters. */
  readonly labels?: readonly string[]
  /** Texts by name, at most 4096 bytes together. A name has at most 64 characters. */
  readonly metadata?: { readonly [field: string]: string }
}

type SayInput = {
  /** The words. Not empty. */
  readonly text?: string
  /** Instead of text: texts, images (PNG, JPEG, GIF, WebP) and files (PDF). The user sees a part with `ignored`, the model does not. */
  readonly parts?: readonly (
    | {
        readonly type: "text"
        readonly text: string
        readonly ignored?: boolean
      }
    | {
        readonly type: "image"
        readonly mediaType: string
        readonly data: string
        readonly name?: string
        readonly ignored?: boolean
      }
    | {
        readonly type: "file"
        readonly mediaType: string
        readonly data: string
        readonly name?: string
        readonly ignored?: boolean
      }
  )[]
  /** When it reaches the model; `next-step` unless given. */
  readonly delivery?: "next-step" | "after-turn" | "now" | "passive"
  /** Yours to choose: the same id twice is the same message. */
  readonly id?: string
  /** Added to the system prompt, for the turn that this message opens. */
  readonly system?: string
  /** The model sees it, the user does not. */
  readonly hidden?: boolean
}

type AgentInput = {
  /** The agent's name. */
  readonly name?: string
  /** The agent's name. */
  readonly agent?: string
}

type ModelInput = {
  /** As `provider/model`. */
  readonly model: string
}

type CompactInput = {
  /** What the summary should keep. */
  readonly focus?: string
}

type UndoInput = {
  /** False leaves files as they are. */
  readonly files?: boolean
  /** What becomes of files that somebody else has changed since: nothing is done at all, they are left, or they are overwritten. `skip` for rewind unless given, else `refuse`. */
  readonly edited?: "refuse" | "skip" | "overwrite"
  /** True if the answer says what would become of files, and nothing is done. */
  readonly preview?: boolean
}

type RedoInput = {
  /** False leaves files as they are. */
  readonly files?: boolean
  /** What becomes of files that somebody else has changed since: nothing is done at all, they are left, or they are overwritten. `skip` for rewind unless given, else `refuse`. */
  readonly edited?: "refuse" | "skip" | "overwrite"
  /** True if the answer says what would become of files, and nothing is done. */
  readonly preview?: boolean
}

type RewindInput = {
  /** The id of the prompt. */
  readonly to?: string
  /** True if what was done to files since is undone too, by tools and by commands. */
  readonly files?: boolean
  /** What becomes of files that somebody else has changed since: nothing is done at all, they are left, or they are overwritten. `skip` for rewind unless given, else `refuse`. */
  readonly edited?: "refuse" | "skip" | "overwrite"
  /** True if the answer says what would become of files, and nothing is done. */
  readonly preview?: boolean
  /** The id of the prompt. */
  readonly id?: string
}

type AutoInput = {
  /** True if what would be asked is allowed. */
  readonly on: boolean
}

type StyleInput = {
  /** The style's name; `default` is the agent's own. */
  readonly name: string
}

type TaskInput = {
  /** The task's id, or the name of a member of the team. */
  readonly id: string
  /** What to do. */
  readonly do: "progress" | "stop"
}

type RemindInput = {
  /** The words. Not empty. */
  readonly text: string
}

type ReminderInput = {
  /** The kind. */
  readonly kind: string
  /** False switches it off. */
  readonly on: boolean
}

type AnswerInput = {
  /** The id of the question. */
  readonly id: string
  /** The answer. */
  readonly answer: string
}

type AbortInput = Readonly<Record<string, never>>

type EditInput = {
  /** Other words. */
  readonly text?: string
  /** Another time to reach the model. */
  readonly delivery?: "next-step" | "after-turn" | "now" | "passive"
}

type DescribeSessionInput = {
  /** An empty one leaves the name to Sotto. */
  readonly title?: string
  /** A set of at most 20 texts of at most 64 characters. */
  readonly labels?: readonly string[]
  /** Texts by name, at most 4096 bytes together. A name has at most 64 characters. */
  readonly metadata?: { readonly [field: string]: string }
}

type ForkSessionInput = {
  /** The id of a prompt: the new session is as this one was before it. Without it, as it is now. */
  readonly at?: string
  /** An empty one leaves the name to Sotto. */
  readonly title?: string
  /** A set of at most 20 texts of at most 64 characters. */
  readonly labels?: readonly string[]
  /** Texts by name, at most 4096 bytes together. A name has at most 64 characters. */
  readonly metadata?: { readonly [field: string]: string }
}

type AddTraceInput = {
  readonly path: string
}

type LetInInput = {
  readonly once: string
}

/** The types of everything that the server takes and gives, by name: `Schemas["SessionDetail"]`. */
export interface Schemas {
  readonly AbortedEntry: AbortedEntry
  readonly AccountFigures: AccountFigures
  readonly AgentEntry: AgentEntry
  readonly AgentEvent: AgentEvent
  readonly Aside: Aside
  readonly AsidesAnswer: AsidesAnswer
  readonly AskEvent: AskEvent
  readonly AssistantPart: AssistantPart
  readonly AssistantTextPart: AssistantTextPart
  readonly AttachedEvent: AttachedEvent
  readonly BilledEntry: BilledEntry
  readonly Break: Break
  readonly BreakList: BreakList
  readonly BreakPage: BreakPage
  readonly CacheDiagnosis: CacheDiagnosis
  readonly CacheDiagnostics: CacheDiagnostics
  readonly CallEvent: CallEvent
  readonly CallRequest: CallRequest
  readonly CallRow: CallRow
  readonly CallRows: CallRows
  readonly CallTokens: CallTokens
  readonly CallTotals: CallTotals
  readonly CalledTool: CalledTool
  readonly CancelledEntry: CancelledEntry
  readonly CancelledEvent: CancelledEvent
  readonly Capabilities: Capabilities
  readonly Carrier: Carrier
  readonly CarrierEntry: CarrierEntry
  readonly Cause: Cause
  readonly CompactedEntry: CompactedEntry
  readonly CompactedEvent: CompactedEvent
  readonly CompactionCause: CompactionCause
  readonly CompactionSize: CompactionSize
  readonly CompareAnswer: CompareAnswer
  readonly ContentPart: ContentPart
  readonly CutText: CutText
  readonly DeliveredEvent: DeliveredEvent
  readonly Delivery: Delivery
  readonly DeliveryRecord: DeliveryRecord
  readonly DialectName: DialectName
  readonly DoneAnswer: DoneAnswer
  readonly DrainAnswer: DrainAnswer
  readonly Dropped: Dropped
  readonly EconomyAccount: EconomyAccount
  readonly EconomyRates: EconomyRates
  readonly EditedEntry: EditedEntry
  readonly EndEvent: EndEvent
  readonly EndedEntry: EndedEntry
  readonly Entry: Entry
  readonly ErrorAnswer: ErrorAnswer
  readonly ErrorEvent: ErrorEvent
  readonly Fact: Fact
  readonly FilePart: FilePart
  readonly Finding: Finding
  readonly FormatEntry: FormatEntry
  readonly Frame: Frame
  readonly FrameTag: FrameTag
  readonly FreeObject: FreeObject
  readonly HealthAnswer: HealthAnswer
  readonly HeldSignals: HeldSignals
  readonly HttpDialectName: HttpDialectName
  readonly ImagePart: ImagePart
  readonly ImportedEntry: ImportedEntry
  readonly InterruptedEvent: InterruptedEvent
  readonly Interruption: Interruption
  readonly Json: Json
  readonly KindEntry: KindEntry
  readonly LedgerCell: LedgerCell
  readonly LedgerKind: LedgerKind
  readonly LedgerPart: LedgerPart
  readonly LetIn: LetIn
  readonly LinkAnswer: LinkAnswer
  readonly LiveAnswer: LiveAnswer
  readonly LogPart: LogPart
  readonly MarkedReminder: MarkedReminder
  readonly MediaPart: MediaPart
  readonly MemoRecord: MemoRecord
  readonly Mended: Mended
  readonly MendingPolicy: MendingPolicy
  readonly Message: Message
  readonly MessageDelivery: MessageDelivery
  readonly MessageOrigin: MessageOrigin
  readonly MessageReceipt: MessageReceipt
  readonly MessageRow: MessageRow
  readonly ModelChoice: ModelChoice
  readonly ModelEntry: ModelEntry
  readonly ModelSettings: ModelSettings
  readonly NotedEntry: NotedEntry
  readonly NoticeEvent: NoticeEvent
  readonly ObservedEntry: ObservedEntry
  readonly OpenQuestion: OpenQuestion
  readonly OpenedEntry: OpenedEntry
  readonly Origin: Origin
  readonly PageSegment: PageSegment
  readonly Part: Part
  readonly PartialEvent: PartialEvent
  readonly PinnedTool: PinnedTool
  readonly Pins: Pins
  readonly ProgressEvent: ProgressEvent
  readonly Purpose: Purpose
  readonly QuestionAnsweredEvent: QuestionAnsweredEvent
  readonly QueueAnswer: QueueAnswer
  readonly QueuedEvent: QueuedEvent
  readonly QueuedMessage: QueuedMessage
  readonly ReadyAnswer: ReadyAnswer
  readonly ReasoningEvent: ReasoningEvent
  readonly ReasoningPart: ReasoningPart
  readonly RebaseEvent: RebaseEvent
  readonly RebaseReason: RebaseReason
  readonly RecoveredEntry: RecoveredEntry
  readonly RedoneEntry: RedoneEntry
  readonly RedoneEvent: RedoneEvent
  readonly Reminder: Reminder
  readonly ReminderBody: ReminderBody
  readonly ReminderEvent: ReminderEvent
  readonly ReminderTally: ReminderTally
  readonly RepliedEntry: RepliedEntry
  readonly Reply: Reply
  readonly Report: Report
  readonly RestoredEvent: RestoredEvent
  readonly ResultEntry: ResultEntry
  readonly ResultPolicy: ResultPolicy
  readonly RetryEvent: RetryEvent
  readonly RewindAnswer: RewindAnswer
  readonly RewoundEntry: RewoundEntry
  readonly RewoundEvent: RewoundEvent
  readonly Roster: Roster
  readonly RuleOutcome: RuleOutcome
  readonly SaidEntry: SaidEntry
  readonly SamplingSettings: SamplingSettings
  readonly SearchAnswer: SearchAnswer
  readonly SearchEvent: SearchEvent
  readonly Section: Section
  readonly SegmentChange: SegmentChange
  readonly SegmentKind: SegmentKind
  readonly SessionCounts: SessionCounts
  readonly SessionDetail: SessionDetail
  readonly SessionIdEvent: SessionIdEvent
  readonly SessionList: SessionList
  readonly SessionListItem: SessionListItem
  readonly SessionState: SessionState
  readonly SessionStreamEvent: SessionStreamEvent
  readonly Severity: Severity
  readonly ShownChange: ShownChange
  readonly ShownHolder: ShownHolder
  readonly SidePrices: SidePrices
  readonly SideWay: SideWay
  readonly Signal: Signal
  readonly SnippedEntry: SnippedEntry
  readonly SourceFormat: SourceFormat
  readonly SourceReport: SourceReport
  readonly StateEvent: StateEvent
  readonly StepEntry: StepEntry
  readonly StepEvent: StepEvent
  readonly StepRequest: StepRequest
  readonly StepRow: StepRow
  readonly StepRows: StepRows
  readonly TextEvent: TextEvent
  readonly TextPart: TextPart
  readonly ThinkLevel: ThinkLevel
  readonly ThreadReport: ThreadReport
  readonly ThreadTokens: ThreadTokens
  readonly ToldReminder: ToldReminder
  readonly ToolCallEvent: ToolCallEvent
  readonly ToolCallPart: ToolCallPart
  readonly ToolChanges: ToolChanges
  readonly ToolDefinition: ToolDefinition
  readonly ToolInputEvent: ToolInputEvent
  readonly ToolResultEvent: ToolResultEvent
  readonly ToolResultPart: ToolResultPart
  readonly ToolUse: ToolUse
  readonly ToolsAnswer: ToolsAnswer
  readonly ToolsEntry: ToolsEntry
  readonly TraceDetail: TraceDetail
  readonly TraceEvent: TraceEvent
  readonly TraceList: TraceList
  readonly TraceSummary: TraceSummary
  readonly Trust: Trust
  readonly TrustItem: TrustItem
  readonly TurnEnd: TurnEnd
  readonly TurnEndEvent: TurnEndEvent
  readonly Unchanged: Unchanged
  readonly UntrustedEvent: UntrustedEvent
  readonly Usage: Usage
  readonly UsageEvent: UsageEvent
  readonly UsedTokens: UsedTokens
  readonly Verbatim: Verbatim
  readonly ViewMessage: ViewMessage
  readonly WebhookMessage: WebhookMessage
  readonly CreateSessionInput: CreateSessionInput
  readonly SayInput: SayInput
  readonly AgentInput: AgentInput
  readonly ModelInput: ModelInput
  readonly CompactInput: CompactInput
  readonly UndoInput: UndoInput
  readonly RedoInput: RedoInput
  readonly RewindInput: RewindInput
  readonly AutoInput: AutoInput
  readonly StyleInput: StyleInput
  readonly TaskInput: TaskInput
  readonly RemindInput: RemindInput
  readonly ReminderInput: ReminderInput
  readonly AnswerInput: AnswerInput
  readonly AbortInput: AbortInput
  readonly EditInput: EditInput
  readonly DescribeSessionInput: DescribeSessionInput
  readonly ForkSessionInput: ForkSessionInput
  readonly AddTraceInput: AddTraceInput
  readonly LetInInput: LetInInput
}
