import { listField } from "../vocabulary/fields.js"
import { copied } from "../vocabulary/json.js"
import type { DialectName } from "../vocabulary/model.js"
import type { Pins, Request } from "../vocabulary/request.js"
import type { WireMessage } from "../vocabulary/wire-message.js"
import { checkDialect, type EncodeOptions } from "./dialect.js"

/** A message as JSON text, never empty, split where a cache marker may go. */
export interface Fragment {
  /** Everything before the place of the marker. */
  readonly before: string
  /** Everything behind it. */
  readonly after: string
}

/** How a dialect lays out a body: everything before the conversation, each message, everything behind it. */
export interface Layout<Options> {
  /** The name by which a model says that it is spoken to in this dialect. */
  readonly dialect: DialectName
  /** Writes everything before the conversation, the opening bracket of its list included. */
  head(pins: Pins, marker: string): string
  /** Writes one message. Asked for once an epoch, so it may depend on nothing but what it is given. */
  fragment(message: WireMessage, pins: Pins): Fragment
  /** Writes everything behind the conversation, the closing bracket of its list included. */
  tail(request: Request, options: Options): string
  /** What a marker says in this request: the same in all places. */
  marker?(request: Request): string
  /** Which messages carry one in this request. */
  marks?(request: Request): readonly number[]
}

/** Writes everything before the list of the conversation. */
export function opening(fields: object, list: string): string {
  const before = JSON.stringify(fields).slice(0, -1)
  return `${before}${before === "{" ? "" : ","}"${list}":[`
}

/** Writes everything behind the list of the conversation. */
export function closing(parameters: object): string {
  const fields = JSON.stringify(parameters).slice(1)
  return fields === "}" ? "]}" : `],${fields}`
}

/** Makes a fragment of one message of ours, which may be several of theirs. */
export function fragmentOf(messages: readonly object[]): Fragment {
  return { before: messages.map((message) => JSON.stringify(message)).join(","), after: "" }
}

/** The same layout as objects. */
export interface BodyParts {
  /** The name of the list. */
  readonly list: string
  /** Gives the fields before the conversation. */
  head(pins: Pins, marker: object): object
  /** What stands in the list before the first message. */
  first?(pins: Pins): readonly object[]
  /** Encodes one message. Asked for once an epoch, so it may depend on nothing but what it is given. */
  items(message: WireMessage, pins: Pins): readonly object[]
  /** Gives the fields behind the conversation. */
  tail(request: Request, options: EncodeOptions): object
  /** What is added to the last block of a user message that carries a marker. */
  marker?(request: Request): object
}

/** Makes the encoders of the built-in dialects: the body as a new object, as one that shares, and as bytes. */
export function objectEncoder<Body>(
  dialect: DialectName,
  parts: BodyParts,
  marks?: Layout<EncodeOptions>["marks"],
) {
  const { list, head, first, items, tail, marker } = parts
  const bytes = incrementalEncoder<EncodeOptions>({
    dialect,
    head: (pins, said) => {
      const { before } = fragmentOf(first?.(pins) ?? [])
      return `${opening(head(pins, JSON.parse(`{${said.slice(1)}}`)), list)}${before && `${before},`}`
    },
    fragment: (message, pins) => {
      const { before } = fragmentOf(items(message, pins))
      const after = marks && message.role === "user" ? "}]}" : ""
      return { before: before.slice(0, before.length - after.length), after }
    },
    tail: (request, options) => closing(tail(request, options)),
    ...(marker && { marker: (request) => `,${JSON.stringify(marker(request)).slice(1, -1)}` }),
    ...(marks && { marks }),
  })
  const epochs = new WeakMap<Pins, EpochItems>()
  /** `own` copies what a body shares with others of the epoch, or does not. */
  const body =
    (own: typeof copied) =>
    (request: Request, options: EncodeOptions = {}): Body => {
      checkDialect(request, dialect)
      const { pins, messages } = request
      if (!epochs.has(pins)) {
        const all = [...(first?.(pins) ?? [])]
        epochs.set(pins, { all, ends: [all.length], heads: {} })
      }
      const { all, ends, heads } = epochs.get(pins) as EpochItems
      while (ends.length <= messages.length)
        ends.push(all.push(...items(messages.at(ends.length - 1) as WireMessage, pins)))
      const sent = own(all.slice(0, ends[messages.length]))
      const said = marker?.(request) ?? {}
      for (const i of marks?.(request) ?? []) {
        const place = (ends[i + 1] as number) - 1
        const item = copied(sent[place] as object)
        Object.assign(listField(item, "content").at(-1) ?? {}, copied(said))
        sent[place] = item
      }
      const marked = JSON.stringify(said)
      heads[marked] ??= head(pins, said)
      return { ...own(heads[marked]), [list]: sent, ...copied(tail(request, options)) } as Body
    }
  return {
    /** Each message is made once an epoch. A copy of it goes into the body, so that the caller may change the body. */
    encode: body(copied),
    /** For readers that change nothing: a body has the very message objects that earlier bodies of the epoch have. */
    encodeShared: body((value) => value),
    encodeBytes: (request: Request, options: EncodeOptions = {}): readonly Uint8Array[] => {
      checkDialect(request, dialect)
      return bytes(request, options)
    },
  }
}

/** Makes the encoders of a dialect of your own from its layout: the body as an object, and the same as bytes. */
export function encoderOf<Options extends object, Body>(layout: Layout<Options>) {
  const bytes = incrementalEncoder(layout)
  const none = {} as Options
  return {
    /** The body of a request, as a plain object. */
    encode: (request: Request, options: Options = none): Body => {
      checkDialect(request, layout.dialect)
      return JSON.parse(layOut(layout, request, options))
    },
    /** The same body as pieces of bytes, reusing what was encoded for earlier requests of the epoch. */
    encodeBytes: (request: Request, options: Options = none): readonly Uint8Array[] => {
      checkDialect(request, layout.dialect)
      return bytes(request, options)
    },
  }
}

/**
 * Encodes each message once. The next request of the same epoch reuses the bytes: the cost of a step is that of what is
 * new in it.
 */
function incrementalEncoder<Options>(layout: Layout<Options>) {
  const epochs = new WeakMap<Pins, EpochBytes<Options>>()
  return (request: Request, options: Options): readonly Uint8Array[] => {
    let epoch = epochs.get(request.pins)
    if (epoch === undefined) {
      epoch = new EpochBytes(layout)
      epochs.set(request.pins, epoch)
    }
    return epoch.body(request, options)
  }
}

/** What was made of an epoch as objects: each message once. */
interface EpochItems {
  /** The list of the conversation, as far as it was asked for. */
  readonly all: object[]
  /** Where the first message begins in it, and where each message ends. */
  readonly ends: number[]
  /** Fields before the conversation, by what their markers say. */
  readonly heads: Record<string, object>
}

const utf8 = new TextEncoder()

class EpochBytes<Options> {
  readonly #layout: Layout<Options>
  /** Messages that no marker will touch again, one after the other. Only ever appended to, so views of it stay true. */
  #settled: Uint8Array = new Uint8Array(4096)
  /** Where each settled message ends. */
  readonly #ends: number[] = []
  /** Messages near the end, where markers still come and go. */
  readonly #recent = new Map<number, Fragment>()
  /** The head, by what its markers say: for how long the cache is kept may change within an epoch. */
  readonly #heads = new Map<string, Uint8Array>()

  constructor(layout: Layout<Options>) {
    this.#layout = layout
  }

  body(request: Request, options: Options): readonly Uint8Array[] {
    const layout = this.#layout
    const count = request.messages.length
    const marks = layout.marks?.(request) ?? []
    const marker = layout.marker?.(request) ?? ""
    const stable = Math.min(count, ...marks)
    for (let i = this.#ends.length; i < stable; i++) {
      this.#settle(utf8.encode(this.#text(i, request, "")))
      this.#recent.delete(i)
    }
    let tail = ""
    for (let i = stable; i < count; i++) tail += this.#text(i, request, marks.includes(i) ? marker : "")
    const head = this.#heads.get(marker) ?? utf8.encode(layout.head(request.pins, marker))
    this.#heads.set(marker, head)
    const settled = this.#settled.subarray(0, this.#ends[stable - 1] ?? 0)
    return [head, settled, utf8.encode(tail + layout.tail(request, options))]
  }

  #text(index: number, { messages, pins }: Request, marker: string): string {
    const known = this.#recent.get(index)
    const fragment = known ?? this.#layout.fragment(messages.at(index) as WireMessage, pins)
    if (known === undefined) this.#recent.set(index, fragment)
    return `${index > 0 ? "," : ""}${fragment.before}${marker}${fragment.after}`
  }

  #settle(bytes: Uint8Array): void {
    const end = this.#ends.at(-1) ?? 0
    const size = end + bytes.length
    if (size > this.#settled.length) {
      const grown = new Uint8Array(Math.max(size, this.#settled.length * 2))
      grown.set(this.#settled.subarray(0, end))
      this.#settled = grown
    }
    this.#settled.set(bytes, end)
    this.#ends.push(size)
  }
}

/** Writes the body as one text, for the `encode` of a layout that has only texts. */
function layOut<Options>(layout: Layout<Options>, request: Request, options: Options): string {
  const marks = layout.marks?.(request) ?? []
  const marker = layout.marker?.(request) ?? ""
  const messages = [...request.messages].map((message, i) => {
    const { before, after } = layout.fragment(message, request.pins)
    return `${before}${marks.includes(i) ? marker : ""}${after}`
  })
  return `${layout.head(request.pins, marker)}${messages.join(",")}${layout.tail(request, options)}`
}
