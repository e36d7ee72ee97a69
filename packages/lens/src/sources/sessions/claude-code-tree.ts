import { listField, stringField } from "@sotto/core/dialect"
import type { SourceFields } from "../json.js"

/** A line of a session file of Claude Code. */
export interface ClaudeCodeLine {
  readonly number: number
  /** Its place in the file. */
  readonly index: number
  readonly type: string
  readonly uuid: string | undefined
  /** The line that it follows. Null where a conversation starts, undefined where the file does not say. */
  readonly parent: string | null | undefined
  /** True if a subagent's conversation has it. */
  readonly isSubagents: boolean
  /** True if nothing before it is sent any more. */
  readonly isBoundary: boolean
  /** What it says in the conversation, if it says something. */
  readonly message: unknown
  /** The reply that it is a block of. */
  readonly reply: string | undefined
  /** The calls that it makes, and those that it answers. */
  readonly calls: readonly string[]
  readonly answers: readonly string[]
  /** True if the agent said it for itself. */
  readonly isOwn: boolean
  /** True for what the agent says itself in the place of a reply. */
  readonly isNotice: boolean
  /** The line before it in the file, of the same conversation or another branch of it. */
  readonly neighbour: ClaudeCodeLine | undefined
}

/** The lines of a file as a tree: every line names the one before it, so that subagents and branches can share it. */
export class ClaudeCodeTree {
  /** Lines that stand in a conversation, in the order of the file. */
  readonly spoken: ClaudeCodeLine[] = []
  readonly #byUuid = new Map<string, ClaudeCodeLine>()
  readonly #byReply = new Map<string, ClaudeCodeLine[]>()
  readonly #byAnswer = new Map<string, ClaudeCodeLine[]>()
  #newest: ClaudeCodeLine | undefined
  #newestOfSubagents: ClaudeCodeLine | undefined
  #count = 0

  add(number: number, value: SourceFields): ClaudeCodeLine {
    const neighbour = value.isSidechain === true ? this.#newestOfSubagents : this.#newest
    const line = lineOf(number, this.#count++, value, neighbour)
    if (line.uuid !== undefined) this.#byUuid.set(line.uuid, line)
    if (line.message === undefined && line.type !== "system") return line
    this.spoken.push(line)
    if (line.isSubagents) this.#newestOfSubagents = line
    else this.#newest = line
    if (line.reply !== undefined) listIn(this.#byReply, line.reply).push(line)
    for (const call of line.answers) listIn(this.#byAnswer, call).push(line)
    return line
  }

  has(uuid: string | undefined): boolean {
    return uuid !== undefined && this.#byUuid.has(uuid)
  }

  /** Finds the line that a line follows. If the one that it names is missing, the one before it in the file has to do. */
  before(line: ClaudeCodeLine): ClaudeCodeLine | undefined {
    if (line.parent === null && line.uuid !== undefined) return undefined
    const named = typeof line.parent === "string" ? this.#byUuid.get(line.parent) : undefined
    return named ?? line.neighbour
  }

  /**
   * Lists the conversation that leads to a line, that line included, from its start or its last compaction. The blocks
   * of one reply follow each other, and the results of its calls come after them.
   */
  branchTo(last: ClaudeCodeLine | undefined): readonly ClaudeCodeLine[] {
    const branch = new Set<ClaudeCodeLine>()
    for (let at = last; at !== undefined && !at.isBoundary && !branch.has(at); at = this.before(at))
      branch.add(at)
    this.#adoptSiblings(branch)
    const begins = new Map<string, number>()
    for (const { reply, index } of branch)
      if (reply !== undefined) begins.set(reply, Math.min(index, begins.get(reply) ?? index))
    const place = ({ reply, index }: ClaudeCodeLine) => begins.get(reply ?? "") ?? index
    return [...branch].sort((a, b) => place(a) - place(b) || a.index - b.index)
  }

  /**
   * Adds what stands beside a branch and belongs to it. Calls that were made together are lines of their own, and so are
   * their results: each result hangs on its call, so all but one are off the branch.
   */
  #adoptSiblings(branch: Set<ClaudeCodeLine>): void {
    const adopt = (from: ClaudeCodeLine, found: readonly ClaudeCodeLine[] | undefined) => {
      for (const line of found ?? []) if (line.isSubagents === from.isSubagents) branch.add(line)
    }
    for (const line of [...branch]) if (line.reply !== undefined) adopt(line, this.#byReply.get(line.reply))
    const answered = new Set([...branch].flatMap(({ answers }) => answers))
    for (const line of [...branch])
      for (const call of line.calls) if (!answered.has(call)) adopt(line, this.#byAnswer.get(call))
  }
}

function lineOf(
  number: number,
  index: number,
  value: SourceFields,
  neighbour: ClaudeCodeLine | undefined,
): ClaudeCodeLine {
  const type = stringField(value, "type") ?? ""
  const parent = value.parentUuid
  const message = type === "user" || type === "assistant" ? (value.message ?? undefined) : undefined
  const blocks = listField(message, "content")
  const ids = (name: string, kind: string) =>
    blocks.flatMap((block) => (stringField(block, "type") === kind ? (stringField(block, name) ?? []) : []))
  return {
    number,
    index,
    type,
    uuid: stringField(value, "uuid"),
    parent: typeof parent === "string" || parent === null ? parent : undefined,
    isSubagents: value.isSidechain === true,
    isBoundary: type === "system" && stringField(value, "subtype") === "compact_boundary",
    message,
    reply: type === "assistant" ? stringField(message, "id") : undefined,
    calls: ids("id", "tool_use"),
    answers: ids("tool_use_id", "tool_result"),
    isOwn: value.isMeta === true || value.isCompactSummary === true,
    isNotice: value.isApiErrorMessage === true || stringField(message, "model") === "<synthetic>",
    neighbour,
  }
}

function listIn<T>(lists: Map<string, T[]>, name: string): T[] {
  const list = lists.get(name) ?? []
  lists.set(name, list)
  return list
}
