import { refusesSampling } from "../../vocabulary/capabilities.js"
import { stringField } from "../../vocabulary/fields.js"
import type { AssistantPart } from "../../vocabulary/message.js"
import type { Pins, Request } from "../../vocabulary/request.js"
import { ownTools } from "../../vocabulary/tool.js"
import {
  type MediaBlock,
  type TextBlock,
  type ToolResultBlock,
  textBlocks,
  type WireMessage,
} from "../../vocabulary/wire-message.js"
import { type EncodeOptions, tuningFor } from "../dialect.js"
import { objectEncoder } from "../incremental.js"
import { effortFor, isOpenAis, takesSampling } from "../openai/family.js"
import {
  BREAKPOINT,
  cacheKeyOf,
  cacheOptions,
  calledFunction,
  callIdOf,
  dataUrl,
  FAILED,
  fileName,
  isMarked,
  LONGEST_CALL_ID,
  marked,
  mostTokens,
  parametersOf,
  samplingOf,
  schemaOf,
  setsBreakpoints,
} from "../openai/write.js"
import type {
  AssistantMessage,
  Body,
  MessageParam,
  TextParam,
  ToolMessage,
  ToolParam,
  UserParam,
} from "./body.js"
import { REASONING_FIELDS } from "./thought-fields.js"

const encoder = objectEncoder<Body>("openai-chat", {
  list: "messages",
  head: fixedFields,
  first: systemMessage,
  items: messagesOf,
  tail: parameters,
})

/** The body of a request, as a plain object. */
export const encode = encoder.encode

/** The same body as pieces of bytes, to be sent one after the other. What was encoded for earlier requests is reused. */
export const encodeBytes = encoder.encodeBytes

/** The same body for readers that change nothing: it shares its messages with the other bodies of the epoch. */
export const encodeShared = encoder.encodeShared

function systemMessage(pins: Pins): readonly MessageParam[] {
  if (pins.system === "") return []
  const text = { ...textOf({ text: pins.system }), ...(setsBreakpoints(pins) && BREAKPOINT) }
  return [{ role: "system", content: written([text], pins) }]
}

function fixedFields({ model, ...pins }: Pins) {
  // The API has no search of its own for these models.
  const tools = ownTools(pins.tools)
  return {
    // Only our own prefix goes: a router's models have a slash in their names.
    model: model.replace(/^openai-chat\//, ""),
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
  }
}

function toolOf(tool: Pins["tools"][number]): ToolParam {
  const { name, description } = tool
  return { type: "function", function: { name, description, parameters: schemaOf(tool) } }
}

function parameters(request: Request, options: EncodeOptions) {
  const { stream } = options
  const maxTokens = mostTokens(request, options)
  const own = isOpenAis(request.pins.model)
  return {
    ...(maxTokens !== undefined && { [own ? "max_completion_tokens" : "max_tokens"]: maxTokens }),
    ...(stream === true && { stream_options: { include_usage: true } }),
    ...(own && { prompt_cache_key: cacheKeyOf(request) }),
    ...cacheOptions(request),
    ...parametersOf(request, options, askingOf(request, options), ownTools(request.pins.tools)),
  }
}

function askingOf(request: Request, options: EncodeOptions): Partial<Body> {
  const { model } = request.pins
  const tuning = tuningFor(request, options)
  const { think } = tuning
  if (think !== undefined && switchesThinking(model))
    return { ...samplingOf(tuning, true), thinking: { type: think === "off" ? "disabled" : "enabled" } }
  const effort = namesThinking(model) ? undefined : effortFor(think, model)
  // A gateway passes them on to the newest Claude models, which refuse them.
  const isTaken = takesSampling(model, effort) && !refusesSampling(model)
  return { ...samplingOf(tuning, isTaken), ...(effort !== undefined && { reasoning_effort: effort }) }
}

/**
 * True for DeepSeek's own API, which has a switch and no effort; routers, whose names have a slash, have the effort.
 */
function switchesThinking(model: string): boolean {
  return /^(openai-chat\/)?deepseek-/i.test(model) && !namesThinking(model)
}

/** True if the model's name says whether it thinks. */
function namesThinking(model: string): boolean {
  return /deepseek-(chat|coder|reasoner|r1)/i.test(model)
}

function messagesOf(message: WireMessage, pins: Pins): readonly MessageParam[] {
  switch (message.role) {
    case "user":
      return userMessages(message, pins)
    case "system":
      return [
        {
          role: "developer",
          content: written(marked(textBlocks(message.content).map(textOf), isMarked(message, pins)), pins),
        },
      ]
    case "assistant":
      return [assistantMessage(message.content, pins)]
  }
}

/** Puts every result directly after its call, and then, in one message, all that is not text or not a result. */
function userMessages(message: Extract<WireMessage, { role: "user" }>, pins: Pins): readonly MessageParam[] {
  const results = message.content.filter((block) => block.type === "tool-result")
  const said = message.content.filter((block) => block.type !== "tool-result").map(userParam)
  const words = [...results.flatMap(attachmentsOf), ...said]
  const ends = isMarked(message, pins)
  const isLast = (i: number) => words.length === 0 && i === results.length - 1
  return [
    ...results.map((result, i) => toolMessage(result, pins, ends && isLast(i))),
    ...(words.length > 0 ? [{ role: "user", content: written(marked(words, ends), pins) } as const] : []),
  ]
}

/** Makes a message of a result. `ends`: a cache entry ends with it. */
function toolMessage({ callId, content, error }: ToolResultBlock, pins: Pins, ends: boolean): ToolMessage {
  const texts = content.filter((block) => block.type === "text").map(textOf)
  const returned = texts.length > 0 ? texts : [textOf({ text: "(what it returned is attached below)" })]
  return {
    role: "tool",
    tool_call_id: callIdOf(callId, LONGEST_CALL_ID.chat),
    content: written(marked([...(error ? [textOf({ text: FAILED })] : []), ...returned], ends), pins),
  }
}

/** Writes a list of parts, or, for servers that take no lists, their text. */
function written<P extends UserParam>(parts: readonly P[], { capabilities }: Pins): P[] | string {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
  return capabilities.contentParts || texts.length < parts.length ? [...parts] : texts.join("\n\n")
}

/** Moves media out of a tool message, which takes text only. */
function attachmentsOf({ callId, content }: ToolResultBlock): readonly UserParam[] {
  const media = content.filter((block) => block.type !== "text")
  if (media.length === 0) return []
  const text = `[returned by tool call ${callIdOf(callId, LONGEST_CALL_ID.chat)}:]`
  return [{ type: "text", text }, ...media.map(userParam)]
}

function userParam(block: TextBlock | MediaBlock): UserParam {
  switch (block.type) {
    case "text":
      return textOf(block)
    case "image":
      return { type: "image_url", image_url: { url: dataUrl(block) } }
    case "file":
      return { type: "file", file: { filename: fileName(block), file_data: dataUrl(block) } }
  }
}

function textOf({ text }: { readonly text: string }): TextParam {
  return { type: "text", text }
}

function assistantMessage(parts: readonly AssistantPart[], pins: Pins): AssistantMessage {
  const texts = parts.filter((part) => part.type === "text").filter(({ text }) => text.trim() !== "")
  const calls = parts.filter((part) => part.type === "tool-call")
  const toolCalls = calls.map((call) => ({
    id: callIdOf(call.id, LONGEST_CALL_ID.chat),
    type: "function" as const,
    function: calledFunction(call),
  }))
  return {
    role: "assistant",
    content: texts.length > 0 ? written(texts.map(textOf), pins) : null,
    ...reasoningFields(parts, pins.model),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  }
}

function reasoningFields(parts: readonly AssistantPart[], model: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const { verbatim } of parts) {
    if (verbatim?.dialect !== "openai-chat") continue
    for (const name of REASONING_FIELDS) {
      const text = stringField(verbatim.block, name)
      if (text !== undefined) fields[name] = (fields[name] ?? "") + text
    }
  }
  // DeepSeek's thinking models want the field in every reply, even where an abort or a rebase has emptied it.
  const wanted = /deepseek-(?!chat|coder)/i.test(model)
  return wanted && Object.keys(fields).length === 0 ? { reasoning_content: "" } : fields
}
