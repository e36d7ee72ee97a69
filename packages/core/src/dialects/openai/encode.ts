import { bareModel, stringField } from "../../vocabulary/fields.js"
import type { AssistantPart } from "../../vocabulary/message.js"
import type { Pins, Request } from "../../vocabulary/request.js"
import {
  type MediaBlock,
  type TextBlock,
  type ToolResultBlock,
  textBlocks,
  type WireMessage,
} from "../../vocabulary/wire-message.js"
import { type EncodeOptions, ownBlock, tuningFor } from "../dialect.js"
import { objectEncoder } from "../incremental.js"
import type {
  Body,
  FunctionCallOutput,
  FunctionTool,
  InputContent,
  InputItem,
  InputText,
  MessagePhase,
  SearchTool,
} from "./body.js"
import { effortFor, mayReason, takesSampling } from "./family.js"
import { followed, legalItem } from "./replay.js"
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
  marksCache,
  mostTokens,
  parametersOf,
  samplingOf,
  schemaOf,
  setsBreakpoints,
} from "./write.js"

/** Seconds that the API keeps its cache unless it is asked for more. */
const USUAL_LIFETIME = 1_800

const encoder = objectEncoder<Body>("openai", {
  list: "input",
  head: fixedFields,
  first: systemItem,
  items: itemsOf,
  tail: parameters,
})

/** The body of a request, as a plain object. */
export const encode = encoder.encode

/** The same body as pieces of bytes, to be sent one after the other. What was encoded for earlier requests is reused. */
export const encodeBytes = encoder.encodeBytes

/** The same body for readers that change nothing: it shares its messages with the other bodies of the epoch. */
export const encodeShared = encoder.encodeShared

function fixedFields(pins: Pins) {
  const { model, system, tools } = pins
  return {
    model: bareModel(model),
    ...(system !== "" && !marksCache(pins) && { instructions: system }),
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
  }
}

/** Says the system prompt in the list, where it can carry a breakpoint: every conversation of the agent begins with it. */
function systemItem(pins: Pins): readonly InputItem[] {
  if (pins.system === "" || !marksCache(pins)) return []
  const content = [
    { ...textOf({ type: "text", text: pins.system }), ...(setsBreakpoints(pins) && BREAKPOINT) },
  ]
  return [{ type: "message", role: "developer", content }]
}

function toolOf(tool: Pins["tools"][number]): FunctionTool | SearchTool {
  if (tool.provided === "search") return { type: "web_search" }
  const { name, description } = tool
  return { type: "function", name, description, parameters: schemaOf(tool), strict: false }
}

function parameters(request: Request, options: EncodeOptions) {
  const { answer, cacheLifetime = 0, previousMessage } = request
  const maxTokens = mostTokens(request, options)
  const warms = answer === false && setsBreakpoints(request.pins)
  return {
    // What is not stored comes back with every request, reasoning included.
    store: false,
    ...(mayReason(request.pins.model) && { include: ["reasoning.encrypted_content"] }),
    prompt_cache_key: cacheKeyOf(request),
    ...cacheOptions(request, {
      ...(cacheLifetime > USUAL_LIFETIME && { ttl: "12h" }),
      ...(warms && { prewarm: true }),
      ...(options.cacheDiagnostics &&
        previousMessage !== undefined && { comparison_response_id: previousMessage }),
    }),
    ...(maxTokens !== undefined && !warms && { max_output_tokens: maxTokens }),
    ...parametersOf(request, options, askingOf(request, options)),
  }
}

function askingOf(request: Request, options: EncodeOptions) {
  const { model } = request.pins
  const tuning = tuningFor(request, options)
  const effort = effortFor(tuning.think, model)
  return {
    ...samplingOf(tuning, takesSampling(model, effort)),
    ...(effort !== undefined && { reasoning: { effort } }),
  }
}

function itemsOf(message: WireMessage, pins: Pins): readonly InputItem[] {
  switch (message.role) {
    case "user": {
      const results = message.content.filter((block) => block.type === "tool-result").map(outputOf)
      const said = message.content.filter((block) => block.type !== "tool-result").map(contentOf)
      const ends = isMarked(message, pins)
      if (said.length > 0) return [...results, { type: "message", role: "user", content: marked(said, ends) }]
      return results.map((result, i) =>
        i === results.length - 1 ? { ...result, output: marked(result.output, ends) } : result,
      )
    }
    case "system":
      return [
        {
          type: "message",
          role: "developer",
          content: marked(textBlocks(message.content).map(textOf), isMarked(message, pins)),
        },
      ]
    case "assistant":
      return followed(message.content.flatMap(assistantItems))
  }
}

function outputOf({ callId, content, error }: ToolResultBlock): FunctionCallOutput {
  return {
    type: "function_call_output",
    call_id: callIdOf(callId, LONGEST_CALL_ID.responses),
    output: [...(error ? [textOf({ type: "text", text: FAILED })] : []), ...content.map(contentOf)],
  }
}

function contentOf(block: TextBlock | MediaBlock): InputContent {
  switch (block.type) {
    case "text":
      return textOf(block)
    case "image":
      return { type: "input_image", image_url: dataUrl(block), detail: "auto" }
    case "file":
      return { type: "input_file", filename: fileName(block), file_data: dataUrl(block) }
  }
}

function textOf({ text }: TextBlock): InputText {
  return { type: "input_text", text }
}

function assistantItems(part: AssistantPart): InputItem | readonly InputItem[] {
  switch (part.type) {
    case "text": {
      const label = ownBlock(part, "openai", (block) => stringField(block, "phase")) ?? ""
      if (part.text.trim() === "") return []
      const phase = /^[a-z_]{1,64}$/.test(label) && { phase: label as MessagePhase }
      return [{ type: "message", role: "assistant", content: part.text, ...phase }]
    }
    case "reasoning":
      return part.signature === undefined ? [] : (ownBlock(part, "openai", legalItem) ?? [])
    case "tool-call":
      return [
        {
          type: "function_call",
          call_id: callIdOf(part.id, LONGEST_CALL_ID.responses),
          ...calledFunction(part),
        },
      ]
  }
}
