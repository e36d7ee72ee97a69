import { field, jsonIn, stringField } from "@sotto/core/dialect"
import type { SourceItem } from "../../call.js"
import { damaged } from "../calls.js"
import { isObject, type SourceFields, timeOf } from "../json.js"
import type { SourceLine } from "../lines.js"
import { type ClaudeCodeLine, ClaudeCodeTree } from "./claude-code-tree.js"
import { leftOut, type MainThread, OtherLines, partialCall, type SessionFile } from "./session-file.js"

const LINES = new Set([
  "user",
  "assistant",
  "system",
  "attachment",
  "summary",
  "progress",
  "file-history-snapshot",
])

/** True for a line of `~/.claude/projects/…/*.jsonl`. */
export function isClaudeCodeLine(found: unknown): boolean {
  if (!LINES.has(stringField(found, "type") ?? "")) return false
  return ["sessionId", "parentUuid", "leafUuid", "messageId"].some((name) => field(found, name) !== undefined)
}

/** A session file of Claude Code. */
export class ClaudeCodeFile implements SessionFile {
  readonly #tree = new ClaudeCodeTree()
  readonly #others = new OtherLines()
  #title: { readonly text: string; readonly of?: string | undefined } | undefined
  #model: string | undefined
  #cwd: string | undefined

  add(number: number, value: SourceFields): ClaudeCodeLine {
    const line = this.#tree.add(number, value)
    if (line.message === undefined && line.type !== "system") this.#others.add(line.type)
    if (!line.isNotice && !line.isSubagents) this.#model = stringField(line.message, "model") ?? this.#model
    this.#cwd ??= stringField(value, "cwd")
    const named = stringField(value, "customTitle") ?? stringField(value, "aiTitle")
    const summary = line.type === "summary" ? stringField(value, "summary") : undefined
    if (named !== undefined) this.#title = { text: named }
    else if (summary !== undefined) this.#title ??= { text: summary, of: stringField(value, "leafUuid") }
    return line
  }

  /** Gives the messages that a reply was asked for with, with the lines of one reply put together again. */
  messagesBefore(line: ClaudeCodeLine): readonly unknown[] {
    const messages: { role: string; content: unknown[]; id: string | undefined }[] = []
    for (const one of this.#tree.branchTo(this.#tree.before(line))) {
      const role = stringField(one.message, "role")
      if (role === undefined || one.isNotice) continue
      const content = contentOf(field(one.message, "content"))
      const before = messages.at(-1)
      if (before?.role === role && (role === "user" || before.id === one.reply))
        before.content.push(...content)
      else messages.push({ role, content: [...content], id: one.reply })
    }
    return messages.map(({ role, content }) => ({ role, content }))
  }

  mainThread(): MainThread {
    const spoken = this.#tree.spoken.filter(({ message }) => message !== undefined)
    const main = spoken.filter(({ isSubagents }) => !isSubagents)
    const branch = this.#tree.branchTo(main.at(-1)).filter(({ message }) => message !== undefined)
    const title = this.#title
    return {
      dialect: "anthropic",
      messages: branch
        .filter(({ isNotice }) => !isNotice)
        .map(({ number, uuid, message, isOwn }) => ({
          number,
          message: { role: field(message, "role"), content: field(message, "content"), id: uuid },
          isOwn,
        })),
      skipped: [
        ...this.#others.skipped(),
        ...leftOut(spoken.length - main.length, "messages of subagents"),
        ...leftOut(
          main.length - branch.length,
          "messages of abandoned branches, or from before the last compaction",
        ),
        ...branch.flatMap(({ number, isNotice }) =>
          isNotice
            ? [{ at: `line ${number}`, what: "a notice of the other harness in place of a reply" }]
            : [],
        ),
      ],
      // The summaries of other sessions may stand in a file: each names a line of its own.
      title: title?.of === undefined || this.#tree.has(title.of) ? title?.text : undefined,
      model: this.#model,
      cwd: this.#cwd,
    }
  }
}

interface Open {
  readonly id: string
  readonly number: number
  readonly at: number | undefined
  readonly model: string | undefined
  readonly messages: readonly unknown[]
  readonly blocks: unknown[]
  usage: unknown
}

/** Yields a call for each reply of a file. The lines of one reply, a line for each block, have the same message id. */
export async function* claudeCodeItems(
  source: string,
  lines: AsyncIterable<SourceLine>,
): AsyncGenerator<SourceItem> {
  const file = new ClaudeCodeFile()
  let open: Open | undefined

  const finished = (): SourceItem[] => {
    if (open === undefined) return []
    const { id, number, at, model, messages, blocks, usage } = open
    open = undefined
    const body = { model, messages }
    const reply = { id, type: "message", role: "assistant", model, content: blocks, usage }
    return [{ type: "call", call: partialCall(source, "anthropic", { number, at, model, body, reply }) }]
  }

  for await (const { number, text } of lines) {
    const value = jsonIn(text)
    if (!isObject(value)) {
      yield damaged(source, number, "is damaged")
      continue
    }
    const line = file.add(number, value)
    const { type, message } = line
    if (type !== "assistant" || !isObject(message) || line.isNotice) continue
    const id = line.reply ?? String(number)
    if (open?.id !== id) {
      yield* finished()
      const model = stringField(message, "model")
      const messages = file.messagesBefore(line)
      open = { id, number, at: timeOf(value.timestamp), model, messages, blocks: [], usage: undefined }
    }
    open.blocks.push(...contentOf(message.content))
    open.usage = message.usage ?? open.usage
  }
  yield* finished()
}

function contentOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content
  return typeof content === "string" ? [{ type: "text", text: content }] : []
}
