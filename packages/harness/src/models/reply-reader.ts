import type { AssistantPart, Decoder, Delta, Reply } from "@sotto/core"
import { ProviderError } from "@sotto/core"
import { type Answerer, answererIn } from "./answerer.js"
import type { DialectCodec } from "./dialects.js"
import { ModelError } from "./error.js"
import { brokenBy, dropped, malformedCall, notAMessage, oversized } from "./failure.js"
import { ConnectionLost, type HttpAnswer, Silence, Undecodable } from "./http.js"
import { EventReader, EventTooLarge, type SentEvent } from "./sse.js"

/** Bytes. What no model writes, but a broken server may. */
export interface Bounds {
  readonly event: number
  readonly reply: number
}

const BOUNDS: Bounds = { event: 32_000_000, reply: 128_000_000 }

export interface ReplyListener {
  onDelta?(delta: Delta): void
  /** Handed a way to read what was said so far, for when the call is cut short. */
  onPartial?(said: () => Reply): void
  /** Told once who answers, if the provider says it. If left out, the reader does not look. */
  onAnswerer?(answerer: Answerer): void
  readonly bounds?: Bounds | undefined
}

/** Milliseconds that the end of a body is waited for after the end of its reply. */
const GRACE = 1_000

/** How an event stream begins. */
const EVENT_LINE = /^\uFEFF?\s*(data|event|id|retry)?:/

/** Bytes of the body that are kept to say what came instead of a message. */
const BEGINNING = 6_000

/**
 * Reads the reply out of a good answer. It counts only if every event of it was read, and if it ended as its API says
 * that a reply ends; otherwise this throws a ModelError. What the body begins with decides how it is read: some servers
 * do not stream, whatever they are asked for, and some name the wrong content type.
 */
export async function readReply(
  answer: HttpAnswer,
  dialect: DialectCodec,
  listening: ReplyListener,
): Promise<Reply> {
  const body = new ReplyBody(dialect, listening)
  try {
    await answer.read((piece) => {
      body.take(piece)
      // Some servers keep the connection open after all has been said.
      if (body.said !== undefined) answer.hurry(GRACE)
    })
  } catch (error) {
    if (error instanceof Undecodable) throw notAMessage(error.message, error)
    const isGone = error instanceof ConnectionLost || error instanceof Silence
    // A connection may break after all has been said.
    if (isGone && body.said !== undefined) return acceptable(body.said)
    if (!(error instanceof ConnectionLost)) throw error
    throw dropped("The connection was lost before the reply was complete.", error)
  }
  return acceptable(body.end())
}

function acceptable(reply: Reply): Reply {
  if (reply.stop === "malformed") throw malformedCall(reply.why ?? "malformed")
  return reply
}

/** The body of an answer as it comes. */
class ReplyBody {
  readonly #dialect: DialectCodec
  readonly #listening: ReplyListener
  readonly #bounds: Bounds
  readonly #beginning: Buffer[] = []
  /** Of a whole answer all pieces. */
  readonly #pieces: Uint8Array[] = []
  #size = 0
  #stream: Stream | undefined
  #isWhole = false

  constructor(dialect: DialectCodec, listening: ReplyListener) {
    this.#dialect = dialect
    this.#listening = listening
    this.#bounds = listening.bounds ?? BOUNDS
  }

  take(piece: Uint8Array): void {
    if (this.#size < BEGINNING) this.#beginning.push(Buffer.from(piece.subarray(0, BEGINNING)))
    this.#size += piece.length
    if (this.#size > this.#bounds.reply) throw oversized("a reply", this.#bounds.reply)
    if (this.#stream === undefined && !this.#isWhole) this.#decide()
    if (this.#isWhole) this.#pieces.push(piece)
    else this.#stream?.take(piece, () => this.#started())
  }

  end(): Reply {
    if (this.#isWhole) return this.#whole()
    const reply = this.#stream?.end()
    if (reply !== undefined) return reply
    throw this.#stream?.isBegun || EVENT_LINE.test(this.#started())
      ? dropped("The stream ended before the reply was complete.")
      : notAMessage(this.#started())
  }

  /** The reply, if all of it has been said although the body goes on. */
  get said(): Reply | undefined {
    return this.#stream?.said
  }

  /** Decides by the first character: JSON begins with a bracket, an event of a stream with a word or a colon. */
  #decide(): void {
    const [first] = this.#started()
      .replace(/^\uFEFF/, "")
      .trimStart()
    if (first === undefined) return
    this.#isWhole = first === "{" || first === "["
    if (!this.#isWhole) this.#stream = new Stream(this.#dialect, this.#listening, this.#bounds)
    const earlier = this.#beginning.slice(0, -1)
    if (this.#isWhole) this.#pieces.push(...earlier)
    else for (const piece of earlier) this.#stream?.take(piece, () => this.#started())
  }

  #started(): string {
    return Buffer.concat(this.#beginning).toString("utf8")
  }

  #whole(): Reply {
    let reply: Reply
    try {
      reply = this.#dialect.decode(JSON.parse(Buffer.concat(this.#pieces).toString("utf8")))
    } catch (cause) {
      throw cause instanceof ProviderError ? brokenBy(cause) : notAMessage(this.#started(), cause)
    }
    if (this.#listening.onAnswerer) {
      const answerer = answererIn(Buffer.concat(this.#pieces).toString("utf8"))
      if (answerer) this.#listening.onAnswerer(answerer)
    }
    for (const delta of reply.parts.flatMap(deltasOf)) this.#listening.onDelta?.(delta)
    this.#listening.onPartial?.(() => reply)
    return reply
  }
}

/** A reply that streams. */
class Stream {
  /** True once an event was read. */
  isBegun = false
  readonly #decoder: Decoder
  readonly #reader: EventReader
  readonly #listening: ReplyListener
  readonly #bounds: Bounds
  /** The API has no word that ends a stream: only the end of the body shows that nothing is missing. */
  readonly #endsWithBody: boolean
  #isAnswererKnown: boolean

  constructor(dialect: DialectCodec, listening: ReplyListener, bounds: Bounds) {
    this.#decoder = dialect.decoder()
    this.#endsWithBody = dialect.endsWithBody ?? false
    this.#reader = new EventReader(bounds.event)
    this.#listening = listening
    this.#bounds = bounds
    this.#isAnswererKnown = listening.onAnswerer === undefined
    listening.onPartial?.(() => this.#decoder.soFar())
  }

  /** `beginning`: of the body, for an event that shows that it was never a reply. */
  take(piece: Uint8Array, beginning: () => string): void {
    try {
      this.#decode(this.#reader.push(piece))
    } catch (error) {
      if (error instanceof EventTooLarge) throw oversized("an event", this.#bounds.event)
      const isBad = error instanceof ModelError && error.kind === "malformed"
      throw isBad && !this.isBegun ? notAMessage(beginning(), error) : error
    }
  }

  /** Gives the reply, once the body has ended; undefined if that was too soon. */
  end(): Reply | undefined {
    try {
      this.#decode(this.#reader.end())
    } catch (error) {
      // The body ended inside an event.
      if (!(error instanceof ModelError && error.kind === "malformed")) throw error
      throw dropped("The stream ended before the reply was complete.", error)
    }
    return this.#decoder.ended() ? this.#decoder.end() : undefined
  }

  get said(): Reply | undefined {
    return this.#decoder.ended() && !this.#endsWithBody ? this.#decoder.end() : undefined
  }

  #decode(events: readonly SentEvent[]): void {
    for (const { data } of events) {
      if (data === "") continue
      if (!this.#isAnswererKnown) this.#lookForAnswerer(data)
      for (const delta of this.#push(data)) this.#listening.onDelta?.(delta)
      this.isBegun = true
    }
  }

  #lookForAnswerer(data: string): void {
    const answerer = answererIn(data)
    if (answerer === undefined) return
    this.#isAnswererKnown = true
    this.#listening.onAnswerer?.(answerer)
  }

  #push(data: string): readonly Delta[] {
    try {
      return this.#decoder.push(data)
    } catch (cause) {
      throw brokenBy(cause)
    }
  }
}

function deltasOf(part: AssistantPart): readonly Delta[] {
  if (part.type !== "tool-call") return [{ type: part.type, text: part.text }]
  const { id, name, input } = part
  return [
    { type: "tool-call-start", id, name },
    { type: "tool-call", id, name, input },
  ]
}
