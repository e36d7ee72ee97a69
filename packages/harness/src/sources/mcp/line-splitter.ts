/** Of a line that is too long, so much is kept of its beginning and of its end. */
const ENDS = 1_024

export interface LongLine {
  readonly start: string
  readonly end: string
  readonly bytes: number
}

/** Takes bytes apart into lines, and holds no more of a line than it may have. */
export class LineSplitter {
  readonly #longest: number
  readonly #onLine: (line: string) => void
  readonly #onLong: (line: LongLine) => void
  #chunks: Buffer[] = []
  #bytes = 0
  #long: { readonly start: Buffer; end: Buffer } | undefined

  constructor(longest: number, onLine: (line: string) => void, onLong: (line: LongLine) => void) {
    this.#longest = longest
    this.#onLine = onLine
    this.#onLong = onLong
  }

  push(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#add(chunk.subarray(from, at))
      this.#end()
      from = at + 1
    }
    this.#add(chunk.subarray(from))
  }

  #add(piece: Buffer): void {
    if (piece.length === 0) return
    this.#bytes += piece.length
    if (this.#long) {
      this.#long.end = lastOf(Buffer.concat([this.#long.end, lastOf(piece)]))
      return
    }
    this.#chunks.push(piece)
    if (this.#bytes <= this.#longest) return
    const held = Buffer.concat(this.#chunks)
    // Copies: a view would keep alive all that it is a view of.
    this.#long = { start: Buffer.from(held.subarray(0, ENDS)), end: Buffer.from(lastOf(held)) }
    this.#chunks = []
  }

  #end(): void {
    const long = this.#long
    const bytes = this.#bytes
    const line = long === undefined ? Buffer.concat(this.#chunks).toString("utf8") : ""
    this.#chunks = []
    this.#bytes = 0
    this.#long = undefined
    if (long) this.#onLong({ start: long.start.toString("utf8"), end: long.end.toString("utf8"), bytes })
    else this.#onLine(line)
  }
}

function lastOf(bytes: Buffer): Buffer {
  return bytes.subarray(Math.max(0, bytes.length - ENDS))
}
