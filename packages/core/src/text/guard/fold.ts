import { READINGS } from "./table.js"

/** What a character reads as if it leaves no trace on a page: zero-width characters, variation selectors. */
export const NOTHING = ""
/** What white space and control characters read as. */
export const SPACE = " "
/** What the characters read as that begin a sequence for terminals: any, one of parameters, one with a text. */
export const ESCAPE = "¤"
export const PARAMETERS = "§"
export const STRING = "¶"
/** What an upright dash reads as: a bar beside a bracket, a hyphen within a name. */
export const UPRIGHT = "¦"
/** What a bracket of another form reads as: it may stand for "<" or "[", or for what closes them. */
export const OPENS = "«"
export const CLOSES = "»"
/**
 * What a character outside ASCII reads as if no tag has one like it: marks, letters, pictures, code points that mean
 * nothing. Names are read without them, or as if they were dashes.
 */
export const OTHER = "¿"

/** True for the reading of what may open a tag or token. */
export function isOpening(reading: string | undefined): reading is string {
  return reading === "<" || reading === "[" || reading === "]" || reading === OPENS || reading === CLOSES
}

/** Tag characters: ASCII that no page shows, but that models read. */
const TAGS_FIRST = 0xe0020
const TAGS_LAST = 0xe007e

/** In the table: what a character reads as if it reads as its decomposition does. */
const DECOMPOSED = "*"

/** Code points of the readings, in pages of 256, so that a lookup is two steps into arrays. */
const pages: string[][] = []

/**
 * Gives the reading of a code point: lower-case ASCII (several letters for a ligature), one of CHOICES or of the signs
 * above.
 */
export function readingOf(code: number): string {
  if (code < 0x80) return ASCII[code] ?? OTHER
  if (pages.length === 0) fillPages()
  return pages[code >> 8]?.[code & 0xff] ?? OTHER
}

/** Gives what a tag character hides; undefined for other code points. Those of escapes stay hidden. */
export function hiddenIn(code: number): string | undefined {
  if (code < TAGS_FIRST || code > TAGS_LAST) return undefined
  const hidden = ASCII[code - 0xe0000] ?? OTHER
  return hidden === "&" || hidden === "%" || hidden === "\\" ? OTHER : hidden
}

/** Lists every code point outside ASCII that reads as one of these. */
export function codesReading(...as: readonly string[]): readonly number[] {
  if (pages.length === 0) fillPages()
  return pages.flatMap((page, high) =>
    page.flatMap((reading, low) => (as.includes(reading) ? [high * 256 + low] : [])),
  )
}

const ASCII: readonly string[] = Array.from({ length: 0x80 }, (_, code) => {
  if (code === 0x1b) return ESCAPE
  if (code <= 0x20 || code === 0x7f) return SPACE
  const c = String.fromCharCode(code).toLowerCase()
  return c === "_" ? "-" : c
})

function fillPages(): void {
  const decomposable: number[] = []
  eachRun((first, length, reading, step) => {
    for (let i = 0; i < length; i++)
      if (reading === DECOMPOSED) decomposable.push(first + i)
      else put(first + i, step === 0 ? reading : String.fromCharCode(reading.charCodeAt(0) + i))
  })
  // Their parts are read by now.
  for (const code of decomposable) put(code, decomposed(code))
}

function put(code: number, reading: string): void {
  const page = pages[code >> 8] ?? Array<string>(256).fill(OTHER)
  page[code & 0xff] = reading
  pages[code >> 8] = page
}

function eachRun(take: (first: number, length: number, reading: string, step: 0 | 1) => void): void {
  let code = 0
  for (const [, gap = "", rising, letters, sign = "", more] of READINGS.matchAll(
    /([A-Z]*)(\+?)(?:\(([a-z]+)\)|([^A-Z]))(?:\.([A-Z]+),?)?/g,
  )) {
    code += capitals(gap)
    const length = more === undefined ? 1 : capitals(more)
    take(code, length, letters ?? (sign === "^" ? NOTHING : sign), rising ? 1 : 0)
    code += length
  }
}

/** Reads a number to base 26, in capitals. */
function capitals(digits: string): number {
  let number = 0
  for (let i = 0; i < digits.length; i++) number = number * 26 + digits.charCodeAt(i) - 65
  return number
}

/** Reads a character that Unicode takes apart as its parts. A letter in brackets is that letter. */
function decomposed(code: number): string {
  const character = String.fromCodePoint(code)
  const parts = character.normalize("NFKD")
  if (parts === character) return OTHER
  const text = Array.from(parts, (part) => readingOf(part.codePointAt(0) ?? 0))
    .join("")
    .replaceAll(OTHER, "")
  const plain = text.replace(/^\((.)\)$/, "$1")
  return /^(?:[^ ()]|[a-z]{2,3})$/.test(plain) ? plain : OTHER
}
