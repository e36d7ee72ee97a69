import type { Json } from "./json.js"

/** A piece of text. */
export interface TextPart {
  readonly type: "text"
  /** The text. */
  readonly text: string
  /** The model sees it, the user does not. */
  readonly synthetic?: boolean
  /** The user sees it, the model does not. */
  readonly ignored?: boolean
}

interface MediaFields {
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

/** An image. */
export interface ImagePart extends MediaFields {
  readonly type: "image"
}

/** A document, such as a PDF. */
export interface FilePart extends MediaFields {
  readonly type: "file"
}

/** A provider's own form of an assistant part, so that the same dialect can return it unchanged. */
export interface Verbatim {
  /** The name of the dialect that reads it. */
  readonly dialect: string
  /** As it came. */
  readonly block: Json
  /** What goes back instead, where the provider would refuse the block itself: another form of it, or null for nothing. */
  readonly sent?: Json
}

/** What the model thought before it answered. */
export interface ReasoningPart {
  readonly type: "reasoning"
  /** The thought, or the provider's summary of it. */
  readonly text: string
  /** The provider's proof that it wrote this. Reasoning without one cannot be sent back. */
  readonly signature?: string
  /** The provider's own form of it. */
  readonly verbatim?: Verbatim
}

/** Text of a reply. */
export interface AssistantTextPart extends TextPart {
  readonly verbatim?: Verbatim
}

/** A call that the model made. */
export interface ToolCallPart {
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

/** What a call returned. */
export interface ToolResultPart {
  readonly type: "tool-result"
  /** The call that it answers. */
  readonly callId: string
  /** What came out. */
  readonly output: readonly ContentPart[]
  /** True if the call failed. */
  readonly error?: boolean
}

/** Something that is not text. */
export type MediaPart = ImagePart | FilePart
/** What a user, a tool or a file can contribute. */
export type ContentPart = TextPart | MediaPart
/** What a model can contribute. */
export type AssistantPart = AssistantTextPart | ReasoningPart | ToolCallPart
/** A part of a message. */
export type Part = ContentPart | AssistantPart | ToolResultPart

/** What was said, by the user, the assistant or a tool. */
export interface Message {
  /** Unique in the transcript. */
  readonly id: string
  /** Who said it. */
  readonly role: "user" | "assistant" | "tool"
  /** What was said, in order. */
  readonly parts: readonly Part[]
  /** The agent it was for or from. */
  readonly agent?: string
}

/** Who sent a message. It decides how the model is introduced to it, who sees it, and how far it is trusted. */
export type Origin =
  | { readonly kind: "human" | "coordinator" }
  /** `task` is what ran in the background, an agent unless given; `failed` says that it did not do what it was for. */
  | { readonly kind: "task-notification"; readonly task?: "agent" | "command"; readonly failed?: boolean }
  | { readonly kind: "channel"; readonly server: string }

/** When a message reaches the model: steer, follow up, interrupt, or join if the agent goes on anyway. */
export type Delivery = "next-step" | "after-turn" | "now" | "passive"

/** What is said of a message's journey. `step` counts within the turn in which it was delivered. */
export interface Receipt {
  /** The id of the message. */
  readonly id: string
  /** Its place in the order of admission. */
  readonly seq: number
  /** What has become of it. */
  readonly state: "queued" | "delivered" | "cancelled"
  /** The step that delivered it. */
  readonly step?: number
}

export function toParts(content: string | readonly ContentPart[]): readonly ContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content
}

/** True for base64 that is not empty; its padding may be missing. Every provider refuses anything else as data of media. */
export function isBase64(data: unknown): boolean {
  return (
    typeof data === "string" &&
    /^[A-Za-z0-9+/]+={0,2}$/.test(data) &&
    data.replace(/=+$/, "").length % 4 !== 1
  )
}

export function isBlank(text: string): boolean {
  return text.trim() === ""
}
