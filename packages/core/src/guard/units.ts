import { ENTITIES, ENTITY_STARTS } from "./entities.js"
import { hiddenIn, NOTHING, readingOf, SPACE } from "./fold.js"

/** How deep escapes may be written in escapes of other kinds. A chain ("&amp;amp;lt;") may have any length. */
const DEEPEST = 2

/**
 * Reads a text as a model would, one character at a time: entities and escapes decoded, however nested, and every
 * character folded to what it reads as. `at` says where the next one begins, `cut` whether the text ended within one.
 */
export class Units {
  readonly text: string
  at: number
  /** Where the unit that was read last begins. */
  from: number
  cut = false
  /** Whether a tag character was met. */
  hasHidden = false
  readonly #showsHidden: boolean

  /** `showsHidden`: whether tag characters are read as what they hide, and not skipped. */
  constructor(text: string, at: number, showsHidden = false) {
    this.text = text
    this.at = at
    this.from = at
    this.#showsHidden = showsHidden
  }

  /** The reading of the unit at `at`, which moves on. Undefined at the end of the text. */
  next(depth = 0): string | undefined {
    if (depth === 0) {
      this.from = this.at
      this.cut = false
    }
    const code = this.text.charCodeAt(this.at)
    if (code < 0x80 && code !== 0x26 && code !== 0x25 && code !== 0x5c) {
      this.at++
      return readingOf(code)
    }
    let reading = this.#character()
    while (reading === "&" || reading === "%" || reading === "\\") {
      const from = this.at
      const code = this.#decoded(reading, depth)
      if (code === undefined) {
        this.at = from
        return reading
      }
      // The chain goes on: what was decoded may begin another escape.
      reading = readingOf(code)
    }
    return reading
  }

  /** The next unit that leaves a trace. White space leaves none unless it is asked for. */
  visible(spaces = false): string | undefined {
    for (;;) {
      const reading = this.next()
      if (reading !== NOTHING && (spaces || reading !== SPACE)) return reading
    }
  }

  #character(): string | undefined {
    const code = this.text.codePointAt(this.at)
    if (code === undefined) return undefined
    this.at += code > 0xffff ? 2 : 1
    if (code < 0xe0000) return readingOf(code)
    const hidden = hiddenIn(code)
    this.hasHidden ||= hidden !== undefined
    return (this.#showsHidden ? hidden : undefined) ?? readingOf(code)
  }

  #decoded(introducer: string, depth: number): number | undefined {
    if (depth >= DEEPEST) return undefined
    if (introducer === "%") return this.#number(16, 2, 2, depth)
    return introducer === "&" ? this.#entity(depth) : this.#escape(depth)
  }

  /** A constituent of an escape, which may itself be escaped. */
  #part(depth: number): string | undefined {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code > 0x2f && code < 0x7b && code !== 0x5c) {
        this.at++
        return readingOf(code)
      }
      const reading = this.next(depth + 1)
      if (reading === undefined) this.cut = true
      if (reading !== NOTHING) return reading
    }
  }

  #entity(depth: number): number | undefined {
    const first = this.at
    if (this.#part(depth) === "#") {
      const from = this.at
      const isHex = this.#part(depth) === "x"
      if (!isHex) this.at = from
      const code = this.#number(isHex ? 16 : 10, 1, 7, depth)
      if (code !== undefined) this.#optional(";", depth)
      return code
    }
    this.at = first
    return this.#name(depth)
  }

  /** The longest known name, with its semicolon if it has one. */
  #name(depth: number): number | undefined {
    let name = ""
    let known: number | undefined
    let end = this.at
    for (;;) {
      const part = this.#part(depth)
      if (part === ";") {
        const code = ENTITIES.get(name)
        if (code !== undefined) return code
        break
      }
      name += part
      if (!ENTITY_STARTS.has(name)) break
      const code = ENTITIES.get(name)
      if (code === undefined) continue
      known = code
      end = this.at
    }
    this.at = end
    return known
  }

  #escape(depth: number): number | undefined {
    // Strings in strings: each level doubles the backslashes.
    while (this.text.charCodeAt(this.at) === 0x5c) this.at++
    const from = this.at
    const kind = this.#part(depth)
    if (kind === "u") {
      // "\u003c", "\u{3c}", "\U0000003c"
      const start = this.at
      if (this.#part(depth) === "{") {
        const code = this.#number(16, 1, 6, depth)
        return code !== undefined && this.#part(depth) === "}" ? code : undefined
      }
      this.at = start
      const code = this.#number(16, 4, 4, depth)
      return code === 0 ? (this.#number(16, 4, 4, depth) ?? code) : code
    }
    if (kind === "x") return this.#number(16, 2, 2, depth)
    if (kind === "n" || kind === "r" || kind === "t") return 0x20
    this.at = from
    return this.#number(8, 2, 3, depth, true)
  }

  /** A number of so many digits. Zeros in front count only where the number of digits is fixed. */
  #number(
    base: number,
    least: number,
    most: number,
    depth: number,
    zeros = least === most,
  ): number | undefined {
    let value = 0
    let digits = 0
    let seen = 0
    let end = this.at
    while (digits < most) {
      const part = this.#part(depth)
      const digit = part === undefined || part.length !== 1 ? Number.NaN : Number.parseInt(part, base)
      if (Number.isNaN(digit)) break
      seen++
      value = value * base + digit
      if (zeros || value > 0) digits++
      end = this.at
    }
    this.at = end
    return seen >= least && value <= 0x10ffff ? value : undefined
  }

  #optional(wanted: string, depth: number): void {
    const from = this.at
    if (this.#part(depth) !== wanted) this.at = from
  }
}
