import { statSync } from "node:fs"
import { reasonOf } from "@sotto/harness"
import type { Call, Prices } from "@sotto/lens"
import { createPages, type Pages } from "@sotto/lens/pages"
import { openSource } from "@sotto/lens/sources"
import { recordingsAt } from "../../traffic/named.js"
import { growing } from "./follow-file.js"
import { proxyLines, type RunningProxy } from "./proxy.js"

/** A reader that hears of the calls of a trace as they come. */
export interface TraceReader {
  more(): void
  end(): void
}

/** A recording or a running proxy: a source of lines that the lens looks at. */
export class Trace {
  readonly id: string
  readonly name: string
  readonly kind: "recording" | "proxy"
  readonly pages: Pages
  readonly events: { readonly seq: number; readonly event: object }[] = []
  /** Resolves when all that was there has been read. */
  readonly ready: Promise<void>
  updatedAt: number
  isEnded = false
  /** Why it cannot be read, or not to its end. */
  failure: string | undefined
  readonly #readers = new Set<TraceReader>()
  readonly #stopped = new AbortController()
  readonly #again: Again
  /** Of each call: its place among all that the source has, counted from 1. */
  readonly #places: number[] = []
  #items = 0

  private constructor(
    about: Pick<Trace, "id" | "name" | "kind" | "updatedAt">,
    prices: Prices,
    texts: Texts,
    again: Again,
  ) {
    this.#again = again
    this.id = about.id
    this.name = about.name
    this.kind = about.kind
    this.updatedAt = about.updatedAt
    this.pages = createPages({ prices })
    this.ready = new Promise((resolve) => {
      void this.#read(texts, resolve)
        .catch((error: unknown) => {
          this.failure = reasonOf(error)
        })
        .finally(() => {
          this.isEnded = true
          resolve()
          for (const reader of [...this.#readers]) reader.end()
        })
    })
  }

  /** Reads a file: lines are followed while it grows, everything else is read once. */
  static recording(id: string, path: string, prices: Prices): Trace {
    const updatedAt = statSync(path).mtimeMs
    const isLines = /\.(jsonl|ndjson)$/.test(path)
    const texts: Texts = isLines
      ? (signal, caughtUp) => [{ name: path, text: growing(path, signal, caughtUp) }]
      : () => recordingsAt(path).map(({ name, open }) => ({ name, text: open(() => {}) }))
    const again = () => recordingsAt(path).map(({ name, open }) => ({ name, text: open(() => {}) }))
    return new Trace({ id, name: path, kind: "recording", updatedAt }, prices, texts, (place) => ({
      texts: again(),
      place,
    }))
  }

  static proxy(id: string, proxy: RunningProxy, prices: Prices): Trace {
    const { command, port, startedAt } = proxy
    const name = command === undefined ? `proxy on port ${port}` : [command].flat().join(" ")
    const numbers: number[] = []
    const numbered = (n: number) => numbers.push(n)
    const texts: Texts = (signal, caughtUp) => [
      { name, text: proxyLines(proxy, signal, caughtUp, { numbered }) },
    ]
    const again: Again = (place, signal) => ({
      texts: [{ name, text: proxyLines(proxy, signal, () => {}, { first: numbers[place - 1] ?? place }) }],
      place: 1,
    })
    return new Trace({ id, name, kind: "proxy", updatedAt: startedAt }, prices, texts, again)
  }

  /**
   * Returns the body of a call as it went out. It is read again from its source: the lens keeps only what is new in
   * each call.
   */
  async body(n: number): Promise<string | undefined> {
    const wanted = this.#places[n - 1]
    if (wanted === undefined) return undefined
    const stop = new AbortController()
    try {
      const { texts, place } = this.#again(wanted, stop.signal)
      let count = 0
      for (const { name, text } of texts)
        for await (const item of (await openSource(name, text)).items)
          if (++count === place) return item.type === "call" ? textOf(item.call) : undefined
      return undefined
    } finally {
      stop.abort()
    }
  }

  read(reader: TraceReader): () => void {
    this.#readers.add(reader)
    return () => this.#readers.delete(reader)
  }

  close(): void {
    this.#stopped.abort()
  }

  async #read(texts: Texts, caughtUp: () => void): Promise<void> {
    for (const { name, text } of texts(this.#stopped.signal, caughtUp)) {
      const source = await openSource(name, text)
      this.pages.source(name, source.format)
      for await (const item of source.items) {
        this.#items++
        if (item.type === "damage") this.pages.damage(item.damage)
        else this.pages.push(item.call)
        this.#tell()
      }
    }
  }

  /** Tells of new calls. A request that the lens does not know does not count as a call of the trace. */
  #tell(): void {
    const { length } = this.pages
    if (length === this.events.length) return
    this.updatedAt = Date.now()
    while (this.events.length < length) {
      const n = this.events.length + 1
      this.#places.push(this.#items)
      this.events.push({ seq: n, event: { type: "call", n } })
    }
    for (const reader of [...this.#readers]) reader.more()
  }
}

type Text = { readonly name: string; readonly text: AsyncIterable<string> }
type Texts = (signal: AbortSignal, caughtUp: () => void) => readonly Text[]
/** Reads the source again: from where, and which of its calls is the one at a place then. */
type Again = (
  place: number,
  signal: AbortSignal,
) => { readonly texts: readonly Text[]; readonly place: number }

function textOf({ sent, text, body }: Call): string {
  const known = sent === undefined ? { text, body } : sent
  return known.text ?? JSON.stringify(known.body)
}
