import { field, listField, numberField, stringField } from "../../vocabulary/fields.js"
import type { AssistantPart } from "../../vocabulary/message.js"
import { cutAtLimit, type Reply } from "../../vocabulary/reply.js"
import {
  callPart,
  type Decoder,
  type Delta,
  decoderOf,
  eventObject,
  MalformedReply,
  readable,
} from "../dialect.js"
import { providerError, usageOf } from "./answer.js"
import { callOf, endOf, partOf, textPart } from "./items.js"

/** Decodes a whole response. */
export function decode(response: unknown): Reply {
  return readable(() => wholeReply(eventObject(response)))
}

function wholeReply(response: unknown): Reply {
  const error = field(response, "error")
  if (error !== undefined && error !== null) throw providerError(error)
  const items = field(response, "output")
  if (!Array.isArray(items)) throw new MalformedReply("it has no `output`")
  return replyOf(response, items, items.map(partOf))
}

function replyOf(response: unknown, items: readonly unknown[], parts: readonly AssistantPart[]): Reply {
  const usage = usageOf(field(response, "usage"))
  const ended = endOf(response, items)
  return {
    parts: cutAtLimit(parts, ended.stop),
    ...ended,
    ...(usage && { usage }),
    ...diagnosticsOf(response),
  }
}

/** Reads the cache diagnostics. They are absent unless the request named a response to compare it with. */
function diagnosticsOf(response: unknown): Pick<Reply, "diagnostics"> {
  const found = field(response, "prompt_cache_diagnostics")
  const message = stringField(response, "id")
  const type = stringField(found, "type")
  if (type === undefined || message === undefined) return {}
  if (type === "cache_hit") return { diagnostics: { message } }
  const tokens = field(found, "cache_missed_tokens")
  const reason = (type === "cache_miss" ? stringField(found, "reason") : undefined) ?? type
  return { diagnostics: { message, reason, ...(typeof tokens === "number" && { tokens }) } }
}

/** Decodes a response as it streams: the data of each server-sent event, in order. */
export function decoder(): Decoder {
  /** By their index, in the order in which they began. */
  const items = new Map<number, Building>()
  let reply: Reply | undefined
  let diagnosed: Pick<Reply, "diagnostics"> = {}

  function push(sent: unknown): readonly Delta[] {
    const event = eventObject(sent)
    const type = stringField(event, "type")
    if (type === undefined) throw untyped(event)
    if (reply !== undefined && type.startsWith("response."))
      throw new MalformedReply("the response goes on after its end")
    switch (type) {
      case "response.output_item.added":
        return add(event)
      case "response.output_text.delta":
      case "response.refusal.delta":
        return grow(open(event), "text", stringField(event, "delta"))
      case "response.reasoning_summary_part.added":
        return numberField(event, "summary_index") > 0 ? grow(open(event), "reasoning", "\n\n") : []
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return grow(open(event), "reasoning", stringField(event, "delta"))
      case "response.function_call_arguments.delta":
        return growInput(open(event), stringField(event, "delta"))
      case "response.function_call_arguments.done": {
        const building = open(event)
        building.text = stringField(event, "arguments") ?? building.text
        return []
      }
      case "response.output_item.done":
        return finishItem(event)
      case "response.completed":
      case "response.incomplete":
        reply = { ...diagnosed, ...whole(field(event, "response"), type === "response.incomplete") }
        return []
      case "response.created":
      case "response.in_progress":
        diagnosed = { ...diagnosed, ...diagnosticsOf(field(event, "response")) }
        return []
      case "response.failed":
        throw providerError(field(field(event, "response"), "error"))
      case "response.cancelled":
        throw new MalformedReply("the response was cancelled")
      case "error":
        throw providerError(field(event, "error") ?? event)
      default:
        // The API says that there may be others.
        return []
    }
  }

  function add(event: object): readonly Delta[] {
    const index = indexOf(event)
    const item = itemOf(event)
    if (items.has(index)) throw new MalformedReply(`item ${index} begins twice`)
    items.set(index, { item, text: "", done: false })
    return stringField(item, "type") === "function_call" ? [{ type: "tool-call-start", ...callOf(item) }] : []
  }

  /** Finds the item that the event is about, which has to be open. */
  function open(event: object): Building {
    const index = indexOf(event)
    const building = items.get(index)
    if (building === undefined) throw new MalformedReply(`item ${index} goes on before it begins`)
    if (building.done) throw new MalformedReply(`item ${index} goes on after its end`)
    return building
  }

  function finishItem(event: object): readonly Delta[] {
    const index = indexOf(event)
    const item = itemOf(event)
    if (items.get(index)?.done) throw new MalformedReply(`item ${index} ends twice`)
    const part = partOf(item)
    items.set(index, { item, text: "", done: true, part })
    return part.type === "tool-call"
      ? [{ type: "tool-call", id: part.id, name: part.name, input: part.input }]
      : []
  }

  /**
   * Reads what the last event says of the whole. An item that is still open then was cut off, or its end is missing.
   */
  function whole(response: unknown, isCut: boolean): Reply {
    if (response === null || typeof response !== "object") throw new MalformedReply("the end has no response")
    const buildings = [...items.values()]
    const output = listField(response, "output")
    if (isCut || buildings.every(isWhole)) {
      const begun = buildings.map(({ item }) => item)
      return replyOf(response, begun, buildings.flatMap(finish))
    }
    if (output.length < buildings.length) throw new MalformedReply("the response ends inside an item")
    return replyOf(response, output, output.map(partOf))
  }

  return decoderOf(
    push,
    () => reply !== undefined,
    () => reply ?? { parts: [...items.values()].flatMap(finish) },
    "response.completed",
  )
}

interface Building {
  /** As it was announced; once done, the whole of it. */
  readonly item: unknown
  /** Text, reasoning or the JSON of an input, so far. */
  text: string
  readonly done: boolean
  /** What it has become, once done. */
  readonly part?: AssistantPart
}

/** True for an item that has ended. Some servers do not close reasoning, and nothing depends on that. */
function isWhole({ item, done }: Building): boolean {
  return done || stringField(item, "type") === "reasoning"
}

function untyped(event: object): Error {
  const error = field(event, "error")
  return error === undefined ? new MalformedReply("an event has no type") : providerError(error)
}

function indexOf(event: object): number {
  const index = field(event, "output_index")
  if (typeof index === "number" && Number.isSafeInteger(index)) return index
  throw new MalformedReply("an event about an item does not say which")
}

function itemOf(event: object): unknown {
  const item = field(event, "item")
  if (stringField(item, "type") === undefined) throw new MalformedReply("an item has no type")
  return item
}

function grow(building: Building, type: "text" | "reasoning", text: string | undefined): readonly Delta[] {
  if (text === undefined) throw new MalformedReply("an item grows by nothing")
  building.text += text
  return [{ type, text }]
}

function growInput(building: Building, text: string | undefined): readonly Delta[] {
  if (text === undefined) throw new MalformedReply("an item grows by nothing")
  building.text += text
  return text === "" ? [] : [{ type: "tool-input", id: callOf(building.item).id, text }]
}

function finish({ item, text, part }: Building): readonly AssistantPart[] {
  if (part !== undefined) return [part]
  switch (stringField(item, "type")) {
    case "message":
      return [textPart(item, text)]
    case "reasoning":
      return [{ type: "reasoning", text }]
    case "function_call":
      return [callPart(callOf(item), text, undefined, false)]
    default:
      return []
  }
}
