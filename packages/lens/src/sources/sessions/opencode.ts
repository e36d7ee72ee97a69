import { field, listField, stringField } from "@sotto/core/dialect"
import type { SourceItem } from "../../call.js"
import { damaged } from "../calls.js"
import { isObject, numberOf, parsed, timeOf } from "../json.js"
import type { SourceLine } from "../lines.js"
import { partialCall } from "./partial.js"

/** True for a message of a session with its parts, as `opencode export` and its server give it. */
export function isOpencodeMessage(found: unknown): boolean {
  const info = field(found, "info")
  return Array.isArray(field(found, "parts")) && stringField(info, "role") !== undefined
}

interface Turn {
  readonly role: "user" | "assistant"
  readonly content: readonly unknown[]
}

/**
 * Reads a session. A message of the assistant is a step, or several. The messages of a session follow each other; those
 * of several sessions may be mixed.
 */
export async function* opencodeItems(
  source: string,
  lines: AsyncIterable<SourceLine>,
): AsyncGenerator<SourceItem> {
  const sessions = new Map<string, Turn[]>()
  for await (const { number, text } of lines) {
    const message = parsed(text)
    const info = field(message, "info")
    if (!isOpencodeMessage(message) || !isObject(info)) {
      yield damaged(source, number, "is damaged")
      continue
    }
    const session = stringField(info, "sessionID") ?? ""
    const turns = sessions.get(session) ?? []
    sessions.set(session, turns)
    const parts = listField(message, "parts")
    if (info.role !== "assistant") {
      turns.push({ role: "user", content: parts.flatMap(said) })
      continue
    }
    const model = stringField(info, "modelID")
    const at = timeOf(field(info.time, "created"))
    for (const step of stepsOf(parts, info)) {
      const content = step.parts.flatMap(said)
      const reply = { type: "message", role: "assistant", model, content, ...usageOf(step.tokens) }
      const body = { model, messages: [...turns] }
      if (content.length > 0 || step.tokens !== undefined)
        yield { type: "call", call: partialCall(source, "anthropic", { number, at, model, body, reply }) }
      // A summary stands for all that was said before it.
      if (info.summary === true) turns.length = 0
      if (content.length > 0) turns.push({ role: "assistant", content })
      const results = step.parts.flatMap(resultOf)
      if (results.length > 0) turns.push({ role: "user", content: results })
    }
  }
}

interface Step {
  readonly parts: readonly unknown[]
  readonly tokens: unknown
}

/** Lists what the model said in one message, at each of the steps that it says were finished. */
function stepsOf(parts: readonly unknown[], info: unknown): readonly Step[] {
  const steps: Step[] = []
  let open: unknown[] = []
  for (const part of parts) {
    if (stringField(part, "type") === "step-finish") {
      steps.push({ parts: open, tokens: field(part, "tokens") })
      open = []
    } else if (stringField(part, "type") !== "step-start") open.push(part)
  }
  if (steps.length === 0) return [{ parts: open, tokens: field(info, "tokens") }]
  return open.length > 0 ? [...steps, { parts: open, tokens: undefined }] : steps
}

function said(part: unknown): readonly unknown[] {
  switch (stringField(part, "type")) {
    case "text":
      return field(part, "ignored") === true ? [] : [{ type: "text", text: stringField(part, "text") ?? "" }]
    case "reasoning":
      return [{ type: "thinking", thinking: stringField(part, "text") ?? "", signature: "" }]
    case "tool":
      return [
        {
          type: "tool_use",
          id: stringField(part, "callID"),
          name: stringField(part, "tool"),
          input: field(field(part, "state"), "input") ?? {},
        },
      ]
    case "file":
      return [
        { type: "text", text: `[${stringField(part, "mime")}: ${stringField(part, "filename") ?? ""}]` },
      ]
    default:
      return []
  }
}

function resultOf(part: unknown): readonly unknown[] {
  if (stringField(part, "type") !== "tool") return []
  const state = field(part, "state")
  const content = stringField(state, "output") ?? stringField(state, "error") ?? ""
  return [{ type: "tool_result", tool_use_id: stringField(part, "callID"), content }]
}

function usageOf(tokens: unknown): object {
  if (tokens === undefined) return {}
  const cache = field(tokens, "cache")
  return {
    usage: {
      input_tokens: numberOf(tokens, "input") ?? 0,
      output_tokens: numberOf(tokens, "output") ?? 0,
      cache_read_input_tokens: numberOf(cache, "read") ?? 0,
      cache_creation_input_tokens: numberOf(cache, "write") ?? 0,
    },
  }
}
