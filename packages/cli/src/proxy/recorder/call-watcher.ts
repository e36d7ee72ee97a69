import type { MendResult } from "../mender/mended.js"
import { LARGEST_BODY } from "../transport/body-limit.js"
import type { RawHeaders } from "../transport/headers.js"
import type { CallHead } from "../transport/server.js"
import type { Tap } from "../transport/tap.js"
import { Capture } from "./capture.js"
import type { CapturedCall } from "./captured.js"

/** Bytes of calls that may wait: those that pass, and those that are not looked at yet. */
const ROOM = 384 * 1024 * 1024

export interface CallWatcher {
  /** Looks on at one call. */
  watch(call: CallHead): Tap | undefined
  /** The analysis is through with so many bytes. */
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
