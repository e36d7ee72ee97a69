import type { Json } from "../../vocabulary/json.js"
import type { Effort } from "./family.js"

/** The parts of OpenAI's Responses API that Sotto writes. The tests check them against the official types. */

/** Where a cache entry ends. */
export interface Breakpoint {
  readonly prompt_cache_breakpoint?: { readonly mode: "explicit" }
}

/**
 * How the API caches, from GPT-5.6 on. The Responses API also takes `ttl: "12h"`, `prewarm` and `comparison_response_id`,
 * which the types of the SDK for Node 20 do not have.
 */
export interface PromptCacheOptions {
  readonly mode: "explicit"
}

export interface InputText extends Breakpoint {
  readonly type: "input_text"
  readonly text: string
}

interface InputImage extends Breakpoint {
  readonly type: "input_image"
  readonly image_url: string
  readonly detail: "auto"
}

interface InputFile extends Breakpoint {
  readonly type: "input_file"
  readonly filename: string
  readonly file_data: string
}

export type InputContent = InputText | InputImage | InputFile

/** What a session waits for: a prompt, a call of `next`, a reply, or results. */
export type MessagePhase = "commentary" | "final_answer"

/** As a reply of the API it would have to carry the id under which the API stored it; nothing is stored. */
interface AssistantMessage {
  readonly type: "message"
  readonly role: "assistant"
  readonly content: string
  readonly phase?: MessagePhase
}

interface FunctionCall {
  readonly type: "function_call"
  readonly call_id: string
  readonly name: string
  readonly arguments: string
}

export interface FunctionCallOutput {
  readonly type: "function_call_output"
  readonly call_id: string
  readonly output: InputContent[]
}

export interface ReasoningItem {
  readonly type: "reasoning"
  readonly id: string
  readonly summary: { readonly type: "summary_text"; readonly text: string }[]
  readonly encrypted_content: string
}

export type InputItem =
  | { readonly type: "message"; readonly role: "user"; readonly content: InputContent[] }
  | { readonly type: "message"; readonly role: "developer"; readonly content: InputText[] }
  | AssistantMessage
  | FunctionCall
  | FunctionCallOutput
  | ReasoningItem

export interface FunctionTool {
  readonly type: "function"
  readonly name: string
  readonly description: string
  readonly parameters: { readonly type: "object"; readonly [key: string]: Json }
  readonly strict: false
}

/** The search that the API itself runs. */
export interface SearchTool {
  readonly type: "web_search"
}

/** A body of the Responses API, assignable to the official SDK's type. */
export interface Body {
  readonly model: string
  readonly instructions?: string
  readonly tools?: (FunctionTool | SearchTool)[]
  readonly input: InputItem[]
  readonly store: false
  readonly include?: "reasoning.encrypted_content"[]
  readonly prompt_cache_key: string
  readonly prompt_cache_options?: PromptCacheOptions
  readonly max_output_tokens?: number
  readonly stream?: boolean
  readonly temperature?: number
  readonly top_p?: number
  readonly reasoning?: { readonly effort: Effort }
  readonly tool_choice?: "none"
}
