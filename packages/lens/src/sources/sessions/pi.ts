import { field, jsonIn, listField, stringField } from "@sotto/core/dialect"
import type { SourceItem } from "../../call.js"
import { damaged } from "../calls.js"
import { isObject, numberOf, type SourceFields, timeOf } from "../json.js"
import type { SourceLine } from "../lines.js"
import {
  leftOut,
  type MainThread,
  OtherLines,
  partialCall,
  type SessionFile,
  type SpokenMessage,
} from "./session-file.js"

const LINES = new Set(["session", "message", "model_change", "thinking_level_change", "compaction"])

/** True for a line of `~/.pi/agent/sessions/…/*.jsonl`. */
export function isPiLine(found: unknown): boolean {
  const type = stringField(found, "type") ?? ""
  if (!LINES.has(type) || stringField(found, "timestamp") === undefined) return false
  return type === "session" ? stringField(found, "cwd") !== undefined : stringField(found, "id") !== undefined
}

interface Node {
  readonly id: string
  readonly parent: string | undefined
  /** In the words of Anthropic's API, whichever one it went over. */
  readonly spoken?: SpokenMessage
  /** For a compaction: the oldest line before it that is still sent, after its summary. None is unless it is named. */
  readonly cuts?: { readonly keepsFrom: string | undefined }
}

/** A session file of pi: every line names the one before it. Versions before 2 name none, and their file is a list. */
export class PiFile implements SessionFile {
  readonly #nodes = new Map<string, Node>()
  readonly #others = new OtherLines()
  #newest: string | undefined
  #count = 0
  #title: string | undefined
  #cwd: string | undefined
  #model: string | undefined

  add(number: number, line: SourceFields): Node {
    const parent = stringField(line, "parentId") ?? (line.parentId === undefined ? this.#newest : undefined)
    const id = stringField(line, "id") ?? String(number)
    const node = { id, parent, ...contentOf(number, line) }
    if (line.type === "session") {
      this.#cwd ??= stringField(line, "cwd")
      return node
    }
    if (line.type === "session_info") this.#title = stringField(line, "name") ?? this.#title
    this.#model = stringField(line.message, "model") ?? this.#model
    if (node.spoken === undefined) this.#others.add(line.type)
    else this.#count++
    this.#nodes.set(id, node)
    this.#newest = id
    return node
  }

  /** Lists the conversation that leads to a line, that line included. */
  messagesUpTo(last: string | undefined): readonly SpokenMessage[] {
    const after: SpokenMessage[] = []
    const seen = new Set<string>()
    /** The newest compaction, once it is found: beyond it only what it keeps counts, up to and with `keepsFrom`. */
    let summary: SpokenMessage | undefined
    let keepsFrom: string | undefined
    for (
      let node = this.#node(last);
      node !== undefined && !seen.has(node.id);
      node = this.#node(node.parent)
    ) {
      seen.add(node.id)
      if (node.cuts !== undefined && summary === undefined) {
        summary = node.spoken
        keepsFrom = node.cuts.keepsFrom
        if (keepsFrom === undefined || !this.#nodes.has(keepsFrom)) break
        continue
      }
      if (node.spoken !== undefined) after.push(node.spoken)
      if (node.id === keepsFrom) break
    }
    return [...(summary ? [summary] : []), ...after.reverse()]
  }

  mainThread(): MainThread {
    const messages = this.messagesUpTo(this.#newest)
    return {
      dialect: "anthropic",
      messages,
      skipped: [
        ...this.#others.skipped(),
        ...leftOut(
          this.#count - messages.length,
          "messages of abandoned branches, or from before the last compaction",
        ),
      ],
      title: this.#title,
      model: this.#model,
      cwd: this.#cwd,
    }
  }

  #node(id: string | undefined): Node | undefined {
    return id === undefined ? undefined : this.#nodes.get(id)
  }
}

/** Yields a call for each reply of a file. */
export async function* piItems(source: string, lines: AsyncIterable<SourceLine>): AsyncGenerator<SourceItem> {
  const file = new PiFile()
  for await (const { number, text } of lines) {
    const line = jsonIn(text)
    if (!isObject(line)) {
      yield damaged(source, number, "is damaged")
      continue
    }
    const { parent } = file.add(number, line)
    const { message } = line
    if (stringField(message, "role") !== "assistant" || !isObject(message)) continue
    const model = stringField(message, "model")
    const at = timeOf(message.timestamp ?? line.timestamp)
    const body = { model, messages: file.messagesUpTo(parent).map((one) => one.message) }
    const content = listField(message, "content").map(block)
    const reply = { type: "message", role: "assistant", model, content, usage: usageOf(message.usage) }
    yield { type: "call", call: partialCall(source, "anthropic", { number, at, model, body, reply }) }
  }
}

function contentOf(number: number, line: SourceFields): Pick<Node, "spoken" | "cuts"> {
  const own = (content: unknown) => ({
    spoken: { number, isOwn: true, message: { role: "user", content: blocksOf(content) } },
  })
  switch (line.type) {
    case "compaction":
      return { ...own(line.summary), cuts: { keepsFrom: stringField(line, "firstKeptEntryId") } }
    case "branch_summary":
      return own(line.summary)
    case "custom_message":
      return own(line.content)
    case "message": {
      // What a command of the user's own printed is told by pi, in its words.
      const isOwn = stringField(line.message, "role") === "bashExecution"
      return { spoken: { number, isOwn, message: messageOf(line.message) } }
    }
    default:
      return {}
  }
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
            ...(field(message, "isError") === true && { is_error: true }),
          },
        ],
      }
    case "bashExecution":
      return {
        role: "user",
        content: textBlocks(
          `${stringField(message, "command") ?? ""}\n${stringField(message, "output") ?? ""}`,
        ),
      }
    default:
      return { role: "user", content: blocksOf(content) }
  }
}

function blocksOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content.map(block) : textBlocks(content)
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

function textBlocks(text: unknown): readonly unknown[] {
  return [{ type: "text", text: typeof text === "string" ? text : "" }]
}

function usageOf(usage: unknown): unknown {
  return {
    input_tokens: numberOf(usage, "input") ?? 0,
    output_tokens: numberOf(usage, "output") ?? 0,
    cache_read_input_tokens: numberOf(usage, "cacheRead") ?? 0,
    cache_creation_input_tokens: numberOf(usage, "cacheWrite") ?? 0,
  }
}
