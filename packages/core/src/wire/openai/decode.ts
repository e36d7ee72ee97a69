import type { AssistantPart } from "../../message/message.js"
import type { Reply } from "../../message/reply.js"
import { callPart, type Delta, eventData, field, listField, numberField, stringField } from "../dialect.js"
import { providerError, usageOf } from "./answer.js"
import { callOf, partOf, stopOf, textPart } from "./items.js"

/** A whole response. */
export function decode(response: unknown): Reply {
  const error = field(response, "error")
  if (error !== undefined && error !== null) throw providerError(error)
  const items = listField(response, "output")
  const usage = usageOf(field(response, "usage"))
  return { parts: items.map(partOf), stop: stopOf(response, items), ...(usage && { usage }) }
}

/** A response as it streams: the data of each server-sent event, in order. */
export function decoder(): { push(event: unknown): readonly Delta[]; end(): Reply } {
  const items: Building[] = []
  let ended: Pick<Reply, "stop" | "usage"> = {}

  function push(sent: unknown): readonly Delta[] {
    const event = eventData(sent)
    const index = numberField(event, "output_index")
    const building = items[index]
    switch (stringField(event, "type")) {
      case "response.output_item.added": {
        const item = field(event, "item")
        items[index] = { item, text: "", done: false }
        return stringField(item, "type") === "function_call"
          ? [{ type: "tool-call-start", ...callOf(item) }]
          : []
      }
      case "response.output_text.delta":
      case "response.refusal.delta":
        return grow(building, "text", stringField(event, "delta"))
      case "response.reasoning_summary_part.added":
        return numberField(event, "summary_index") > 0 ? grow(building, "reasoning", "\n\n") : []
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return grow(building, "reasoning", stringField(event, "delta"))
      case "response.function_call_arguments.delta":
        grow(building, "text", stringField(event, "delta"))
        return []
      case "response.function_call_arguments.done":
        if (building) building.text = stringField(event, "arguments") ?? building.text
        return []
      case "response.output_item.done": {
        const item = field(event, "item")
        items[index] = { item, text: "", done: true }
        const part = partOf(item)
        return part.type === "tool-call"
          ? [{ type: "tool-call", id: part.id, name: part.name, input: part.input }]
          : []
      }
      case "response.completed":
      case "response.incomplete":
        ended = endOf(field(event, "response"))
        return []
      case "response.failed":
        throw providerError(field(field(event, "response"), "error"))
      case "error":
        throw providerError(field(event, "error") ?? event)
      default:
        return []
    }
  }

  function endOf(response: unknown): typeof ended {
    const usage = usageOf(field(response, "usage"))
    const stop = stopOf(
      response,
      present().map(({ item }) => item),
    )
    return { stop, ...(usage && { usage }) }
  }

  /** Indexes may leave gaps. */
  const present = () => items.filter((building) => building !== undefined)

  return { push, end: () => ({ parts: present().flatMap(finish), ...ended }) }
}

interface Building {
  /** As it was announced; once done, the whole of it. */
  readonly item: unknown
  /** Text, reasoning or the JSON of an input, so far. */
  text: string
  readonly done: boolean
}

function grow(building: Building | undefined, type: "text" | "reasoning", text = ""): readonly Delta[] {
  if (building === undefined) return []
  building.text += text
  return [{ type, text }]
}

function finish({ item, text, done }: Building): readonly AssistantPart[] {
  if (done) return [partOf(item)]
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
