import type { Json } from "../json.js"

export interface TextPart {
  readonly type: "text"
  readonly text: string
  /** The model sees it, the user does not. */
  readonly synthetic?: boolean
  /** The user sees it, the model does not. */
  readonly ignored?: boolean
}

interface MediaFields {
  readonly mediaType: string
  /** Base64, without a `data:` prefix. */
  readonly data: string
  readonly name?: string
  readonly synthetic?: boolean
  readonly ignored?: boolean
}

export interface ImagePart extends MediaFields {
  readonly type: "image"
}

export interface FilePart extends MediaFields {
  readonly type: "file"
}

/** A provider's own form of an assistant part, so that the same dialect can return it unchanged. */
export interface Verbatim {
  readonly dialect: string
  readonly block: Json
}

export interface ReasoningPart {
  readonly type: "reasoning"
  readonly text: string
  /** The provider's proof that it wrote this. Reasoning without one cannot be sent back. */
  readonly signature?: string
  readonly verbatim?: Verbatim
}

export interface AssistantTextPart extends TextPart {
  readonly verbatim?: Verbatim
}

export interface ToolCallPart {
  readonly type: "tool-call"
  /** Unique in the session. The provider's own id wherever that is unique too. */
  readonly id: string
  readonly name: string
  readonly input: Json
  /** The stream ended before the input was complete: such a call is never kept. */
  readonly unfinished?: boolean
  readonly verbatim?: Verbatim
}

export interface ToolResultPart {
  readonly type: "tool-result"
  readonly callId: string
  readonly output: readonly ContentPart[]
  readonly error?: boolean
}

export type MediaPart = ImagePart | FilePart
/** What a user, a tool or a file can contribute. */
export type ContentPart = TextPart | MediaPart
export type AssistantPart = AssistantTextPart | ReasoningPart | ToolCallPart
export type Part = ContentPart | AssistantPart | ToolResultPart

export interface Message {
  readonly id: string
  readonly role: "user" | "assistant" | "tool"
  readonly parts: readonly Part[]
  /** The agent it was for or from. */
  readonly agent?: string
}

export type Origin =
  | { readonly kind: "human" | "coordinator" }
  /** `task` is what ran in the background, an agent unless given; `failed` says that it did not do what it was for. */
  | { readonly kind: "task-notification"; readonly task?: "agent" | "command"; readonly failed?: boolean }
  | { readonly kind: "channel"; readonly server: string }

/** When a message reaches the model: steer, follow up, interrupt, or join if the agent goes on anyway. */
export type Delivery = "next-step" | "after-turn" | "now" | "passive"

/** What is said of a message's journey. `step` counts within the turn in which it was delivered. */
export interface Receipt {
  readonly id: string
  readonly seq: number
  readonly state: "queued" | "delivered" | "cancelled"
  readonly step?: number
}

export function toParts(content: string | readonly ContentPart[]): readonly ContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content
}

export function isBlank(text: string): boolean {
  return text.trim() === ""
}
