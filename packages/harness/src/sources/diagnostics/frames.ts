import { Transform, type TransformCallback } from "node:stream"

export interface FrameLimits {
  /** Bytes of one message. */
  readonly largest: number
  /** A message had more, and was dropped. */
  dropped(bytes: number): void
}

const LONGEST_HEADER = 8_192
const END = "\r\n\r\n"

/**
 * Lets whole messages of the protocol through and nothing else: what a program prints beside them is skipped, and so
 * is a message that is too large, without being held in memory.
 */
export class Frames extends Transform {
  readonly #limits: FrameLimits
  #header = Buffer.alloc(0)
  #body = 0
  #skipping = false

  constructor(limits: FrameLimits) {
    super()
    this.#limits = limits
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let rest: Buffer | undefined = chunk
    while (rest !== undefined && rest.length > 0) rest = this.#body > 0 ? this.#take(rest) : this.#look(rest)
    done()
  }

  #take(chunk: Buffer): Buffer {
    const part = chunk.subarray(0, this.#body)
    this.#body -= part.length
    if (!this.#skipping) this.push(part)
    return chunk.subarray(part.length)
  }

  #look(chunk: Buffer): Buffer | undefined {
    // No copy where there is nothing to join: a chunk may hold thousands of headers.
    const seen = this.#header.length === 0 ? chunk : Buffer.concat([this.#header, chunk])
    const end = seen.indexOf(END)
    if (end === -1) {
      this.#header = Buffer.from(seen.subarray(-LONGEST_HEADER))
      return undefined
    }
    this.#header = Buffer.alloc(0)
    const header = seen.subarray(Math.max(0, end - LONGEST_HEADER), end).toString("latin1")
    const length = Number(/content-length:[ \t]*(\d{1,15})[ \t]*(?:\r\n[^\n]*)*$/i.exec(header)?.[1] ?? 0)
    this.#body = length
    this.#skipping = length > this.#limits.largest
    if (this.#skipping) this.#limits.dropped(length)
    else if (length > 0) this.push(`Content-Length: ${length}${END}`)
    return seen.subarray(end + END.length)
  }
}
