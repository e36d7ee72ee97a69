/** The parts of the AI SDK's prompt that Sotto writes. The tests check them against the SDK's own types. */

type Value = null | boolean | number | string | Value[] | { [key: string]: Value }

/** What only one provider understands, under its name. */
export interface ProviderOptions {
  [provider: string]: { [key: string]: Value }
}

interface Optioned {
  readonly providerOptions?: ProviderOptions
}

interface TextParam extends Optioned {
  readonly type: "text"
  readonly text: string
}

interface FileParam extends Optioned {
  readonly type: "file"
  readonly data: string
  readonly mediaType: string
  readonly filename?: string
}

interface ReasoningParam extends Optioned {
  readonly type: "reasoning"
  readonly text: string
}

interface ToolCallParam extends Optioned {
  readonly type: "tool-call"
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

export type OutputItem =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image-data"; readonly data: string; readonly mediaType: string }
  | {
      readonly type: "file-data"
      readonly data: string
      readonly mediaType: string
      readonly filename?: string
    }

export type Output =
  | { readonly type: "text" | "error-text"; readonly value: string }
  | { readonly type: "content"; readonly value: OutputItem[] }

export interface ToolResultParam extends Optioned {
  readonly type: "tool-result"
  readonly toolCallId: string
  readonly toolName: string
  readonly output: Output
}

export type UserParam = TextParam | FileParam
export type AssistantParam = TextParam | FileParam | ReasoningParam | ToolCallParam | ToolResultParam

export interface SystemMessage extends Optioned {
  readonly role: "system"
  readonly content: string
}

export type MessageParam =
  | SystemMessage
  | ({ readonly role: "user"; readonly content: UserParam[] } & Optioned)
  | ({ readonly role: "assistant"; readonly content: AssistantParam[] } & Optioned)
  | ({ readonly role: "tool"; readonly content: ToolResultParam[] } & Optioned)

/** What the SDK takes beside the prompt, for `generateText`, `streamText` and `prepareStep` alike. */
export interface Settings {
  /** How the model samples. */
  readonly temperature?: number
  /** How the model samples. */
  readonly topP?: number
  /** Options that a provider of the SDK reads: thinking, for one. */
  readonly providerOptions?: ProviderOptions
}

/** What the AI SDK's `generateText` and `streamText` take for a request. */
export interface Body extends Settings {
  readonly system: string
  readonly messages: MessageParam[]
  readonly toolChoice: "auto" | "none"
}
