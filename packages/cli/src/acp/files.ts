import { readFileSync, statSync } from "node:fs"

const MOST_BYTES = 2_000_000

/** The text of a file; undefined if there is none, or too much, or it is no text. */
export function textOfFile(path: string): string | undefined {
  try {
    const about = statSync(path)
    if (!about.isFile() || about.size > MOST_BYTES) return undefined
    const text = readFileSync(path, "utf8")
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}

/** Lines, counted from 1; undefined if the file does not have them. */
export function linesOfFile(path: string, from: number, to: number): string | undefined {
  const lines = textOfFile(path)
    ?.split(/\r?\n/)
    .slice(from - 1, to)
  return lines === undefined || lines.length === 0 ? undefined : lines.join("\n")
}
