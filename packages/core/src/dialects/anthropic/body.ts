import type { Json } from "../../vocabulary/json.js"

/** The parts of Anthropic's Messages API that Sotto writes. The tests check them against the official types. */

export interface CacheControl {
  readonly type: "ephemeral"
  readonly ttl?: "1h"
}

interface Cacheable {
  readonly cache_control?: CacheControl
}

export interface TextParam extends Cacheable {
  readonly type: "text"
  readonly text: string
}

/** Text of the model's, with what it quotes: the API made the citations, and wants them back as they are. */
interface CitedTextParam extends TextParam {
  readonly citations: never[]
}

export interface ImageParam extends Cacheable {
  readonly type: "image"
  readonly source: {
    readonly type: "base64"
    readonly media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp"
    readonly data: string
  }
}

export interface DocumentParam extends Cacheable {
  readonly type: "document"
  readonly source: { readonly type: "base64"; readonly media_type: "application/pdf"; readonly data: string }
  readonly title?: string
}

interface ToolResultParam extends Cacheable {
  readonly type: "tool_result"
  readonly tool_use_id: string
  readonly content: (TextParam | ImageParam | DocumentParam)[]
  readonly is_error?: true
}

interface ToolUseParam extends Cacheable {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  readonly input: { readonly [key: string]: Json }
}

interface ThinkingParam {
  readonly type: "thinking"
  readonly thinking: string
  readonly signature: string
}

interface RedactedThinkingParam {
  readonly type: "redacted_thinking"
  readonly data: string
}

export type UserParam = ToolResultParam | TextParam | ImageParam | DocumentParam
export type AssistantParam = TextParam | CitedTextParam | ThinkingParam | RedactedThinkingParam | ToolUseParam

/** A change of tools. The SDK's own type of a message knows it only under betas, which `betasOf` names. */
export type ToolChangeParam =
  | {
      readonly type: "tool_addition"
      readonly tool: { readonly type: "tool_definition"; readonly definition: ToolParam }
    }
  | {
      readonly type: "tool_removal"
      readonly tool: { readonly type: "tool_reference"; readonly name: string }
    }

export type MessageParam =
  | { readonly role: "user"; readonly content: UserParam[] }
  | { readonly role: "system"; readonly content: TextParam[] }
  | { readonly role: "assistant"; readonly content: AssistantParam[] }

export interface ToolParam extends Cacheable {
  readonly name: string
  readonly description: string
  readonly input_schema: { readonly type: "object"; readonly [key: string]: Json }
}

/** The search that the API itself runs. */
export interface SearchToolParam extends Cacheable {
  readonly type: "web_search_20250305"
  readonly name: "web_search"
  readonly max_uses: number
}

/** How the model thinks, as the Messages API spells it. */
export type ThinkingConfig =
  | { readonly type: "adaptive" }
  | { readonly type: "disabled" }
  | { readonly type: "enabled"; readonly budget_tokens: number }

/** How hard the model works, on models that have an effort. */
export interface OutputConfig {
  /** The level. */
  readonly effort: "low" | "medium" | "high" | "max"
}

/** A body of the Messages API, assignable to the official SDK's type. */
export interface Body {
  readonly model: string
  readonly system?: TextParam[]
  readonly tools?: (ToolParam | SearchToolParam)[]
  readonly messages: MessageParam[]
  readonly max_tokens: number
  readonly stream?: boolean
  readonly temperature?: number
  readonly top_p?: number
  readonly thinking?: ThinkingConfig
  readonly output_config?: OutputConfig
  readonly tool_choice?: { readonly type: "none" }
}
