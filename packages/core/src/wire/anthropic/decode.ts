import type { Json } from "../../json.js"
import type { AssistantPart } from "../../message/message.js"
import type { Reply, Usage } from "../../message/reply.js"
import {
  callPart,
  type Delta,
  eventData,
  field,
  listField,
  numberField,
  ProviderError,
  parseInput,
  stringField,
} from "../dialect.js"

/** A whole response. */
export function decode(response: unknown): Reply {
  const error = field(response, "error")
  if (error !== undefined && stringField(response, "type") === "error") throw providerError(error)
  const stop = stopReason(stringField(response, "stop_reason"))
  return {
    parts: listField(response, "content").map(partOf),
    ...(stop && { stop }),
    usage: usageOf(field(response, "usage")),
  }
}

/** A response as it streams: the data of each server-sent event, in order. */
export function decoder(): { push(event: unknown): readonly Delta[]; end(): Reply } {
  const blocks: Building[] = []
  let stop: Reply["stop"]
  let usage: Usage | undefined

  function push(sent: unknown): readonly Delta[] {
    const event = eventData(sent)
    const index = numberField(event, "index")
    switch (stringField(event, "type")) {
      case "message_start":
        usage = usageOf(field(field(event, "message"), "usage"))
        return []
      case "content_block_start": {
        const block = field(event, "content_block")
        blocks[index] = {
          block,
          text: initialText(block),
          signature: stringField(block, "signature") ?? "",
          done: false,
        }
        return started(block)
      }
      case "content_block_delta":
        return grow(blocks[index], field(event, "delta"))
      case "content_block_stop": {
        const building = blocks[index]
        if (building === undefined) return []
        building.done = true
        const part = finish(building)
        return part.type === "tool-call"
          ? [{ type: "tool-call", id: part.id, name: part.name, input: part.input }]
          : []
      }
      case "message_delta":
        stop = stopReason(stringField(field(event, "delta"), "stop_reason")) ?? stop
        usage = {
          ...usageOf(undefined),
          ...usage,
          output: numberField(field(event, "usage"), "output_tokens"),
        }
        return []
      case "error":
        throw providerError(field(event, "error"))
      default:
        return []
    }
  }

  return {
    push,
    end: () => ({
      parts: blocks.filter((building) => building !== undefined).map(finish),
      ...(stop && { stop }),
      ...(usage && { usage }),
    }),
  }
}

interface Building {
  /** As its start announced it. */
  readonly block: unknown
  /** Text, thinking or the JSON of an input, so far. */
  text: string
  signature: string
  done: boolean
}

function initialText(block: unknown): string {
  return stringField(block, "text") ?? stringField(block, "thinking") ?? ""
}

function started(block: unknown): readonly Delta[] {
  if (stringField(block, "type") !== "tool_use") return []
  return [
    { type: "tool-call-start", id: stringField(block, "id") ?? "", name: stringField(block, "name") ?? "" },
  ]
}

function grow(building: Building | undefined, delta: unknown): readonly Delta[] {
  if (building === undefined) return []
  switch (stringField(delta, "type")) {
    case "text_delta": {
      const text = stringField(delta, "text") ?? ""
      building.text += text
      return [{ type: "text", text }]
    }
    case "thinking_delta": {
      const text = stringField(delta, "thinking") ?? ""
      building.text += text
      return [{ type: "reasoning", text }]
    }
    case "signature_delta":
      building.signature += stringField(delta, "signature") ?? ""
      return []
    case "input_json_delta":
      building.text += stringField(delta, "partial_json") ?? ""
      return []
    default:
      return []
  }
}

function finish({ block, text, signature, done }: Building): AssistantPart {
  switch (stringField(block, "type")) {
    case "text":
      return { type: "text", text }
    case "thinking":
      return { type: "reasoning", text, ...(signature !== "" && { signature }) }
    case "tool_use": {
      const input = text === "" && done ? (field(block, "input") as Json) : parseInput(text)
      const call = { id: stringField(block, "id") ?? "", name: stringField(block, "name") ?? "" }
      return callPart(call, text, input, done)
    }
    default:
      return opaque(block)
  }
}

function partOf(block: unknown): AssistantPart {
  switch (stringField(block, "type")) {
    case "text":
      return { type: "text", text: stringField(block, "text") ?? "" }
    case "thinking": {
      const signature = stringField(block, "signature")
      const text = stringField(block, "thinking") ?? ""
      return { type: "reasoning", text, ...(signature && { signature }) }
    }
    case "tool_use":
      return {
        type: "tool-call",
        id: stringField(block, "id") ?? "",
        name: stringField(block, "name") ?? "",
        input: (field(block, "input") ?? {}) as Json,
      }
    default:
      return opaque(block)
  }
}

/** What only the provider can read, or what Sotto does not know: it goes back as it came. */
function opaque(block: unknown): AssistantPart {
  const data = stringField(block, "data") ?? ""
  return {
    type: "reasoning",
    text: "",
    signature: data,
    verbatim: { dialect: "anthropic", block: block as Json },
  }
}

function stopReason(reason: string | undefined): Reply["stop"] {
  switch (reason) {
    case undefined:
      return undefined
    case "end_turn":
    case "stop_sequence":
      return "end"
    case "tool_use":
      return "tool-calls"
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length"
    case "refusal":
      return "refusal"
    default:
      return "other"
  }
}

function usageOf(usage: unknown): Usage {
  return {
    input: numberField(usage, "input_tokens"),
    output: numberField(usage, "output_tokens"),
    cacheRead: numberField(usage, "cache_read_input_tokens"),
    cacheWrite: numberField(usage, "cache_creation_input_tokens"),
  }
}

const RETRYABLE = ["overloaded_error", "rate_limit_error", "api_error", "timeout_error"]

function providerError(error: unknown): ProviderError {
  const kind = stringField(error, "type") ?? "api_error"
  return new ProviderError(stringField(error, "message") ?? kind, kind, RETRYABLE.includes(kind))
}
