import { ENTITIES, ENTITY_STARTS } from "./entities.js"
import { hiddenIn, NOTHING, readingOf, SPACE } from "./fold.js"

/**
 * What an escape may be made of. On its own it may be a chain of any length ("&amp;amp;lt;"); its parts may be escapes
 * of another kind ("&#%36%30;"), whose own parts are plain. So no text is read more than a few times.
 */
type Inside = "nothing" | "&" | "%" | "\\" | "two"

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

  /** Goes to another place of the text. */
  move(at: number): void {
    this.at = at
    this.hasHidden = false
  }

  /** The reading of the unit at `at`, which moves on. Undefined at the end of the text. */
  next(inside: Inside = "nothing"): string | undefined {
    if (inside === "nothing") {
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
      const code = this.#decoded(reading, inside)
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

  #decoded(introducer: "&" | "%" | "\\", inside: Inside): number | undefined {
    if (inside === "two" || inside === introducer) return undefined
    const within = inside === "nothing" ? introducer : "two"
    if (introducer === "%") return this.#number(16, 2, 2, within)
    return introducer === "&" ? this.#entity(within) : this.#escape(within)
  }

  /** A constituent of an escape, which may itself be escaped. */
  #part(inside: Inside): string | undefined {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code > 0x2f && code < 0x7b && code !== 0x5c) {
        this.at++
        return readingOf(code)
      }
      // Of its own kind it is no part, and need not be read.
      if (String.fromCharCode(code) === inside) {
        this.at++
        return inside
      }
      const reading = this.next(inside)
      if (reading === undefined) this.cut = true
      if (reading !== NOTHING) return reading
    }
  }

  #entity(inside: Inside): number | undefined {
    const first = this.at
    if (this.#part(inside) === "#") {
      const from = this.at
      const isHex = this.#part(inside) === "x"
      if (!isHex) this.at = from
      const code = this.#number(isHex ? 16 : 10, 1, 7, inside)
      if (code !== undefined) this.#optional(";", inside)
      return code
    }
    this.at = first
    return this.#name(inside)
  }

  /** The longest known name, with its semicolon if it has one. */
  #name(inside: Inside): number | undefined {
    if (this.text.startsWith("amp;", this.at)) {
      this.at += 4
      return 0x26
    }
    let name = ""
    let known: number | undefined
    let end = this.at
    for (;;) {
      const part = this.#part(inside)
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

  #escape(inside: Inside): number | undefined {
    // Strings in strings: each level doubles the backslashes.
    while (this.text.charCodeAt(this.at) === 0x5c) this.at++
    const from = this.at
    const kind = this.#part(inside)
    if (kind === "u") {
      // "\u003c", "\u{3c}", "\U0000003c"
      const start = this.at
      if (!isDigit(this.text.charCodeAt(start)) && this.#part(inside) === "{") {
        const code = this.#number(16, 1, 6, inside)
        return code !== undefined && this.#part(inside) === "}" ? code : undefined
      }
      this.at = start
      const code = this.#number(16, 4, 4, inside)
      return code === 0 ? (this.#number(16, 4, 4, inside) ?? code) : code
    }
    if (kind === "x") return this.#number(16, 2, 2, inside)
    if (kind === "n" || kind === "r" || kind === "t") return 0x20
    this.at = from
    return this.#number(8, 2, 3, inside, true)
  }

  /** A number of so many digits. Zeros in front count only where the number of digits is fixed. */
  #number(
    base: number,
    least: number,
    most: number,
    inside: Inside,
    zeros = least === most,
  ): number | undefined {
    let value = 0
    let digits = 0
    let seen = 0
    let end = this.at
    while (digits < most) {
      const digit = this.#digit(base, inside)
      if (digit === undefined) break
      seen++
      value = value * base + digit
      if (zeros || value > 0) digits++
      end = this.at
    }
    this.at = end
    return seen >= least && value <= 0x10ffff ? value : undefined
  }

  #digit(base: number, inside: Inside): number | undefined {
    const code = this.text.charCodeAt(this.at)
    // Most digits are plain.
    if (isDigit(code) || isHexLetter(code)) {
      const digit = isDigit(code) ? code - 0x30 : (code | 0x20) - 0x57
      this.at++
      return digit < base ? digit : undefined
    }
    const part = this.#part(inside)
    const digit = part?.length === 1 ? Number.parseInt(part, base) : Number.NaN
    return Number.isNaN(digit) ? undefined : digit
  }

  #optional(wanted: string, inside: Inside): void {
    const from = this.at
    if (this.#part(inside) !== wanted) this.at = from
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isHexLetter(code: number): boolean {
  return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x66
}
