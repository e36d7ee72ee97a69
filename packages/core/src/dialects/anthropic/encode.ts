import { bareModel } from "../../vocabulary/fields.js"
import type { Pins, Request } from "../../vocabulary/request.js"
import type { PinnedTool } from "../../vocabulary/tool.js"
import type {
  MediaBlock,
  SystemBlock,
  TextBlock,
  UserBlock,
  WireMessage,
} from "../../vocabulary/wire-message.js"
import { breakpoints } from "../breakpoints.js"
import { type EncodeOptions, withOptions } from "../dialect.js"
import { objectEncoder } from "../incremental.js"
import type {
  Body,
  CacheControl,
  DocumentParam,
  ImageParam,
  MessageParam,
  SearchToolParam,
  TextParam,
  ToolChangeParam,
  ToolParam,
  UserParam,
} from "./body.js"
import { inputSchemaOf } from "./input-schema.js"
import { BINDING_BETA } from "./output-limits.js"
import { outputSettings } from "./output-settings.js"
import { assistantParams } from "./replay.js"

const CACHE: CacheControl = { type: "ephemeral" }
/** Kept for an hour. All markers of a request say the same: one of an hour may not follow one of five minutes. */
const CACHE_FOR_AN_HOUR: CacheControl = { type: "ephemeral", ttl: "1h" }

function cacheControl({ cacheLifetime = 0 }: Request): CacheControl {
  return cacheLifetime > 300 ? CACHE_FOR_AN_HOUR : CACHE
}

/** What no longer fits the conversation before it is dropped by the API, and refused unless that is asked for. */
const DROPS_REASONING = { block_binding: { prefix_mismatch_behavior: "drop_block" } }

const encoder = objectEncoder<Body>(
  "anthropic",
  {
    list: "messages",
    head: fixedFields,
    items: (message, { tools }) => [messageParam(tools.length > 0 ? message : withoutCalls(message))],
    tail: parameters,
    marker: (request) => ({ cache_control: cacheControl(request) }),
  },
  breakpoints,
)

/** The body of a request, as a plain object. */
export const encode = encoder.encode

/** The same body as pieces of bytes, to be sent one after the other. What was encoded for earlier requests is reused. */
export const encodeBytes = encoder.encodeBytes

/** The same body for readers that change nothing: it shares its messages with the other bodies of the epoch. */
export const encodeShared = encoder.encodeShared

function fixedFields(pins: Pins, marker: object) {
  const tools = pins.tools.map((tool, i): ToolParam | SearchToolParam => {
    const isLast = i === pins.tools.length - 1
    return isLast ? { ...listedTool(tool), ...marker } : listedTool(tool)
  })
  const text: TextParam = { type: "text", text: pins.system, ...marker }
  return {
    model: bareModel(pins.model),
    ...(pins.system !== "" && { system: [text] }),
    ...(tools.length > 0 && { tools }),
  }
}

/** How often a reply may search, because each search is charged for. */
const MOST_SEARCHES = 5

function listedTool(tool: PinnedTool): ToolParam | SearchToolParam {
  if (tool.provided !== "search") return toolParam(tool)
  return { type: "web_search_20250305", name: "web_search", max_uses: MOST_SEARCHES }
}

function toolParam({ name, description, inputSchema }: PinnedTool): ToolParam {
  return { name, description, input_schema: { ...inputSchemaOf(inputSchema), type: "object" } }
}

function parameters(request: Request, options: EncodeOptions) {
  const { stream, cacheDiagnostics, extra } = options
  const { max_tokens, ...asked } = outputSettings(request, options)
  const asking = request.pins.dropsReasoning
    ? { ...asked, thinking: { type: "adaptive", ...asked.thinking, ...DROPS_REASONING } }
    : asked
  return {
    max_tokens,
    ...(stream !== undefined && { stream }),
    ...withOptions(asking, request.pins.options, "output_config"),
    // Tools stay defined byte for byte; only calling them is forbidden.
    ...(request.toolChoice === "none" && request.pins.tools.length > 0 && { tool_choice: { type: "none" } }),
    ...(cacheDiagnostics && { diagnostics: { previous_message_id: request.previousMessage ?? null } }),
    ...extra,
  }
}

function messageParam(message: WireMessage): MessageParam {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.content.map(userParam) }
    case "system":
      return { role: "system", content: message.content.map(systemParam) }
    case "assistant":
      return { role: "assistant", content: message.content.flatMap(assistantParams) }
  }
}

/** Says calls and results in words: without a tool the API takes neither. */
function withoutCalls(message: WireMessage): WireMessage {
  switch (message.role) {
    case "user":
      return {
        ...message,
        content: message.content.flatMap((block) => (block.type === "tool-result" ? block.content : [block])),
      }
    case "assistant":
      return {
        ...message,
        content: message.content.map((part) =>
          part.type === "tool-call"
            ? { type: "text", text: `(calls ${part.name} with ${JSON.stringify(part.input)})` }
            : part,
        ),
      }
    case "system":
      return message
  }
}

function systemParam(block: SystemBlock): TextParam {
  // Outside of the betas the SDK's type of a system message has text alone.
  return block.type === "text" ? textParam(block) : (toolChangeParam(block) as unknown as TextParam)
}

function toolChangeParam(block: Exclude<SystemBlock, TextBlock>): ToolChangeParam {
  return block.type === "tool-added"
    ? { type: "tool_addition", tool: { type: "tool_definition", definition: toolParam(block.tool) } }
    : { type: "tool_removal", tool: { type: "tool_reference", name: block.name } }
}

/** Lists what the header "anthropic-beta" has to name for a request to be accepted. */
export function betasOf(request: Request): readonly string[] {
  return [
    ...(request.changesTools ? ["mid-conversation-tool-changes-2026-07-01", "inline-tools-2026-09-15"] : []),
    ...(request.pins.dropsReasoning ? [BINDING_BETA] : []),
  ]
}

function userParam(block: UserBlock): UserParam {
  if (block.type !== "tool-result") return inlineParam(block)
  return {
    type: "tool_result",
    tool_use_id: block.callId,
    content: block.content.map(inlineParam),
    ...(block.error && { is_error: true }),
  }
}

function inlineParam(block: TextBlock | MediaBlock): TextParam | ImageParam | DocumentParam {
  if (block.type === "text") return textParam(block)
  const { mediaType, data, name } = block
  if (block.type === "image")
    return {
      type: "image",
      source: { type: "base64", media_type: mediaType as ImageParam["source"]["media_type"], data },
    }
  return {
    type: "document",
    source: { type: "base64", media_type: "application/pdf", data },
    ...(name !== undefined && { title: name }),
  }
}

function textParam({ text }: TextBlock): TextParam {
  return { type: "text", text }
}
