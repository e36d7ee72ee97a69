import { field, stringField } from "@sotto/core/dialect"
import type { SourceItem } from "../../call.js"
import { damaged } from "../calls.js"
import { isObject, parsed, type SourceFields, timeOf } from "../json.js"
import type { SourceLine } from "../lines.js"
import { partialCall } from "./partial.js"

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

/** One line of the file. Those of one reply, a line for each block, have the same message id. */
interface Node {
  readonly parent: string | undefined
  readonly message?: { readonly role: string; readonly content: unknown; readonly id: string | undefined }
}

interface Open {
  readonly id: string
  readonly number: number
  readonly at: number | undefined
  readonly model: string | undefined
  readonly parent: string | undefined
  readonly blocks: unknown[]
  usage: unknown
}

/** Reads the file as a tree: every line names the one before it, so that subagents and branches can share it. */
export async function* claudeCodeItems(
  source: string,
  lines: AsyncIterable<SourceLine>,
): AsyncGenerator<SourceItem> {
  const nodes = new Map<string, Node>()
  let open: Open | undefined

  const finished = (): SourceItem[] => {
    if (open === undefined) return []
    const { id, number, at, model, parent, blocks, usage } = open
    open = undefined
    const body = { model, messages: messagesUpTo(nodes, parent) }
    const reply = { id, type: "message", role: "assistant", model, content: blocks, usage }
    return [{ type: "call", call: partialCall(source, "anthropic", { number, at, model, body, reply }) }]
  }

  for await (const { number, text } of lines) {
    const line = parsed(text)
    if (!isObject(line)) {
      yield damaged(source, number, "is damaged")
      continue
    }
    const { uuid, message } = line
    const parent = stringField(line, "parentUuid")
    if (typeof uuid === "string") nodes.set(uuid, nodeOf(line, parent))
    if (line.type !== "assistant" || !isObject(message)) continue
    const id = stringField(message, "id") ?? String(number)
    const model = stringField(message, "model")
    // Notices of the agent itself, in the place of a reply.
    if (model === "<synthetic>") continue
    if (open?.id !== id) {
      yield* finished()
      open = { id, number, at: timeOf(line.timestamp), model, parent, blocks: [], usage: undefined }
    }
    open.blocks.push(...contentOf(message.content))
    open.usage = message.usage ?? open.usage
  }
  yield* finished()
}

function nodeOf(line: SourceFields, parent: string | undefined): Node {
  const { message } = line
  const role = stringField(message, "role")
  if (role === undefined || stringField(message, "model") === "<synthetic>") return { parent }
  return { parent, message: { role, content: field(message, "content"), id: stringField(message, "id") } }
}

/** Collects the conversation that leads to a line, with the lines of one reply put together again. */
function messagesUpTo(nodes: ReadonlyMap<string, Node>, last: string | undefined): readonly unknown[] {
  const chain: NonNullable<Node["message"]>[] = []
  const seen = new Set<string>()
  for (let at = last; at !== undefined && !seen.has(at); at = nodes.get(at)?.parent) {
    seen.add(at)
    const message = nodes.get(at)?.message
    if (message) chain.push(message)
  }
  const messages: { role: string; content: unknown[]; id: string | undefined }[] = []
  for (const { role, content, id } of chain.reverse()) {
    const before = messages.at(-1)
    if (before?.role === role && (role === "user" || before.id === id))
      before.content.push(...contentOf(content))
    else messages.push({ role, content: [...contentOf(content)], id })
  }
  return messages.map(({ role, content }) => ({ role, content }))
}

function contentOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content
  return typeof content === "string" ? [{ type: "text", text: content }] : []
}
