import { closeSync, fstatSync, openSync, readSync } from "node:fs"

/** Bytes at the end of a file that are shown; the rest is in the file. */
const MOST_SHOWN = 200_000

/** The end of a file, or nothing where there is none yet. */
export function endOfFile(path: string): string {
  try {
    const file = openSync(path, "r")
    try {
      const { size } = fstatSync(file)
      const bytes = Buffer.alloc(Math.min(size, MOST_SHOWN))
      const read = readSync(file, bytes, 0, bytes.length, size - bytes.length)
      return bytes.subarray(0, read).toString("utf8").trimEnd()
    } finally {
      closeSync(file)
    }
  } catch {
    return ""
  }
}
