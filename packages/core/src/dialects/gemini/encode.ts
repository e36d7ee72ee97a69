import { bareModel, field, inputObject } from "../../vocabulary/fields.js"
import { type AssistantPart, isBlank } from "../../vocabulary/message.js"
import type { Pins, Request } from "../../vocabulary/request.js"
import { offersSearch, ownTools } from "../../vocabulary/tool.js"
import {
  type MediaBlock,
  type TextBlock,
  type ToolResultBlock,
  textBlocks,
  type UserBlock,
  type WireMessage,
} from "../../vocabulary/wire-message.js"
import { type EncodeOptions, ownBlock, tuningFor } from "../dialect.js"
import { objectEncoder } from "../incremental.js"
import type {
  Body,
  ContentParam,
  FunctionCallParam,
  FunctionResponseParam,
  InlineDataParam,
  ModelParam,
  Output,
  TextParam,
  UserParam,
} from "./body.js"
import { functionName, legalPart } from "./replay.js"
import { thinkingConfigOf } from "./think-levels.js"

const encoder = objectEncoder<Body>("gemini", {
  list: "contents",
  head: fixedFields,
  items: contentParams,
  tail: parameters,
})

/** The body of a request, as a plain object. */
export const encode = encoder.encode

/** The same body as pieces of bytes, to be sent one after the other. What was encoded for earlier requests is reused. */
export const encodeBytes = encoder.encodeBytes

/** The same body for readers that change nothing: it shares its messages with the other bodies of the epoch. */
export const encodeShared = encoder.encodeShared

/** Gives the model's name for the URL. The body does not name it. */
export function modelName({ pins }: Request): string {
  return bareModel(pins.model)
}

function fixedFields({ system, tools, model }: Pins): Pick<Body, "systemInstruction" | "tools"> {
  const functionDeclarations = ownTools(tools).map(({ name, description, inputSchema }) => ({
    name,
    description,
    parametersJsonSchema: inputSchema,
  }))
  return {
    ...(system !== "" && { systemInstruction: { parts: [{ text: system }] } }),
    ...(functionDeclarations.length > 0 && {
      tools: [{ functionDeclarations }, ...(searches(tools, model) ? [{ googleSearch: {} }] : [])],
    }),
  }
}

function parameters(request: Request, given: EncodeOptions) {
  const { maxTokens = request.answer === false ? 1 : undefined, extra } = given
  const { temperature, topP, think, options } = tuningFor(request, given)
  const thinkingConfig = thinkingConfigOf(think, request.pins.model)
  const generationConfig = {
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(thinkingConfig && { thinkingConfig }),
    ...(field(options, "generationConfig") as object | undefined),
    // How much a model thinks is set in here too: what a harness adds must not take away what Sotto wrote.
    ...(field(extra, "generationConfig") as object | undefined),
  }
  const { tools, model } = request.pins
  const toolConfig = {
    // Tools stay defined byte for byte; only calling them is forbidden.
    ...(request.toolChoice === "none" &&
      ownTools(tools).length > 0 && { functionCallingConfig: { mode: "NONE" as const } }),
    // Without it the API takes its own search and functions together not at all.
    ...(searches(tools, model) && { includeServerSideToolInvocations: true as const }),
  }
  return {
    ...(Object.keys(toolConfig).length > 0 && { toolConfig }),
    ...options,
    ...extra,
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
  }
}

function contentParams(message: WireMessage, pins: Pins): readonly ContentParam[] {
  switch (message.role) {
    case "user":
      return userParams(message.content)
        .filter((parts) => parts.length > 0)
        .map((parts) => ({ role: "user", parts }))
    case "system":
      return [{ role: "user", parts: textBlocks(message.content).map(({ text }) => ({ text })) }]
    case "assistant":
      return [{ role: "model", parts: withSignature(message.content.flatMap(modelParams), pins.model) }]
  }
}

/**
 * Responses first; a response holds only JSON, so what a tool showed follows behind the last of them. Words and reminders
 * have a content of their own, so that none stands beside a response.
 */
function userParams(content: readonly UserBlock[]): readonly UserParam[][] {
  const results = content.filter((block) => block.type === "tool-result")
  const shown = results.flatMap((result) => result.content.filter((block) => block.type !== "text"))
  const others = content.filter((block) => block.type !== "tool-result")
  return [[...results.map(responseParam), ...shown.map(inlineParam)], others.map(inlineParam)]
}

function responseParam({ callId, name, content, error }: ToolResultBlock): FunctionResponseParam {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []))
  const [only = "(see what is attached)", ...more] = texts
  const output: Output = more.length > 0 ? texts : only
  return {
    functionResponse: {
      id: callId,
      name: functionName(name),
      response: error ? { error: output } : { output },
    },
  }
}

function inlineParam(block: TextBlock | MediaBlock): TextParam | InlineDataParam {
  if (block.type === "text") return { text: block.text }
  return { inlineData: { mimeType: block.mediaType, data: block.data } }
}

function modelParams(part: AssistantPart): ModelParam[] {
  const own = ownBlock(part, "gemini", legalPart) as ModelParam | undefined
  const said = own && !isCall(own) ? [own] : undefined
  switch (part.type) {
    case "text":
      if (said) return said
      return isBlank(part.text) ? [] : [{ text: part.text }]
    case "reasoning": {
      if (said) return said
      const signature = part.signature && { thoughtSignature: part.signature }
      const isForeign = part.verbatim !== undefined
      return isForeign || (part.text === "" && !part.signature)
        ? []
        : [{ text: part.text, thought: true, ...signature }]
    }
    case "tool-call":
      if (own && isCall(own)) return [{ ...own, functionCall: { ...own.functionCall, id: part.id } }]
      return [{ functionCall: { id: part.id, name: functionName(part.name), args: inputObject(part.input) } }]
  }
}

/** Documented by Google for calls that carry no signature because another model made them, or no model did. */
const UNSIGNED = "skip_thought_signature_validator"

/** True if the model's own search is offered: before Gemini 3 it cannot be beside functions. */
function searches(tools: Pins["tools"], model: string): boolean {
  return offersSearch(tools) && ownTools(tools).length > 0 && generationOf(model) >= 3
}

/** Signs the first call of a step, which Gemini 3 and later refuse without a signature. */
function withSignature(parts: ModelParam[], model: string): ModelParam[] {
  const first = parts.find(isCall)
  if (first === undefined || first.thoughtSignature !== undefined || !requiresSignatures(model)) return parts
  return parts.map((part) => (part === first ? { ...first, thoughtSignature: UNSIGNED } : part))
}

function requiresSignatures(model: string): boolean {
  return generationOf(model) >= 3
}

function generationOf(model: string): number {
  return Number(/gemini-(\d+)/i.exec(model)?.[1] ?? 0)
}

function isCall(part: ModelParam): part is FunctionCallParam {
  return "functionCall" in part
}
