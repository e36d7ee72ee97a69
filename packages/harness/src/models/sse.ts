import { StringDecoder } from "node:string_decoder"

/** A server-sent event. */
export interface SentEvent {
  /** "message" unless the server names it. */
  readonly event: string
  readonly data: string
}

/** Thrown for an event that is larger than the reader was told to take. */
export class EventTooLarge extends Error {
  override readonly name = "EventTooLarge"
}

/** Reads an event stream, in whatever pieces it comes. Looks at every character once. */
export class EventReader {
  readonly #utf8 = new StringDecoder("utf8")
  readonly #largest: number
  #begun = false
  /** The pieces of the line that has begun. */
  #line: string[] = []
  /** The last character was a carriage return: a line feed after it belongs to it. */
  #afterReturn = false
  #event = ""
  #data: string[] = []
  /** Characters of the event that has begun. */
  #size = 0

  /** Limits an event to `largest` characters. */
  constructor(largest = Number.POSITIVE_INFINITY) {
    this.#largest = largest
  }

  push(bytes: Uint8Array): readonly SentEvent[] {
    return this.#read(this.#utf8.write(bytes))
  }

  /** Reads what was still open when the stream ended: some servers leave out the last empty line. */
  end(): readonly SentEvent[] {
    const events = this.#read(this.#utf8.end())
    this.#endLine("", events)
    this.#dispatch(events)
    return events
  }

  #read(given: string): SentEvent[] {
    // A byte order mark may stand before everything.
    const text = this.#begun || !given.startsWith("\uFEFF") ? given : given.slice(1)
    this.#begun ||= given !== ""
    const events: SentEvent[] = []
    const lineEnd = /\r\n|\n|\r/g
    let from = this.#afterReturn && text.startsWith("\n") ? 1 : 0
    if (text !== "") this.#afterReturn = text.endsWith("\r")
    lineEnd.lastIndex = from
    for (let found = lineEnd.exec(text); found !== null; found = lineEnd.exec(text)) {
      this.#endLine(text.slice(from, found.index), events)
      from = lineEnd.lastIndex
    }
    if (from < text.length) this.#keep(text.slice(from))
    return events
  }

  #keep(piece: string): void {
    this.#line.push(piece)
    this.#size += piece.length
    if (this.#size > this.#largest) throw new EventTooLarge()
  }

  #endLine(last: string, events: SentEvent[]): void {
    if (last !== "") this.#keep(last)
    const line = this.#line.length === 1 ? (this.#line[0] ?? "") : this.#line.join("")
    if (this.#line.length > 0) this.#line = []
    if (line === "") this.#dispatch(events)
    else this.#field(line)
  }

  #field(line: string): void {
    const colon = line.indexOf(":")
    // A line that begins with a colon is a comment: most often, a sign of life.
    if (colon === 0) {
      this.#size -= line.length
      return
    }
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1))
    if (name === "data") this.#data.push(value)
    else if (name === "event") this.#event = value
  }

  #dispatch(events: SentEvent[]): void {
    if (this.#data.length > 0) events.push({ event: this.#event || "message", data: this.#data.join("\n") })
    this.#event = ""
    this.#data = []
    this.#size = 0
  }
}
