import { startOf } from "./excerpt.js"
import { BOM } from "./text-file.js"
import { ToolError } from "./tool.js"

const MOST_LINES = 2000
const MOST_BYTES = 50_000
const LONGEST_LINE = 2000

export interface Range {
  readonly offset?: number
  readonly limit?: number
}

/** Lines of a text, as many as fit, each after its number, and a note of what is left out and how to get it. */
export function numberedLines(
  text: string,
  { offset = 1, limit }: Range,
  { numbers }: { numbers: boolean },
): string {
  if (offset < 1) throw new ToolError("`offset` counts lines from 1.")
  if (limit !== undefined && limit < 1) throw new ToolError("`limit` must be at least 1.")
  const lines = linesOf(text)
  if (lines.length === 0) return "[The file is empty.]"
  if (offset > lines.length)
    throw new ToolError(`\`offset\` is ${offset}, but there are only ${lines.length} lines.`)

  const shown: string[] = []
  let cut = false
  let bytes = 0
  for (const line of lines.slice(offset - 1, offset - 1 + Math.min(limit ?? MOST_LINES, MOST_LINES))) {
    const short = line.length > LONGEST_LINE ? shortened(line) : line
    const numberedLine = numbers ? `${offset + shown.length}\t${short}` : short
    bytes += Buffer.byteLength(numberedLine) + 1
    if (bytes > MOST_BYTES && shown.length > 0) break
    cut ||= short !== line
    shown.push(numberedLine)
  }

  const last = offset - 1 + shown.length
  const notes: string[] = []
  if (offset > 1 || last < lines.length) notes.push(`Lines ${offset}-${last} of ${lines.length}.`)
  if (last < lines.length) notes.push(`Go on with offset ${last + 1}.`)
  if (cut) notes.push("Long lines are cut: see all of one with bash (sed, cut).")
  return notes.length === 0 ? shown.join("\n") : `${shown.join("\n")}\n[${notes.join(" ")}]`
}

function shortened(line: string): string {
  return `${startOf(line, LONGEST_LINE)}… [${line.length - LONGEST_LINE} more characters]`
}

function linesOf(text: string): readonly string[] {
  const lines = (text.startsWith(BOM) ? text.slice(1) : text).split(/\r?\n/)
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}
