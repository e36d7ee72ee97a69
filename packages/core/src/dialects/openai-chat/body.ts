import type { Json } from "../../vocabulary/json.js"
import type { Breakpoint, PromptCacheOptions } from "../openai/body.js"
import type { Effort } from "../openai/family.js"

/** The parts of the Chat Completions API that Sotto writes. The tests check them against the official types. */

export interface TextParam extends Breakpoint {
  readonly type: "text"
  readonly text: string
}

interface ImageParam extends Breakpoint {
  readonly type: "image_url"
  readonly image_url: { readonly url: string }
}

interface FileParam extends Breakpoint {
  readonly type: "file"
  readonly file: { readonly filename: string; readonly file_data: string }
}

export type UserParam = TextParam | ImageParam | FileParam

interface ToolCallParam {
  readonly id: string
  readonly type: "function"
  readonly function: { readonly name: string; readonly arguments: string }
}

export interface AssistantMessage {
  readonly role: "assistant"
  readonly content: TextParam[] | string | null
  readonly reasoning_content?: string
  readonly reasoning?: string
  readonly tool_calls?: ToolCallParam[]
}

export interface ToolMessage {
  readonly role: "tool"
  readonly tool_call_id: string
  readonly content: TextParam[] | string
}

export type MessageParam =
  | { readonly role: "system" | "developer"; readonly content: TextParam[] | string }
  | { readonly role: "user"; readonly content: UserParam[] | string }
  | AssistantMessage
  | ToolMessage

export interface ToolParam {
  readonly type: "function"
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: { readonly type: "object"; readonly [key: string]: Json }
  }
}

/** A body of Chat Completions, assignable to the official SDK's type. */
export interface Body {
  readonly model: string
  readonly tools?: ToolParam[]
  readonly messages: MessageParam[]
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage: true }
  readonly temperature?: number
  readonly top_p?: number
  readonly reasoning_effort?: Effort
  /** DeepSeek's own. */
  readonly thinking?: { readonly type: "enabled" | "disabled" }
  readonly prompt_cache_key?: string
  readonly prompt_cache_options?: PromptCacheOptions
  readonly tool_choice?: "none"
}
