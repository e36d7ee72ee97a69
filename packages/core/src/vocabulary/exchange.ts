import type { Json } from "./json.js"
import type { AssistantPart, ContentPart, Origin } from "./message.js"
import type { Reminder } from "./reminder.js"
import type { ToolChanges } from "./tool.js"

/** The outcome of one tool call. */
export interface Result {
  /** What snip calls it. */
  readonly id: string
  /** The call that it answers. */
  readonly callId: string
  /** The tool that was called. */
  readonly name: string
  /** What the call returned. */
  readonly output: readonly ContentPart[]
  /** True if the call failed. */
  readonly error: boolean
  /** What it costs to read, where the caller's counter was asked. */
  readonly tokens?: number
  /** An economy has dropped what the call returned: a stub stands for it. */
  readonly dropped?: true
}

/** A tool result that the model was sent, and the call that it answers. */
export interface HeldResult extends Result {
  /** What the call was given. */
  readonly input: Json
  /** What the result costs to read. */
  readonly tokens: number
  /** Tokens of the epoch before the exchange that the result is in. */
  readonly before: number
  /** The step of the session that sent it. */
  readonly ordinal: number
}

/** A message as it was delivered. */
export interface Delivered {
  readonly id: string
  readonly origin: Origin
  readonly content: readonly ContentPart[]
  readonly frame?: Frame
}

/**
 * Why a turn takes another step that no result calls for; the model is told. `true`: a compaction had to close the
 * turn. `paused`: the provider wants to be asked again. `dropped`: an economy had to close it. `cut`: the limit on output
 * ended the reply inside calls of these tools.
 */
export type ContinueReason = true | "paused" | "dropped" | { readonly cut: readonly string[] }

/** What goes up at one boundary, in this order. */
export interface Group {
  /** What stands for everything before this epoch. */
  readonly summary?: string
  readonly results: readonly Result[]
  readonly messages: readonly Delivered[]
  readonly reminders: readonly Reminder[]
  readonly tools?: ToolChanges
  readonly goesOn?: ContinueReason
  /** What all of it costs, where the caller's counter was asked. */
  readonly tokens?: number
  /** Which step of the session it was, counted over all turns. */
  readonly ordinal: number
}

/** A group and what the model replied to it: that the roles alternate holds by construction. */
export interface Exchange {
  readonly group: Group
  reply: readonly AssistantPart[] | undefined
  /** What the reply costs, where the caller's counter was asked. */
  replyTokens?: number
}

/** The harness's words around a message: who sent it, and what to make of it. */
export interface Frame {
  readonly before: string
  readonly after?: string
  /** The same, for where it stands apart from the words, in a system message after them. */
  readonly apart?: string
}

/** Why an epoch began. */
export type RebaseReason =
  | "start"
  | "compaction"
  | "snip"
  | "rewind"
  | "model"
  | "agent"
  | "carrier"
  | "system"
  | "trust"
  | "format"
  | "economy"
