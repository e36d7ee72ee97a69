const SMALLEST = 4 * 1024
const LARGEST = 256 * 1024

/** Copies of the pieces of a body, in blocks that can be handed to another thread without being copied again. */
export class Capture {
  readonly #blocks: Uint8Array<ArrayBuffer>[] = []
  #block: Uint8Array<ArrayBuffer> | undefined
  #filled = 0
  size = 0

  push(piece: Uint8Array): void {
    this.size += piece.length
    let rest = piece
    while (rest.length > 0) {
      const block = this.#room(rest.length)
      const part = rest.subarray(0, block.length - this.#filled)
      block.set(part, this.#filled)
      this.#filled += part.length
      rest = rest.subarray(part.length)
    }
  }

  /** All blocks, and nothing is kept. */
  take(): readonly Uint8Array<ArrayBuffer>[] {
    this.#close()
    return this.#blocks.splice(0)
  }

  clear(): void {
    this.take()
    this.size = 0
  }

  #room(wanted: number): Uint8Array<ArrayBuffer> {
    if (this.#block !== undefined && this.#filled < this.#block.length) return this.#block
    this.#close()
    // A stream comes in small pieces, a conversation in large ones.
    const size = Math.min(LARGEST, Math.max(SMALLEST, wanted, this.size / 4))
    this.#block = new Uint8Array(Math.ceil(size))
    return this.#block
  }

  #close(): void {
    if (this.#block !== undefined) this.#blocks.push(this.#block.subarray(0, this.#filled))
    this.#block = undefined
    this.#filled = 0
  }
}
