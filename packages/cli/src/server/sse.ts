import type { ServerResponse } from "node:http"
import type { NumberedEvent } from "@sotto/harness"
import { HEADERS } from "./headers.js"
import { LIMITS, tooManyStreams } from "./limits.js"

/** A proxy in between, or a reader that is gone, shows at the latest after this time. */
const BEAT_MS = 15_000
/** A reader that takes nothing for this long is dropped. It connects again, and goes on where it was. */
const STALL_MS = 30_000

/** What a stream is fed from: numbered events, in order, of which there may be more later. */
export interface Numbered {
  readonly events: readonly (NumberedEvent | { readonly seq: number; readonly event: object })[]
}

/** The event streams of a server. */
export class Streams {
  readonly #open = new Set<EventStream>()

  /** How many are open. */
  get size(): number {
    return this.#open.size
  }

  open(outgoing: ServerResponse, source: Numbered, after: number, stop: () => void): EventStream {
    if (this.#open.size >= LIMITS.streams) {
      stop()
      throw tooManyStreams()
    }
    const stream = new EventStream(outgoing, source, after, () => {
      this.#open.delete(stream)
      stop()
    })
    this.#open.add(stream)
    return stream
  }

  /** Ends every stream after what it has still to say. */
  close(): void {
    for (const stream of [...this.#open]) stream.end()
  }
}

/**
 * Server-sent events to one reader. It has a place among the events and writes as fast as the reader takes them, so a
 * slow reader costs no memory. What is of the moment is left out for a reader that is behind.
 */
export class EventStream {
  readonly #outgoing: ServerResponse
  readonly #source: Numbered
  readonly #closed: () => void
  readonly #beating: NodeJS.Timeout
  #place: number
  #isFull = false
  #stalled: NodeJS.Timeout | undefined
  #isEnding = false

  constructor(outgoing: ServerResponse, source: Numbered, after: number, closed: () => void) {
    this.#outgoing = outgoing
    this.#source = source
    this.#closed = closed
    this.#place = placeAfter(source.events, after)
    outgoing.writeHead(200, {
      ...HEADERS,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    })
    outgoing.on("drain", () => {
      this.#isFull = false
      clearTimeout(this.#stalled)
      this.more()
    })
    outgoing.on("error", () => {})
    outgoing.on("close", () => this.#stop())
    this.#beating = setInterval(() => !this.#isFull && this.#write(":\n\n"), BEAT_MS).unref()
    this.#write("retry: 1000\n\n")
    this.more()
  }

  more(): void {
    const { events } = this.#source
    while (!this.#isFull && this.#place < events.length) {
      const next = events[this.#place++]
      if (next !== undefined) this.#write(`id: ${next.seq}\ndata: ${JSON.stringify(next.event)}\n\n`)
    }
    if (this.#isEnding && this.#place >= events.length) this.#outgoing.end()
  }

  /** Writes an event of this moment; drops it while the reader is behind, and returns false then. */
  now(event: object): boolean {
    if (this.#isFull || this.#place < this.#source.events.length) return false
    this.#write(`data: ${JSON.stringify(event)}\n\n`)
    return true
  }

  /** Closes the stream after what it has still to say. */
  end(): void {
    this.#isEnding = true
    this.more()
  }

  #write(text: string): void {
    if (this.#outgoing.writableEnded || this.#outgoing.destroyed) return
    if (this.#outgoing.write(text)) return
    this.#isFull = true
    clearTimeout(this.#stalled)
    this.#stalled = setTimeout(() => this.#outgoing.destroy(), STALL_MS).unref()
  }

  #stop(): void {
    clearInterval(this.#beating)
    clearTimeout(this.#stalled)
    this.#closed()
  }
}

function placeAfter(events: Numbered["events"], after: number): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle]?.seq ?? 0) > after) high = middle
    else low = middle + 1
  }
  return low
}

/** Decides where a reader goes on: what it asks for, or what its browser remembers. The later of the two counts. */
export function afterOf(from: number | undefined, lastEvent: string | undefined): number {
  const remembered = lastEvent !== undefined && /^\d+$/.test(lastEvent) ? Number(lastEvent) : 0
  return Math.max(from ?? 0, remembered)
}
