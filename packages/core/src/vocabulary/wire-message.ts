import type { Carrier } from "./capabilities.js"
import type { AssistantPart } from "./message.js"
import type { PinnedTool } from "./tool.js"

/**
 * What a dialect encodes: the conversation after placement. Text here is final; nothing downstream wraps, moves,
 * joins or neutralises it.
 */
export interface TextBlock {
  readonly type: "text"
  /** Final: a dialect writes it as it is. */
  readonly text: string
  /** Written by the harness, or carrying its frame. */
  readonly synthetic?: true
  /** A carrier of the dialect's own that the reminder takes. A dialect that does not know it writes the text as it is. */
  readonly carrier?: Carrier
}

/** An image or a document. */
export interface MediaBlock {
  readonly type: "image" | "file"
  /** As MIME has it: "image/png". */
  readonly mediaType: string
  /** Base64. */
  readonly data: string
  /** What the file is called. */
  readonly name?: string
}

/** What a call returned, with the reminders that were moved into it. */
export interface ToolResultBlock {
  readonly type: "tool-result"
  /** The call that it answers. */
  readonly callId: string
  /** The tool that was called. */
  readonly name: string
  /** What came out, never empty. */
  readonly content: readonly (TextBlock | MediaBlock)[]
  /** True if the call failed. */
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

/** What a system message inside the conversation can hold. */
export type SystemBlock = TextBlock | ToolAddedBlock | ToolRemovedBlock

/** Tells a provider of tools that has no other way to hear of them. */
export function textBlocks(content: readonly SystemBlock[]): readonly TextBlock[] {
  return content.filter((block) => block.type === "text")
}

/** What a user message can hold. */
export type UserBlock = ToolResultBlock | TextBlock | MediaBlock

/**
 * One message of a request, after placement. Roles alternate: a system message stands between a user message and its
 * reply.
 */
export type WireMessage =
  /** Tool results first: the APIs reject the reverse. `aside`: no later request repeats it, so that no cache should keep it. */
  | { readonly role: "user"; readonly content: readonly UserBlock[]; readonly aside?: true }
  /** Always between a user message and the assistant's reply to it. */
  | { readonly role: "system"; readonly content: readonly SystemBlock[] }
  | { readonly role: "assistant"; readonly content: readonly AssistantPart[] }
