/** Bytes of recorded lines that are kept for those who look on. */
const ROOM = 64 * 1024 * 1024

export interface KeptLine {
  readonly number: number
  readonly line: Uint8Array
}

/** The newest calls of a proxy that runs, as lines of a recording, in memory only. */
export class NewestCalls {
  readonly #room: number
  readonly #lines: KeptLine[] = []
  readonly #listeners = new Set<() => void>()
  #bytes = 0

  constructor(room = ROOM) {
    this.#room = room
  }

  add(number: number, line: Uint8Array): void {
    this.#lines.push({ number, line })
    this.#bytes += line.length
    while (this.#bytes > this.#room && this.#lines.length > 1)
      this.#bytes -= this.#lines.shift()?.line.length ?? 0
    for (const listener of [...this.#listeners]) listener()
  }

  /** The oldest line that is kept from this number on. */
  from(number: number): KeptLine | undefined {
    return this.#lines.find((kept) => kept.number >= number)
  }

  /** Calls `listener` whenever a line is added. Returns what ends that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
