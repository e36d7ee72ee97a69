import { field, listField, stringField } from "../vocabulary/fields.js"
import type { Transcript } from "./transcript.js"

/** A line of a session file, as far as it is part of a conversation. */
export interface ClaudeCodeLine {
  readonly value: unknown
  /** For `skipped`. */
  readonly at: string
  /** Its place in the file. */
  readonly index: number
  readonly uuid: string | undefined
  /** Undefined where a conversation starts. */
  readonly parent: string | undefined
}

/**
 * Reads the lines that say something, and tells of those that cannot be read: the last one may have been cut off by a
 * crash.
 */
export function readLines(file: string | readonly unknown[], into: Transcript): readonly ClaudeCodeLine[] {
  const others = new Map<string, number>()
  const lines = valuesOf(file, into).flatMap(([value, index]): ClaudeCodeLine[] => {
    const type = stringField(value, "type")
    const isSpoken = (type === "user" || type === "assistant") && field(value, "message") !== undefined
    if (!isSpoken && type !== "system") {
      others.set(type ?? "no type", (others.get(type ?? "no type") ?? 0) + 1)
      return []
    }
    const uuid = stringField(value, "uuid")
    return [{ value, at: `line ${index + 1}`, index, uuid, parent: stringField(value, "parentUuid") }]
  })
  for (const [type, count] of others) into.skip("", `${count} lines that are no messages: ${type}`)
  return lines
}

function valuesOf(
  file: string | readonly unknown[],
  into: Transcript,
): readonly (readonly [unknown, number])[] {
  if (typeof file !== "string") return file.map((value, i) => [value, i])
  return file.split("\n").flatMap((text, i): (readonly [unknown, number])[] => {
    if (text.trim() === "") return []
    try {
      return [[JSON.parse(text), i]]
    } catch {
      into.skip(`line ${i + 1}`, "not JSON: cut off or damaged")
      return []
    }
  })
}

/** Finds the newest branch, in the order of the file, from its start or its last compaction. */
export function mainThread(all: readonly ClaudeCodeLine[], into: Transcript): readonly ClaudeCodeLine[] {
  const main = all.filter(({ value }) => field(value, "isSidechain") !== true)
  if (main.length < all.length) into.skip("", `${all.length - main.length} messages of subagents`)
  const branch = new Set(branchOf(main))
  adoptSiblings(main, branch)
  const kept = main.filter((line) => branch.has(line))
  const boundary = kept.findLastIndex(({ value }) => stringField(value, "subtype") === "compact_boundary")
  const left = main.length - kept.length + Math.max(0, boundary)
  if (left > 0) into.skip("", `${left} messages of abandoned branches, or from before the last compaction`)
  return kept.slice(boundary + 1)
}

/** Follows the newest message back to its start. If a parent is missing, the line before it in the file has to do. */
function branchOf(main: readonly ClaudeCodeLine[]): readonly ClaudeCodeLine[] {
  const byUuid = new Map(main.map((line) => [line.uuid, line]))
  const places = new Map(main.map((line, i) => [line, i]))
  const branch: ClaudeCodeLine[] = []
  const seen = new Set<ClaudeCodeLine>()
  let line = main.findLast(({ value }) => stringField(value, "type") !== "system")
  while (line !== undefined && !seen.has(line)) {
    seen.add(line)
    branch.push(line)
    const before: ClaudeCodeLine | undefined = main[(places.get(line) ?? 0) - 1]
    const isRoot =
      line.parent === undefined && line.uuid !== undefined && field(line.value, "parentUuid") === null
    line = isRoot ? undefined : line.parent === undefined ? before : (byUuid.get(line.parent) ?? before)
  }
  return branch
}

/**
 * Calls that were made together are lines of their own, and so are their results: each result hangs on its call, so all
 * but one are off the branch.
 */
function adoptSiblings(main: readonly ClaudeCodeLine[], branch: Set<ClaudeCodeLine>): void {
  const replies = new Set([...branch].map(({ value }) => stringField(field(value, "message"), "id")))
  for (const line of main) {
    const id = stringField(field(line.value, "message"), "id")
    if (id !== undefined && replies.has(id) && stringField(line.value, "type") === "assistant")
      branch.add(line)
  }
  const blocks = (line: ClaudeCodeLine) => listField(field(line.value, "message"), "content")
  const calls = new Set([...branch].flatMap(blocks).map((block) => stringField(block, "id")))
  const answered = new Set([...branch].flatMap(blocks).map((block) => stringField(block, "tool_use_id")))
  for (const line of main) {
    const ids = blocks(line).map((block) => stringField(block, "tool_use_id"))
    if (ids.some((id) => id !== undefined && calls.has(id) && !answered.has(id))) branch.add(line)
  }
}
