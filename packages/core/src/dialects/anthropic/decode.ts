import { field, listField, numberField, parseInput, stringField } from "../../vocabulary/fields.js"
import type { Json } from "../../vocabulary/json.js"
import type { AssistantPart } from "../../vocabulary/message.js"
import { cutAtLimit, endedBy, type Reply, type Stop, type Usage } from "../../vocabulary/reply.js"
import {
  callPart,
  type Decoder,
  type Delta,
  decoderOf,
  eventObject,
  MalformedReply,
  ProviderError,
  readable,
  verbatimOf,
} from "../dialect.js"
import { legalBlock } from "./replay.js"

/** Decodes a whole response. */
export function decode(response: unknown): Reply {
  return readable(() => whole(eventObject(response)))
}

function whole(response: unknown): Reply {
  const error = field(response, "error")
  if (error !== undefined && error !== null) throw providerError(error)
  const content = field(response, "content")
  if (!Array.isArray(content)) throw new MalformedReply("it has no `content`")
  const word = stringField(response, "stop_reason")
  const stop = word === undefined ? undefined : stopReason(word)
  return {
    parts: cutAtLimit(paired(content.map(partOf)), stop),
    ...endedBy(stop, word),
    usage: usageOf(field(response, "usage")),
    ...diagnosticsOf(response),
  }
}

/** Decodes a response as it streams: the data of each server-sent event, in order. */
export function decoder(): Decoder {
  /** By their index, in the order in which they began. */
  const blocks = new Map<number, Building>()
  let begun = false
  let over = false
  let why: string | undefined
  let usage: Usage | undefined
  let diagnostics: Pick<Reply, "diagnostics"> = {}

  function push(sent: unknown): readonly Delta[] {
    const event = eventObject(sent)
    switch (stringField(event, "type")) {
      case "message_start":
        if (begun || blocks.size > 0) throw new MalformedReply("a second message begins")
        begun = true
        usage = usageOf(field(field(event, "message"), "usage"))
        diagnostics = diagnosticsOf(field(event, "message"))
        return []
      case "content_block_start":
        return start(event)
      case "content_block_delta":
        return grow(open(event), field(event, "delta"))
      case "content_block_stop":
        return close(open(event))
      case "message_delta":
        if (over) throw new MalformedReply("the message goes on after its end")
        why = stringField(field(event, "delta"), "stop_reason") ?? why
        usage = { ...usageOf(undefined), ...usage, ...outputOf(field(event, "usage")) }
        return []
      case "message_stop":
        finishMessage()
        return []
      case "error":
        throw providerError(field(event, "error"))
      case undefined:
        if (field(event, "error") !== undefined) throw providerError(field(event, "error"))
        throw new MalformedReply("an event has no type")
      default:
        // The API says that there may be others.
        return []
    }
  }

  function start(event: object): readonly Delta[] {
    const block = field(event, "content_block")
    const index = indexOf(event)
    if (stringField(block, "type") === undefined) throw new MalformedReply("a block has no type")
    if (why !== undefined || over) throw new MalformedReply("a block begins after the end of the message")
    if (blocks.has(index)) throw new MalformedReply(`block ${index} begins twice`)
    const signature = stringField(block, "signature") ?? ""
    const citations = [...listField(block, "citations")] as Json[]
    blocks.set(index, { block, text: initialText(block), signature, citations, done: false })
    return started(block)
  }

  /** Finds the block that the event is about, which has to be open. */
  function open(event: object): Building {
    const index = indexOf(event)
    const building = blocks.get(index)
    if (building === undefined) throw new MalformedReply(`block ${index} goes on before it begins`)
    if (building.done || over || why !== undefined)
      throw new MalformedReply(`block ${index} goes on after its end`)
    return building
  }

  function finishMessage(): void {
    if (why === undefined) throw new MalformedReply("the message ends without a reason")
    const isCut = !["end", "tool-calls"].includes(stopReason(why))
    if (!isCut && [...blocks.values()].some(({ done }) => !done))
      throw new MalformedReply("the message ends inside a block")
    over = true
  }

  function soFar(): Reply {
    const stop = why === undefined ? undefined : stopReason(why)
    return {
      parts: cutAtLimit(paired([...blocks.values()].map(finish)), stop),
      ...endedBy(stop, why),
      ...(usage && { usage }),
      ...diagnostics,
    }
  }

  return decoderOf(push, () => over, soFar, "message_stop")
}

function indexOf(event: object): number {
  const index = field(event, "index")
  if (typeof index === "number" && Number.isSafeInteger(index)) return index
  throw new MalformedReply("an event about a block does not say which")
}

function close(building: Building): readonly Delta[] {
  building.done = true
  const part = finish(building)
  building.part = part
  return part.type === "tool-call"
    ? [{ type: "tool-call", id: part.id, name: part.name, input: part.input }]
    : []
}

function outputOf(usage: unknown): Partial<Usage> {
  return typeof field(usage, "output_tokens") === "number"
    ? { output: numberField(usage, "output_tokens") }
    : {}
}

interface Building {
  /** As its start announced it. */
  readonly block: unknown
  /** Text, thinking or the JSON of an input, so far. */
  text: string
  signature: string
  /** Of a text, what it quotes. */
  readonly citations: Json[]
  done: boolean
  /** What it has become, once done. */
  part?: AssistantPart
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

function grow(building: Building, delta: unknown): readonly Delta[] {
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
    case "citations_delta":
      building.citations.push((field(delta, "citation") ?? null) as Json)
      return []
    case "input_json_delta":
      return grownInput(building, stringField(delta, "partial_json") ?? "")
    case undefined:
      throw new MalformedReply("a change of a block does not say what it changes")
    default:
      return []
  }
}

function grownInput(building: Building, text: string): readonly Delta[] {
  building.text += text
  return text === "" ? [] : [{ type: "tool-input", id: stringField(building.block, "id") ?? "", text }]
}

function finish({ block, text, signature, citations, done, part }: Building): AssistantPart {
  if (part !== undefined) return part
  switch (stringField(block, "type")) {
    case "text":
      return textPart(text, citations)
    case "thinking":
      return { type: "reasoning", text, ...(signature !== "" && { signature }) }
    case "tool_use": {
      const call = { id: stringField(block, "id") ?? "", name: stringField(block, "name") ?? "" }
      const input = text === "" ? (field(block, "input") as Json) : parseInput(text, done)
      return callPart(call, text, input, done)
    }
    default: {
      // What a tool of the provider's is given streams too.
      const input = text === "" ? undefined : parseInput(text)
      return opaque(input === undefined ? block : { ...(block as object), input })
    }
  }
}

function partOf(block: unknown): AssistantPart {
  switch (stringField(block, "type")) {
    case "text":
      return textPart(stringField(block, "text") ?? "", listField(block, "citations"))
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

/** Makes a text part. What it quotes comes with a proof of the provider's, which goes back with the text. */
function textPart(text: string, citations: readonly unknown[]): AssistantPart {
  if (citations.length === 0) return { type: "text", text }
  return {
    type: "text",
    text,
    verbatim: verbatimOf("anthropic", { type: "text", text, citations }, legalBlock),
  }
}

/** Keeps what only the provider can read, or what Sotto does not know: it goes back as it came. */
function opaque(block: unknown): AssistantPart {
  const data = stringField(block, "data") ?? ""
  return {
    type: "reasoning",
    text: "",
    signature: data,
    verbatim: verbatimOf("anthropic", block, legalBlock),
  }
}

/**
 * Drops calls of the provider's own tools that have no result. The API refuses them, also those of a turn that it paused
 * itself (anthropic-sdk-python#961, #1339): asked to go on, the model makes the call again.
 */
function paired(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const answered = new Set(parts.map(({ verbatim }) => stringField(verbatim?.block, "tool_use_id")))
  return parts.map((part) => {
    const { verbatim } = part
    const isCall = /_tool_use$/.test(stringField(verbatim?.block, "type") ?? "")
    return verbatim && isCall && !answered.has(stringField(verbatim.block, "id"))
      ? { ...part, verbatim: { ...verbatim, sent: null } }
      : part
  })
}

function stopReason(reason: string): Stop {
  switch (reason) {
    case "end_turn":
    case "stop_sequence":
      return "end"
    case "tool_use":
      return "tool-calls"
    case "max_tokens":
      return "length"
    case "model_context_window_exceeded":
      return "overflow"
    case "refusal":
      return "refusal"
    case "pause_turn":
      return "paused"
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

/**
 * Reads the cache diagnostics. They are absent unless the request asked for them; `null` says that nothing was found to
 * differ.
 */
function diagnosticsOf(message: unknown): Pick<Reply, "diagnostics"> {
  const found = field(message, "diagnostics")
  const id = stringField(message, "id")
  if (found === undefined || id === undefined) return {}
  if (found === null) return { diagnostics: { message: id } }
  const miss = field(found, "cache_miss_reason")
  const reason = miss === null ? "pending" : stringField(miss, "type")
  const tokens = field(miss, "cache_missed_input_tokens")
  return {
    diagnostics: {
      message: id,
      ...(reason !== undefined && { reason }),
      ...(typeof tokens === "number" && { tokens }),
    },
  }
}

const RETRYABLE = ["overloaded_error", "rate_limit_error", "api_error", "timeout_error"]

function providerError(error: unknown): ProviderError {
  const kind = stringField(error, "type") ?? "api_error"
  return new ProviderError(stringField(error, "message") ?? kind, kind, RETRYABLE.includes(kind))
}
