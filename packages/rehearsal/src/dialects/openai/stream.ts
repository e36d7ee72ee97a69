import type { Json } from "@sotto/core"
import type { ServerSentEvent } from "../../reply/frame.js"
import { argumentsOf, jsonPieces, pieces, type ReplyPart, type ScriptedReply } from "../../reply/reply.js"
import { begun, ended, item, textPart } from "./reply.js"

type Event = { readonly type: string; readonly [key: string]: Json }

/** Makes the response as a stream of events, numbered in order. */
export function frames(reply: ScriptedReply, body: unknown): readonly ServerSentEvent[] {
  const start = begun(reply, body)
  const end = { ...start, ...ended(reply, body) }
  const events: readonly Event[] = [
    { type: "response.created", response: start },
    { type: "response.in_progress", response: start },
    ...reply.parts.flatMap((part, i) => itemEvents(part, i, reply, body)),
    { type: end.status === "completed" ? "response.completed" : "response.incomplete", response: end },
  ]
  return events.map(({ type, ...rest }, sequence_number) => ({
    event: type,
    data: { type, sequence_number, ...rest },
    ...(type.endsWith(".delta") && { token: true }),
    ...(rest.response === end && { counted: reply.usage }),
  }))
}

function itemEvents(
  part: ReplyPart,
  output_index: number,
  reply: ScriptedReply,
  body: unknown,
): readonly Event[] {
  const whole = item(part, output_index, reply, body)
  const at = { item_id: whole.id as string, output_index }
  return [
    { type: "response.output_item.added", output_index, item: opened(part, whole) },
    ...(whole.type === "custom_tool_call" ? customEvents(String(whole.input), at) : contentEvents(part, at)),
    { type: "response.output_item.done", output_index, item: whole },
  ]
}

function opened(part: ReplyPart, whole: { readonly [key: string]: Json }): Json {
  switch (part.type) {
    case "text":
      return { ...whole, status: "in_progress", content: [] }
    case "reasoning":
      return { ...whole, summary: [] }
    case "search":
      return { ...whole, status: "in_progress" }
    case "tool-call":
      return {
        ...whole,
        status: "in_progress",
        ...(whole.type === "custom_tool_call" ? { input: "" } : { arguments: "" }),
      }
  }
}

interface Place {
  readonly item_id: string
  readonly output_index: number
}

function customEvents(input: string, at: Place): readonly Event[] {
  const deltas = jsonPieces(input).map((delta) => ({
    type: "response.custom_tool_call_input.delta",
    ...at,
    delta,
  }))
  return [...deltas, { type: "response.custom_tool_call_input.done", ...at, input }]
}

function contentEvents(part: ReplyPart, at: Place): readonly Event[] {
  switch (part.type) {
    case "text": {
      const inside = { ...at, content_index: 0 }
      return [
        { type: "response.content_part.added", ...inside, part: textPart("") },
        ...pieces(part.text).map((delta) => ({
          type: "response.output_text.delta",
          ...inside,
          delta,
          logprobs: [],
        })),
        { type: "response.output_text.done", ...inside, text: part.text, logprobs: [] },
        { type: "response.content_part.done", ...inside, part: textPart(part.text) },
      ]
    }
    case "reasoning": {
      const inside = { ...at, summary_index: 0 }
      const summary = (text: string) => ({ type: "summary_text", text })
      return [
        { type: "response.reasoning_summary_part.added", ...inside, part: summary("") },
        ...pieces(part.text).map((delta) => ({
          type: "response.reasoning_summary_text.delta",
          ...inside,
          delta,
        })),
        { type: "response.reasoning_summary_text.done", ...inside, text: part.text },
        { type: "response.reasoning_summary_part.done", ...inside, part: summary(part.text) },
      ]
    }
    case "search":
      return ["in_progress", "searching", "completed"].map((state) => ({
        type: `response.web_search_call.${state}`,
        ...at,
      }))
    case "tool-call": {
      const written = argumentsOf(part)
      return [
        ...jsonPieces(written).map((delta) => ({
          type: "response.function_call_arguments.delta",
          ...at,
          delta,
        })),
        { type: "response.function_call_arguments.done", ...at, name: part.name, arguments: written },
      ]
    }
  }
}
