import { StringDecoder } from "node:string_decoder"

/** A server-sent event. */
export interface SentEvent {
  /** "message" unless the server names it. */
  readonly event: string
  readonly data: string
}

/** Reads an event stream, in whatever pieces it comes. */
export class EventReader {
  readonly #utf8 = new StringDecoder("utf8")
  #begun = false
  /** The line that has begun, and how much of it is known to hold no end of line. */
  #rest = ""
  #scanned = 0
  #event = ""
  #data: string[] = []

  /** The events that these bytes complete. */
  push(bytes: Uint8Array): readonly SentEvent[] {
    this.#take(this.#utf8.write(bytes))
    return this.#read(false)
  }

  /** What was still open when the stream ended: some servers leave out the last empty line. */
  end(): readonly SentEvent[] {
    this.#take(this.#utf8.end())
    const events = this.#read(true)
    if (this.#rest !== "") this.#field(this.#rest)
    this.#rest = ""
    this.#dispatch(events)
    return events
  }

  /** A byte order mark may stand before everything. */
  #take(text: string): void {
    this.#rest += this.#begun || !text.startsWith("\uFEFF") ? text : text.slice(1)
    this.#begun ||= text !== ""
  }

  #read(ended: boolean): SentEvent[] {
    const events: SentEvent[] = []
    const text = this.#rest
    let from = 0
    const lineEnd = /\r\n|\n|\r/g
    lineEnd.lastIndex = this.#scanned
    for (let found = lineEnd.exec(text); found !== null; found = lineEnd.exec(text)) {
      // The other half of a CRLF may still be on its way.
      if (found[0] === "\r" && lineEnd.lastIndex === text.length && !ended) break
      const line = text.slice(from, found.index)
      from = lineEnd.lastIndex
      if (line === "") this.#dispatch(events)
      else this.#field(line)
    }
    this.#rest = text.slice(from)
    this.#scanned = Math.max(0, this.#rest.length - 1)
    return events
  }

  #field(line: string): void {
    const colon = line.indexOf(":")
    // A line that begins with a colon is a comment: most often, a sign of life.
    if (colon === 0) return
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1))
    if (name === "data") this.#data.push(value)
    else if (name === "event") this.#event = value
  }

  #dispatch(events: SentEvent[]): void {
    if (this.#data.length > 0) events.push({ event: this.#event || "message", data: this.#data.join("\n") })
    this.#event = ""
    this.#data = []
  }
}
