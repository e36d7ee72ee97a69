import { ToolError } from "../../platform/text/errors.js"
import { startOf } from "../../platform/text/text.js"
import { BOM } from "./text-file.js"

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
  const { lines, total } = linesOf(text, offset, Math.min(limit ?? MOST_LINES, MOST_LINES))
  if (total === 0) return "[The file is empty.]"
  if (offset > total) throw new ToolError(`\`offset\` is ${offset}, but there are only ${total} lines.`)

  const shown: string[] = []
  let cut = false
  let bytes = 0
  for (const line of lines) {
    const short = line.length > LONGEST_LINE ? shortened(line) : line
    const numberedLine = numbers ? `${offset + shown.length}\t${short}` : short
    bytes += Buffer.byteLength(numberedLine) + 1
    if (bytes > MOST_BYTES && shown.length > 0) break
    cut ||= short !== line
    shown.push(numberedLine)
  }

  const last = offset - 1 + shown.length
  const notes: string[] = []
  if (offset > 1 || last < total) notes.push(`Lines ${offset}-${last} of ${total}.`)
  if (last < total) notes.push(`Go on with offset ${last + 1}.`)
  if (cut) notes.push("Long lines are cut: see all of one with bash (sed, cut).")
  return notes.length === 0 ? shown.join("\n") : `${shown.join("\n")}\n[${notes.join(" ")}]`
}

function shortened(line: string): string {
  return `${startOf(line, LONGEST_LINE)}… [${line.length - LONGEST_LINE} more characters]`
}

/** So many lines from one on, and how many there are. A file may have millions: only those that are wanted are made. */
function linesOf(
  text: string,
  first: number,
  most: number,
): { readonly lines: readonly string[]; readonly total: number } {
  const lines: string[] = []
  let total = 0
  for (let from = text.startsWith(BOM) ? 1 : 0; from < text.length; ) {
    const found = text.indexOf("\n", from)
    const end = found < 0 ? text.length : found
    total++
    if (total >= first && lines.length < most)
      lines.push(text.slice(from, found >= 0 && text[end - 1] === "\r" && end > from ? end - 1 : end))
    from = end + 1
  }
  return { lines, total }
}
