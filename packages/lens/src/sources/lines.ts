export interface SourceLine {
  /** Counted from 1. */
  readonly number: number
  readonly text: string
}

/** Characters of a line or entry that are kept: no agent writes more, and a text can be no longer than twice as much. */
const LONGEST = 256 * 1024 * 1024

/** A source with a line or entry that is too long to be read. */
export class OversizedPart extends Error {
  override readonly name = "OversizedPart"
}

/** Throws OversizedPart if a line or entry has grown too long. */
export function checkLength(length: number, part: string): void {
  if (length > LONGEST) throw new OversizedPart(`${part} has more than ${LONGEST / 1024 / 1024} MB.`)
}

/**
 * Yields the lines of a text that comes in pieces, blank ones left out. Keeps no more than the line that is being read.
 */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<SourceLine> {
  let number = 0
  let pieces: string[] = []
  let length = 0
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", from)) {
      pieces.push(chunk.slice(from, end))
      from = end + 1
      number++
      const text = withoutMark(pieces.join(""), number).trim()
      pieces = []
      length = 0
      if (text !== "") yield { number, text }
    }
    if (from === chunk.length) continue
    pieces.push(chunk.slice(from))
    length += chunk.length - from
    checkLength(length, `line ${number + 1}`)
  }
  const text = withoutMark(pieces.join(""), number + 1).trim()
  if (text !== "") yield { number: number + 1, text }
}

/** Removes the mark that some programs write before the first byte of a file. */
function withoutMark(text: string, number: number): string {
  return number === 1 && text.startsWith("\uFEFF") ? text.slice(1) : text
}
