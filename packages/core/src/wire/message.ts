import type { AssistantPart } from "../message/message.js"
import type { Carrier } from "./capabilities.js"
import type { PinnedTool } from "./tool.js"

/**
 * What a dialect encodes: the conversation after placement. Text here is final; nothing downstream wraps, moves,
 * joins or neutralises it.
 */
export interface TextBlock {
  readonly type: "text"
  readonly text: string
  /** Written by the harness, or carrying its frame. */
  readonly synthetic?: true
  /** A carrier of the dialect's own that the reminder takes. A dialect that does not know it writes the text as it is. */
  readonly carrier?: Carrier
}

export interface MediaBlock {
  readonly type: "image" | "file"
  readonly mediaType: string
  readonly data: string
  readonly name?: string
}

export interface ToolResultBlock {
  readonly type: "tool-result"
  readonly callId: string
  readonly name: string
  readonly content: readonly (TextBlock | MediaBlock)[]
  readonly error: boolean
}

/** A tool can be called from here on. */
interface ToolAddedBlock {
  readonly type: "tool-added"
  readonly tool: PinnedTool
}

/** A tool can no longer be called from here on. */
interface ToolRemovedBlock {
  readonly type: "tool-removed"
  readonly name: string
}

export type SystemBlock = TextBlock | ToolAddedBlock | ToolRemovedBlock

/** What a provider is told that has no other way to hear of tools. */
export function textBlocks(content: readonly SystemBlock[]): readonly TextBlock[] {
  return content.filter((block) => block.type === "text")
}

export type UserBlock = ToolResultBlock | TextBlock | MediaBlock

export type WireMessage =
  /** Tool results first: the APIs reject the reverse. */
  | { readonly role: "user"; readonly content: readonly UserBlock[] }
  /** Always between a user message and the assistant's reply to it. */
  | { readonly role: "system"; readonly content: readonly SystemBlock[] }
  | { readonly role: "assistant"; readonly content: readonly AssistantPart[] }
