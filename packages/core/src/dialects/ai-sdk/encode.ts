import { wrapReminder } from "../../text/reminder-text.js"
import { field, inputObject, wireName } from "../../vocabulary/fields.js"
import { type AssistantPart, isBlank } from "../../vocabulary/message.js"
import type { ModelSettings } from "../../vocabulary/model-settings.js"
import type { Pins, Request } from "../../vocabulary/request.js"
import {
  type MediaBlock,
  type TextBlock,
  type ToolResultBlock,
  textBlocks,
  type WireMessage,
} from "../../vocabulary/wire-message.js"
import { breakpoints } from "../breakpoints.js"
import { checkDialect } from "../dialect.js"
import type {
  AssistantParam,
  Body,
  MessageParam,
  Output,
  OutputItem,
  ProviderOptions,
  ToolResultParam,
  UserParam,
} from "./body.js"
import { settingsOf } from "./settings.js"

/** What can be set for `encode`. */
export interface EncodeOptions extends Omit<ModelSettings, "options"> {
  /** Whether cache breakpoints are marked. Only Anthropic's provider reads them; they are on unless said. */
  readonly markers?: boolean
}

const MARKER: ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } }
const MARKER_FOR_AN_HOUR: ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral", ttl: "1h" } } }

/** Says in a breakpoint for how long the cache is kept. */
export function markerOf({ cacheLifetime = 0 }: Request): ProviderOptions {
  return cacheLifetime > 300 ? MARKER_FOR_AN_HOUR : MARKER
}

/** Encodes what the SDK sends for a request. Its tools are the SDK's own setting. */
export function encode(request: Request, options: EncodeOptions = {}): Body {
  checkDialect(request, "ai-sdk")
  const { markers = true } = options
  const marked = markers ? breakpoints(request) : []
  return {
    system: request.pins.system,
    messages: [...request.messages].flatMap((message, i) => {
      const params = messageParams(message, request.pins)
      return marked.includes(i) ? markLast(params, markerOf(request)) : params
    }),
    toolChoice: request.toolChoice,
    ...settingsOf(request, options),
  }
}

function markLast(
  params: readonly MessageParam[],
  providerOptions: ProviderOptions,
): readonly MessageParam[] {
  return params.map((param, i) => (i === params.length - 1 ? { ...param, providerOptions } : param))
}

function messageParams(message: WireMessage, { system, nonce }: Pins): readonly MessageParam[] {
  switch (message.role) {
    case "user": {
      const results = message.content.filter((block) => block.type === "tool-result").map(resultParam)
      const others = message.content.filter((block) => block.type !== "tool-result").map(userParam)
      return [
        ...(results.length > 0 ? [{ role: "tool", content: results } as const] : []),
        ...(others.length > 0 ? [{ role: "user", content: others } as const] : []),
      ]
    }
    case "system": {
      // The SDK has only text here, and of two messages in a row the second would not follow a user turn.
      const content = textBlocks(message.content)
        .map(({ text }) => text)
        .join("\n\n")
      // Without a system prompt the SDK would move the first of them to the front, and change what was sent.
      if (system === "")
        return [{ role: "user", content: [{ type: "text", text: wrapReminder(content, nonce) }] }]
      return [{ role: "system", content }]
    }
    case "assistant":
      return [{ role: "assistant", content: message.content.flatMap(assistantParams) }]
  }
}

function userParam(block: TextBlock | MediaBlock): UserParam {
  if (block.type === "text") return { type: "text", text: block.text }
  const { data, mediaType, name } = block
  return { type: "file", data, mediaType, ...(name !== undefined && { filename: name }) }
}

function resultParam({ callId, name, content, error }: ToolResultBlock): ToolResultParam {
  return {
    type: "tool-result",
    toolCallId: callId,
    toolName: wireName(name),
    output: outputOf(content, error),
  }
}

/**
 * Sends one text as text, since some providers write a list out as JSON. A list cannot say that the call failed, so an
 * item of its own does.
 */
function outputOf(content: ToolResultBlock["content"], error: boolean): Output {
  const [first, ...more] = content
  if (first?.type === "text" && more.length === 0)
    return { type: error ? "error-text" : "text", value: first.text }
  const failed: OutputItem[] = error ? [{ type: "text", text: "[this call failed]" }] : []
  return { type: "content", value: [...failed, ...content.map(outputItem)] }
}

function outputItem(block: TextBlock | MediaBlock): OutputItem {
  if (block.type === "text") return { type: "text", text: block.text }
  const { data, mediaType, name } = block
  if (block.type === "image") return { type: "image-data", data, mediaType }
  return { type: "file-data", data, mediaType, ...(name !== undefined && { filename: name }) }
}

function assistantParams(part: AssistantPart): AssistantParam[] {
  const own = part.verbatim?.dialect === "ai-sdk" ? part.verbatim.block : undefined
  if (field(own, "type") !== undefined) return [own as unknown as AssistantParam]
  const options = field(own, "providerOptions") as ProviderOptions | undefined
  const optioned = options === undefined ? {} : { providerOptions: options }
  switch (part.type) {
    case "text":
      return isBlank(part.text) ? [] : [{ type: "text", text: part.text, ...optioned }]
    case "reasoning":
      if (own !== undefined) return [{ type: "reasoning", text: part.text, ...optioned }]
      // Signed, and in no provider's own form: that is how Anthropic's dialect keeps thinking.
      return part.signature === undefined || part.verbatim !== undefined
        ? []
        : [
            {
              type: "reasoning",
              text: part.text,
              providerOptions: { anthropic: { signature: part.signature } },
            },
          ]
    case "tool-call": {
      const { id, name, input } = part
      return [
        {
          type: "tool-call",
          toolCallId: id,
          toolName: wireName(name),
          input: inputObject(input),
          ...optioned,
        },
      ]
    }
  }
}
