import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { stripVTControlCharacters } from "node:util"

const EVERY = 500
const MOST_BYTES = 8_192

/** Tells the newest line of what a command prints into a file, now and then while it runs. Returns the way to stop. */
export function tellNewLines(path: string, tell: (line: string) => void): () => void {
  let told = 0
  const timer = setInterval(() => {
    const { text, size } = newText(path, told)
    const lines = text.split(/\r?\n|\r/).filter((line) => line.trim() !== "")
    const newest = lines.at(-1)
    if (newest === undefined) return
    told = size
    tell(stripVTControlCharacters(newest).trimEnd())
  }, EVERY)
  timer.unref()
  return () => clearInterval(timer)
}

/** Reads what came after the first `told` bytes; of much, the end. */
function newText(path: string, told: number): { readonly text: string; readonly size: number } {
  try {
    const file = openSync(path, "r")
    try {
      const { size } = fstatSync(file)
      const from = Math.max(told, size - MOST_BYTES)
      const buffer = Buffer.alloc(Math.max(0, size - from))
      return { text: buffer.toString("utf8", 0, readSync(file, buffer, 0, buffer.length, from)), size }
    } finally {
      closeSync(file)
    }
  } catch {
    // Not there yet, or not any more: there is nothing to tell.
    return { text: "", size: told }
  }
}
