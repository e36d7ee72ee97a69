import { checkLength } from "./lines.js"

/** An element of a list inside a JSON document, as the text it has there. */
export interface Element {
  /** Counted from 1. */
  readonly number: number
  readonly text: string
}

const SPACE = 32
const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN = new Set([91, 123])
const CLOSE = new Set([93, 125])

/**
 * Yields the elements of one list of a JSON document that comes in pieces. `path` is where the list stands: `["log",
 * "entries"]`, or `[]` if the document is the list. Keeps no more than the element that is being read, so that a
 * document of any size can be read. The document is not checked: what is wrong in an element shows when that is parsed.
 */
export async function* elementsAt(
  chunks: AsyncIterable<string>,
  path: readonly string[],
): AsyncGenerator<Element> {
  const scanner = new Scanner(path)
  for await (const chunk of chunks) yield* scanner.push(chunk)
  const rest = scanner.rest()
  if (rest !== undefined) yield rest
}

class Scanner {
  readonly #path: readonly string[]
  /** How many brackets are open. */
  #depth = 0
  /** How many names of the path lead to where we are: the list is reached when all do, at the depth after them. */
  #matched = 0
  #inString = false
  #escaped = false
  /** Where the next backslash stands in the chunk, or the chunk's length: see `#backslashFrom`. */
  #backslash = -1
  /** The string that was read last at a depth where names of the path stand. */
  #name = ""
  /** The text of the element so far, in pieces; undefined outside of one. */
  #element: string[] | undefined
  /** Characters of the pieces. */
  #length = 0
  #number = 0

  constructor(path: readonly string[]) {
    this.#path = path
  }

  rest(): Element | undefined {
    const text = this.#element?.join("").trim() ?? ""
    return text === "" ? undefined : { number: this.#number + 1, text }
  }

  *push(chunk: string): Generator<Element> {
    this.#backslash = -1
    /** Where the part of the chunk begins that belongs to the element. */
    let from = 0
    for (let i = 0; i < chunk.length; i++) {
      const code = chunk.charCodeAt(i)
      if (code <= SPACE && !this.#inString) continue
      if (this.#inString) {
        i = this.#throughString(chunk, i)
      } else if (code === QUOTE) {
        this.#inString = true
        this.#name = ""
      } else if (OPEN.has(code)) {
        this.#depth++
        if (this.#isInList && this.#element === undefined) {
          this.#element = []
          from = i + 1
        }
      } else if (CLOSE.has(code)) {
        const ends = this.#isInList && this.#depth === this.#listDepth
        if (ends) yield* this.#finish(chunk.slice(from, i))
        this.#depth--
        this.#matched = Math.min(this.#matched, this.#depth)
        if (ends) this.#matched = -1 // The list is over: nothing after it is looked at.
      } else if (code === COMMA && this.#isInList && this.#depth === this.#listDepth) {
        yield* this.#finish(chunk.slice(from, i))
        this.#element = []
        from = i + 1
      } else if (code === COLON) this.#named()
    }
    if (this.#element === undefined) return
    this.#element.push(chunk.slice(from))
    this.#length += chunk.length - from
    checkLength(this.#length, `entry ${this.#number + 1}`)
  }

  get #listDepth(): number {
    return this.#path.length + 1
  }

  get #isInList(): boolean {
    return this.#matched === this.#path.length && this.#depth >= this.#listDepth
  }

  /** Follows the path: a name counts where all before it do, directly inside of what they name. */
  #named(): void {
    // A further name beside one of the path: what that one led to is over.
    if (this.#matched > 0 && this.#depth === this.#matched) this.#matched--
    const isNext = this.#depth === this.#matched + 1 && this.#matched < this.#path.length
    if (isNext && this.#name === this.#path[this.#matched]) this.#matched++
  }

  /** Reads on in a string, and returns the index of the last character of it in this chunk. */
  #throughString(chunk: string, start: number): number {
    let at = start
    if (this.#escaped) {
      this.#escaped = false
      at++
    }
    let quote = chunk.indexOf('"', at)
    for (;;) {
      const backslash = this.#backslashFrom(chunk, at)
      if (quote !== -1 && (backslash === -1 || quote < backslash)) {
        this.#inString = false
        this.#keepName(chunk.slice(start, quote))
        return quote
      }
      if (backslash === -1 || backslash === chunk.length - 1) {
        this.#escaped = backslash !== -1
        this.#keepName(chunk.slice(start))
        return chunk.length
      }
      at = backslash + 2
      if (quote !== -1 && quote < at) quote = chunk.indexOf('"', at)
    }
  }

  /** Finds the next backslash. It is looked for once, and not again for each of many short strings before it. */
  #backslashFrom(chunk: string, at: number): number {
    if (this.#backslash < at) {
      const found = chunk.indexOf("\\", at)
      this.#backslash = found === -1 ? chunk.length : found
    }
    return this.#backslash === chunk.length ? -1 : this.#backslash
  }

  #keepName(text: string): void {
    if (this.#depth <= this.#path.length) this.#name += text
  }

  *#finish(last: string): Generator<Element> {
    const text = [...(this.#element ?? []), last].join("").trim()
    this.#element = undefined
    this.#length = 0
    if (text !== "") yield { number: ++this.#number, text }
  }
}
