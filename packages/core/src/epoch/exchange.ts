import type { Frame } from "../inbox/frame.js"
import type { AssistantPart, ContentPart, Origin } from "../message/message.js"
import type { Reminder } from "../reminder/reminder.js"
import type { ToolChanges } from "../wire/tool.js"

/** The outcome of one tool call. */
export interface Result {
  /** What snip calls it. */
  readonly id: string
  readonly callId: string
  readonly name: string
  readonly output: readonly ContentPart[]
  readonly error: boolean
}

/** A message as it was delivered. */
export interface Delivered {
  readonly id: string
  readonly origin: Origin
  readonly content: readonly ContentPart[]
  readonly frame?: Frame
}

/** What goes up at one boundary, in this order. */
export interface Group {
  /** What stands for everything before this epoch. */
  readonly summary?: string
  readonly results: readonly Result[]
  readonly messages: readonly Delivered[]
  readonly reminders: readonly Reminder[]
  readonly tools?: ToolChanges
  /** The turn goes on after a compaction that had to close it: something has to ask for that. */
  readonly goesOn?: true
  /** Which step of the session it was, counted over all turns. */
  readonly ordinal: number
}

/** A group and what the model replied to it: that the roles alternate holds by construction. */
export interface Exchange {
  readonly group: Group
  reply: readonly AssistantPart[] | undefined
}
