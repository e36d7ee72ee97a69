import type { Json } from "../../vocabulary/json.js"

/** The parts of Gemini's generateContent that Sotto writes. The tests check them against the official types. */

interface Signed {
  /** The provider's proof of what it thought, bound to the very part it came with. */
  readonly thoughtSignature?: string
}

export interface TextParam extends Signed {
  readonly text: string
  readonly thought?: true
}

export interface InlineDataParam {
  readonly inlineData: { readonly mimeType: string; readonly data: string }
}

export interface FunctionCallParam extends Signed {
  readonly functionCall: {
    readonly id: string
    readonly name: string
    readonly args: { readonly [key: string]: Json }
  }
}

/** One text is a plain string; several stay apart, so that no block runs into the next. */
export type Output = string | readonly string[]

export interface FunctionResponseParam {
  readonly functionResponse: {
    readonly id: string
    readonly name: string
    readonly response: { readonly output: Output } | { readonly error: Output }
  }
}

export type UserParam = FunctionResponseParam | InlineDataParam | TextParam
export type ModelParam = TextParam | FunctionCallParam

export type ContentParam =
  | { readonly role: "user"; readonly parts: UserParam[] }
  | { readonly role: "model"; readonly parts: ModelParam[] }

interface FunctionParam {
  readonly name: string
  readonly description: string
  readonly parametersJsonSchema: { readonly [key: string]: Json }
}

/** A budget before Gemini 3, a level from it on. */
export interface ThinkingConfig {
  readonly thinkingBudget?: number
  readonly thinkingLevel?: "MINIMAL" | "LOW" | "MEDIUM" | "HIGH"
}

/** A body of generateContent, assignable to the official SDK's type but for `toolConfig`. */
export interface Body {
  readonly systemInstruction?: { readonly parts: TextParam[] }
  readonly tools?: ({ readonly functionDeclarations: FunctionParam[] } | { readonly googleSearch: object })[]
  readonly contents: ContentParam[]
  /** The SDK's type of `mode` is an enumeration, to which no text is assignable: give it `FunctionCallingConfigMode.NONE`. */
  readonly toolConfig?: {
    readonly functionCallingConfig?: { readonly mode: "NONE" }
    /** Has the API give its own calls and their results, which go back to it. */
    readonly includeServerSideToolInvocations?: true
  }
  readonly generationConfig?: {
    readonly maxOutputTokens?: number
    readonly temperature?: number
    readonly topP?: number
    /** Or a `thinkingLevel`: the SDK's type of that is an enumeration, to which no text is assignable. */
    readonly thinkingConfig?: Pick<ThinkingConfig, "thinkingBudget">
  }
}
