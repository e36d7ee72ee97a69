import { field, listField, stringField } from "@sotto/core/dialect"
import type { SourceItem } from "../../call.js"
import { damaged } from "../calls.js"
import { isObject, numberOf, parsed, timeOf } from "../json.js"
import type { SourceLine } from "../lines.js"
import { partialCall } from "./partial.js"

const LINES = new Set([
  "session_meta",
  "response_item",
  "turn_context",
  "event_msg",
  "compacted",
  "world_state",
])

/** True for a line of `~/.codex/sessions/…/rollout-*.jsonl`. */
export function isCodexLine(found: unknown): boolean {
  return LINES.has(stringField(found, "type") ?? "") && isObject(field(found, "payload"))
}

/** What the model says; everything else in the list is said to it. */
const SAID = /^(reasoning|\w+_call|tool_search_call|program)$/

interface Open {
  readonly number: number
  readonly at: number | undefined
  readonly input: readonly unknown[]
  readonly output: unknown[]
  /** Something was said to the model since: what it says next belongs to another reply. */
  answered: boolean
}

/**
 * Reads the file, which keeps the items of the Responses API as they were sent and received, and what each reply cost.
 */
export async function* codexItems(
  source: string,
  lines: AsyncIterable<SourceLine>,
): AsyncGenerator<SourceItem> {
  let model: string | undefined
  let instructions: string | undefined
  let input: unknown[] = []
  let open: Open | undefined

  const finished = (usage?: unknown): SourceItem[] => {
    if (open === undefined) return []
    const { number, at, output } = open
    const body = { model, ...(instructions !== undefined && { instructions }), input: open.input }
    const reply = { object: "response", model, output, ...usageOf(usage) }
    open = undefined
    return [{ type: "call", call: partialCall(source, "openai", { number, at, model, body, reply }) }]
  }

  for await (const { number, text } of lines) {
    const line = parsed(text)
    const payload = field(line, "payload")
    if (!isObject(line) || payload === undefined) {
      yield damaged(source, number, "is damaged")
      continue
    }
    switch (stringField(line, "type")) {
      case "session_meta":
        instructions =
          stringField(payload, "instructions") ?? stringField(field(payload, "base_instructions"), "text")
        break
      case "turn_context":
        model = stringField(payload, "model") ?? model
        break
      case "response_item": {
        const item = sentItem(payload)
        if (isSaid(item)) {
          if (open?.answered) yield* finished()
          open ??= { number, at: timeOf(line.timestamp), input: [...input], output: [], answered: false }
          open.output.push(item)
        } else if (open !== undefined) open.answered = true
        input.push(item)
        break
      }
      case "token_usage_record":
        yield* finished(field(payload, "usage"))
        break
      case "event_msg":
        // Before 0.160 or so, this is the only word about the cost.
        if (stringField(payload, "type") === "token_count")
          yield* finished(field(field(payload, "info"), "last_token_usage"))
        break
      case "compacted":
        yield* finished()
        input = [...listField(payload, "replacement_history").map(sentItem)]
        if (input.length === 0) input = [summary(stringField(payload, "message") ?? "")]
        break
    }
  }
  yield* finished()
}

function isSaid(item: unknown): boolean {
  if (SAID.test(stringField(item, "type") ?? "")) return true
  return stringField(item, "role") === "assistant"
}

/** Gives an item as it goes over the wire, without what Codex notes about it for itself. */
function sentItem(payload: unknown): unknown {
  if (!isObject(payload)) return payload
  const { internal_chat_message_metadata_passthrough: _, id: __, ...item } = payload
  return item
}

function summary(text: string): unknown {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] }
}

function usageOf(usage: unknown): object {
  const input = numberOf(usage, "input_tokens")
  if (input === undefined) return {}
  return {
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: numberOf(usage, "cached_input_tokens") ?? 0 },
      output_tokens: numberOf(usage, "output_tokens") ?? 0,
    },
  }
}
