import type { RawHeaders } from "../transport/headers.js"
import type { CallHead } from "../transport/server.js"
import { LARGEST_BODY, type MendResult, type Tap } from "../transport/tap.js"
import type { CapturedCall } from "./line.js"

/** Bytes of calls that may wait: those that pass, and those that are not looked at yet. */
const ROOM = 384 * 1024 * 1024

export interface CallWatcher {
  /** Looks on at one call. */
  watch(call: CallHead): Tap | undefined
  /** The analysis is through with this many bytes. */
  release(bytes: number): void
  /** Calls that were not looked at: too much was waiting. */
  readonly missed: number
}

/**
 * Copies calls as they pass and hands them on when they are over. What is copied is bounded: a call that finds no room
 * passes like any other and is neither analysed nor recorded.
 */
export function startWatching(hand: (call: CapturedCall, bytes: number) => void): CallWatcher {
  let waiting = 0
  let calls = 0
  let missed = 0

  const watch = ({ method, path, headers, route: { endpoint } }: CallHead): Tap | undefined => {
    if (endpoint === undefined) return undefined
    const at = Date.now()
    const start = performance.now()
    const [request, response] = [new Capture(), new Capture()]
    let head: { readonly status: number; readonly headers: RawHeaders } | undefined
    let mending: MendResult | undefined
    let isMissed = false
    let isOver = false
    const tooLarge = new Set<Capture>()
    const copy = (capture: Capture, piece: Uint8Array) => {
      if (isMissed || isOver || tooLarge.has(capture)) return
      if (capture.size + piece.length > LARGEST_BODY) {
        tooLarge.add(capture)
        waiting -= capture.size
        return capture.clear()
      }
      if (waiting + piece.length > ROOM) return miss()
      waiting += piece.length
      capture.push(piece)
    }
    const miss = () => {
      isMissed = true
      missed++
      waiting -= request.size + response.size
      request.take()
      response.take()
    }
    return {
      sent: (piece) => copy(request, piece),
      received: (piece) => copy(response, piece),
      answered: (status, rawHeaders) => {
        head = { status, headers: rawHeaders }
      },
      mended: (given) => {
        mending = given
      },
      ended: (error) => {
        if (isOver || isMissed) return
        isOver = true
        const ms = Math.round((performance.now() - start) * 10) / 10
        const bytes = request.size + response.size
        const call: CapturedCall = {
          number: ++calls,
          at,
          ms,
          method,
          path,
          endpoint,
          headers,
          body: tooLarge.has(request) ? "too large" : request.take(),
          ...(head && {
            response: { ...head, body: tooLarge.has(response) ? "too large" : response.take() },
          }),
          ...(error !== undefined && { error }),
          ...(mending && { mending }),
        }
        hand(call, bytes)
      },
    }
  }
  return {
    watch,
    release: (bytes) => {
      waiting -= bytes
    },
    get missed() {
      return missed
    },
  }
}

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
