const NEWLINE = 10

/**
 * Splits what a program prints into lines, and keeps no more than a given number of bytes of one: a file may be a
 * single line of any length, and a string may not.
 */
export class BoundedLines {
  readonly #most: number
  #kept: Buffer[] = []
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  *take(chunk: Buffer): Iterable<string> {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, at))
      yield this.#line()
      from = at + 1
    }
    this.#keep(chunk.subarray(from))
  }

  *rest(): Iterable<string> {
    if (this.#size > 0) yield this.#line()
  }

  #keep(bytes: Buffer): void {
    const kept = bytes.subarray(0, this.#most - this.#size)
    if (kept.length === 0) return
    this.#kept.push(kept)
    this.#size += kept.length
  }

  #line(): string {
    const line = Buffer.concat(this.#kept).toString("utf8")
    this.#kept = []
    this.#size = 0
    return line.endsWith("\r") ? line.slice(0, -1) : line
  }
}
