export interface Line {
  /** Counted from 1. */
  readonly number: number
  readonly text: string
}

/** The lines of a text that comes in pieces, blank ones left out. Keeps no more than the line that is being read. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let number = 0
  let pieces: string[] = []
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", from)) {
      pieces.push(chunk.slice(from, end))
      from = end + 1
      number++
      const text = withoutMark(pieces.join(""), number).trim()
      pieces = []
      if (text !== "") yield { number, text }
    }
    if (from < chunk.length) pieces.push(chunk.slice(from))
  }
  const text = withoutMark(pieces.join(""), number + 1).trim()
  if (text !== "") yield { number: number + 1, text }
}

/** The mark that some programs write before the first byte of a file. */
function withoutMark(text: string, number: number): string {
  return number === 1 && text.startsWith("\uFEFF") ? text.slice(1) : text
}
