import { createReadStream } from "node:fs"
import { startOf } from "../../platform/text/text.js"

const MOST_LINES = 2_000
const MOST_BYTES = 50_000
const LONGEST_LINE = 2_000
/** Of what comes before the first line that is wanted. */
const MOST_SKIPPED = 64_000_000

/** Lines of a file that is too long to be read whole, with their numbers; undefined if it is binary. */
export async function longFileLines(
  path: string,
  from: number,
  count: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const shown: string[] = []
  const last = from + Math.min(count, MOST_LINES) - 1
  let number = 1
  let line = ""
  let bytes = 0
  let scanned = 0
  const take = () => {
    if (number >= from) {
      const cut = line.length > LONGEST_LINE ? `${startOf(line, LONGEST_LINE)}…` : line
      const numbered = `${number}\t${cut.replace(/\r$/, "")}`
      bytes += Buffer.byteLength(numbered) + 1
      shown.push(numbered)
    }
    line = ""
    number++
  }
  const decoder = new TextDecoder()
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 256 * 1024 })) {
    if (scanned === 0 && (chunk as Buffer).includes(0)) return undefined
    scanned += (chunk as Buffer).length
    const [head = "", ...rest] = decoder.decode(chunk as Buffer, { stream: true }).split("\n")
    // Of a line without an end only the start is kept.
    if (line.length <= LONGEST_LINE) line += head
    for (const next of rest) {
      take()
      line = next
      if (number > last || bytes > MOST_BYTES) return shown.join("\n")
    }
    if (scanned > (shown.length > 0 || from === 1 ? MOST_BYTES : MOST_SKIPPED)) break
  }
  if (number <= last && line !== "") take()
  return shown.join("\n")
}
