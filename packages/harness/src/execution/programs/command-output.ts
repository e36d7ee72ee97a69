import { open } from "node:fs/promises"
import { stripVTControlCharacters } from "node:util"

const HEAD = 8_000
const TAIL = 16_000

export interface Printed {
  readonly text: string
  /** Something was left out. */
  readonly capped: boolean
}

/** Reads what a command printed: all of it, or its beginning and end with a note of where the rest is. */
export async function printedIn(path: string): Promise<Printed> {
  const file = await open(path, "r")
  try {
    const { size } = await file.stat()
    const read = async (from: number, length: number) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from)
      return buffer.subarray(0, bytesRead)
    }
    if (size <= HEAD + TAIL) return { text: plain((await read(0, size)).toString("utf8")), capped: false }
    const head = wholeLines(await read(0, HEAD), "end")
    const tail = wholeLines(await read(size - TAIL, TAIL), "start")
    const left = size - head.length - tail.length
    const note = `[${left} of ${size} bytes are not shown; all of it is in ${path}]`
    return { text: `${plain(head.toString("utf8"))}\n${note}\n${plain(tail.toString("utf8"))}`, capped: true }
  } finally {
    await file.close()
  }
}

/** Cuts at a line break if one is near, and else at least not within a character. */
function wholeLines(bytes: Buffer, cut: "start" | "end"): Buffer {
  const near = 2000
  if (cut === "end") {
    const at = bytes.lastIndexOf(10)
    if (at >= bytes.length - near) return bytes.subarray(0, at)
    let end = bytes.length
    while (end > 0 && isContinuation(bytes[end - 1])) end--
    return bytes.subarray(0, Math.max(0, end - 1))
  }
  const at = bytes.indexOf(10)
  if (at >= 0 && at < near) return bytes.subarray(at + 1)
  let start = 0
  while (isContinuation(bytes[start])) start++
  return bytes.subarray(start)
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

/** Removes colours, and keeps only the last state of a line that was printed over itself. */
export function plain(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n"))
    .replace(/^.*\r(?!\n|$)/gm, "")
    .trimEnd()
}
