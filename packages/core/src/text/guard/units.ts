import { ENTITIES } from "./entities.js"
import { ESCAPE, hiddenIn, isOpening, NOTHING, PARAMETERS, readingOf, SPACE, STRING } from "./fold.js"

/**
 * What an escape may be made of. On its own it may be a chain of any length ("&amp;amp;lt;"); its parts may be escapes
 * of another kind ("&#%36%30;"), whose own parts are plain. So no text is read more than a few times.
 */
type Inside = "nothing" | "&" | "%" | "\\" | "two"

/** A code point that no tag has. */
const UNKNOWN = 0xffff
const LONGEST_ENTITY = 24

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
  /** Whether a tag character was met, or one that the escape character before it may hide. */
  hasHidden = false
  readonly #showsHidden: boolean

  /**
   * Reads from `at`. `showsHidden`: tag characters are read as what they hide, and an escape character hides the one
   * behind it.
   */
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

  /** Reads the unit at `at`, which moves on. Undefined at the end of the text. */
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

  /** Reads the next unit that leaves a trace. White space leaves none unless it is asked for. */
  visible(spaces = false): string | undefined {
    for (;;) {
      const reading = this.next()
      if (reading === ESCAPE || reading === PARAMETERS || reading === STRING) this.#skipSequence(reading)
      else if (reading !== NOTHING && (spaces || reading !== SPACE)) return reading
    }
  }

  /** Skips backslashes: an opening may have been escaped. */
  skipBackslashes(): void {
    while (this.text.charCodeAt(this.at) === 0x5c) this.at++
  }

  /**
   * Skips what a terminal does not show, whose beginning was read. It ends with its line, and goes past no opening: what
   * must follow the bracket of a sequence follows none that opens something.
   */
  #skipSequence(begun: string): void {
    let before = this.at
    let kind: string | undefined = begun
    if (begun === ESCAPE) {
      const reading = this.next() ?? ""
      const after = this.text.charAt(this.at)
      kind = undefined
      if (reading === "[" && /[\d:;=?mKHJ]/.test(after)) kind = PARAMETERS
      else if (reading === "]" && /^\d?$/.test(after)) kind = STRING
      else if (reading === "(" && /\w/.test(after)) this.at++
      else {
        // The character behind it may be hidden, too.
        this.hasHidden ||= !isOpening(reading)
        if (!this.#showsHidden || isOpening(reading) || this.text.charCodeAt(before) > 0x7f) this.at = before
        else if (/[px^-]/.test(reading)) kind = STRING
      }
    }
    while (kind !== undefined) {
      before = this.at
      const reading = this.next() ?? ""
      const code = this.text.charCodeAt(this.from)
      // The end of a string: a bell, or the escape character and a backslash.
      if (kind === STRING && (code === 0x07 || code === 0x9c)) return
      if (kind === STRING && reading === ESCAPE) {
        if (this.text.charCodeAt(this.at) === 0x5c) this.at++
        return
      }
      const isPart = !isOpening(reading) && this.at > before && (reading !== SPACE || code === 0x20)
      if (isPart && (kind === STRING || /^[ -/0-9:;=?]$/.test(reading))) continue
      // Any letter ends parameters. Anything else was never part of them.
      if (!isPart || !/^[a-z@^`{|}~\xbf-\xff]/.test(reading)) this.at = before
      return
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

  /** Reads a constituent of an escape, which may itself be escaped. */
  #part(inside: Inside): string | undefined {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code > 0x2f && code < 0x7b && code !== 0x5c) {
        this.at++
        return readingOf(code)
      }
      // Of its own kind it is not a part, and need not be read.
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
      const end = this.at
      if (code !== undefined && this.#part(inside) !== ";") this.at = end
      return code
    }
    this.at = first
    return this.#name(inside)
  }

  /**
   * Reads the longest known name, with its semicolon if it has one. With it, any other name is a sign that no tag has.
   */
  #name(inside: Inside): number | undefined {
    if (this.text.startsWith("amp;", this.at)) {
      this.at += 4
      return 0x26
    }
    let known: number | undefined
    let end = this.at
    for (let name = ""; name.length < LONGEST_ENTITY; ) {
      const part = this.#part(inside) ?? ""
      if (part === ";" && (known === undefined || ENTITIES.has(name))) return ENTITIES.get(name) ?? UNKNOWN
      if (!/^[a-z0-9]+$/.test(part)) break
      name += part
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
    this.skipBackslashes()
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
    if (kind === "e") return 0x1b
    this.at = from
    return this.#number(8, 2, 3, inside, true)
  }

  /** Reads a number of `least` to `most` digits. Zeros in front count only where the number of digits is fixed. */
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
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isHexLetter(code: number): boolean {
  return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x66
}
