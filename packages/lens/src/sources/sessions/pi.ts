import { field, listField, stringField } from "@sotto/core/dialect"
import type { SourceItem } from "../../call.js"
import { damaged } from "../calls.js"
import { isObject, numberOf, parsed, type SourceFields, timeOf } from "../json.js"
import type { SourceLine } from "../lines.js"
import { partialCall } from "./partial.js"

const LINES = new Set(["session", "message", "model_change", "thinking_level_change", "compaction"])

/** True for a line of `~/.pi/agent/sessions/…/*.jsonl`. */
export function isPiLine(found: unknown): boolean {
  const type = stringField(found, "type") ?? ""
  if (!LINES.has(type) || stringField(found, "timestamp") === undefined) return false
  return type === "session" ? stringField(found, "cwd") !== undefined : stringField(found, "id") !== undefined
}

interface Node {
  readonly parent: string | undefined
  /** In the words of Anthropic's API, whichever one it went over. */
  readonly message?: unknown
  /** What is before this line is not sent any more. */
  readonly cuts?: boolean
}

/**
 * Reads the file as a tree: every line names the one before it. Versions before 2 name none, and their file is a list.
 */
export async function* piItems(source: string, lines: AsyncIterable<SourceLine>): AsyncGenerator<SourceItem> {
  const nodes = new Map<string, Node>()
  let newest: string | undefined
  for await (const { number, text } of lines) {
    const line = parsed(text)
    if (!isObject(line)) {
      yield damaged(source, number, "is damaged")
      continue
    }
    const id = stringField(line, "id") ?? String(number)
    const parent = stringField(line, "parentId") ?? (line.parentId === undefined ? newest : undefined)
    const { message } = line
    if (stringField(message, "role") === "assistant" && isObject(message)) {
      const model = stringField(message, "model")
      const at = timeOf(message.timestamp ?? line.timestamp)
      const body = { model, messages: messagesUpTo(nodes, parent) }
      const content = listField(message, "content").map(block)
      const reply = { type: "message", role: "assistant", model, content, usage: usageOf(message.usage) }
      yield { type: "call", call: partialCall(source, "anthropic", { number, at, model, body, reply }) }
    }
    if (line.type === "session") continue
    nodes.set(id, nodeOf(line, parent))
    newest = id
  }
}

function nodeOf(line: SourceFields, parent: string | undefined): Node {
  if (line.type === "compaction")
    return { parent, cuts: true, message: { role: "user", content: textBlocks(line.summary) } }
  return line.type === "message" ? { parent, message: messageOf(line.message) } : { parent }
}

function messageOf(message: unknown): unknown {
  const content = field(message, "content")
  switch (stringField(message, "role")) {
    case "assistant":
      return { role: "assistant", content: listField(message, "content").map(block) }
    case "toolResult":
      return {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: stringField(message, "toolCallId"),
            content: listField(message, "content").map(block),
          },
        ],
      }
    case "bashExecution":
      return {
        role: "user",
        content: textBlocks(`${stringField(message, "command")}\n${stringField(message, "output")}`),
      }
    default:
      return { role: "user", content: Array.isArray(content) ? content.map(block) : textBlocks(content) }
  }
}

function block(part: unknown): unknown {
  switch (stringField(part, "type")) {
    case "toolCall":
      return {
        type: "tool_use",
        id: stringField(part, "id"),
        name: stringField(part, "name"),
        input: field(part, "arguments"),
      }
    case "thinking":
      return {
        type: "thinking",
        thinking: stringField(part, "thinking") ?? "",
        signature: stringField(part, "thinkingSignature") ?? "",
      }
    case "image":
      return {
        type: "image",
        source: {
          type: "base64",
          media_type: stringField(part, "mimeType"),
          data: stringField(part, "data"),
        },
      }
    default:
      return { type: "text", text: stringField(part, "text") ?? "" }
  }
}

function messagesUpTo(nodes: ReadonlyMap<string, Node>, last: string | undefined): readonly unknown[] {
  const messages: unknown[] = []
  const seen = new Set<string>()
  for (let at = last; at !== undefined && !seen.has(at); ) {
    seen.add(at)
    const node = nodes.get(at)
    if (node?.message !== undefined) messages.push(node.message)
    if (node?.cuts) break
    at = node?.parent
  }
  return messages.reverse()
}

function textBlocks(text: unknown): readonly unknown[] {
  return [{ type: "text", text: String(text ?? "") }]
}

function usageOf(usage: unknown): unknown {
  return {
    input_tokens: numberOf(usage, "input") ?? 0,
    output_tokens: numberOf(usage, "output") ?? 0,
    cache_read_input_tokens: numberOf(usage, "cacheRead") ?? 0,
    cache_creation_input_tokens: numberOf(usage, "cacheWrite") ?? 0,
  }
}
