import type { AssistantPart } from "../message/message.js"

/**
 * What a dialect encodes: the conversation after placement. Text here is final; nothing downstream wraps, moves,
 * joins or neutralises it.
 */
export interface TextBlock {
  readonly type: "text"
  readonly text: string
  /** Written by the harness, or carrying its frame. */
  readonly synthetic?: true
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

export type UserBlock = ToolResultBlock | TextBlock | MediaBlock

export type WireMessage =
  /** Tool results first: the APIs reject the reverse. */
  | { readonly role: "user"; readonly content: readonly UserBlock[] }
  /** Always between a user message and the assistant's reply to it. */
  | { readonly role: "system"; readonly content: readonly TextBlock[] }
  | { readonly role: "assistant"; readonly content: readonly AssistantPart[] }
