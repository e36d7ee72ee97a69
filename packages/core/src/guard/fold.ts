import { READINGS } from "./table.js"

/** What a character reads as if it leaves no trace on a page: zero-width characters, marks, variation selectors. */
export const NOTHING = ""
/** What white space and control characters read as. */
export const SPACE = " "
/** What an upright dash reads as: a bar beside a bracket, a hyphen within a name. */
export const UPRIGHT = "¦"
/** What a character reads as if no tag has one like it. */
const OTHER = "?"

/** Tag characters: ASCII that no page shows, but that models read. */
const TAGS_FIRST = 0xe0020
const TAGS_LAST = 0xe007e

/** In the table: what a character reads as if it reads as its decomposition does. */
const DECOMPOSED = "*"

/** Code points of the readings, in pages of 256, so that a lookup is two steps into arrays. */
const pages: string[][] = []

/** How a code point reads: lower-case ASCII (several letters for a ligature), NOTHING, SPACE, UPRIGHT or OTHER. */
export function readingOf(code: number): string {
  if (code < 0x80) return ASCII[code] ?? OTHER
  if (pages.length === 0) fillPages()
  return pages[code >> 8]?.[code & 0xff] ?? OTHER
}

/** What a tag character hides; undefined if the code point is none. Those of escapes stay hidden. */
export function hiddenIn(code: number): string | undefined {
  if (code < TAGS_FIRST || code > TAGS_LAST) return undefined
  const hidden = ASCII[code - 0xe0000] ?? OTHER
  return hidden === "&" || hidden === "%" || hidden === "\\" ? OTHER : hidden
}

/** Every code point outside ASCII that reads as one of these. */
export function codesReading(...as: readonly string[]): readonly number[] {
  if (pages.length === 0) fillPages()
  return pages.flatMap((page, high) =>
    page.flatMap((reading, low) => (as.includes(reading) ? [high * 256 + low] : [])),
  )
}

const ASCII: readonly string[] = Array.from({ length: 0x80 }, (_, code) => {
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
  // A hidden bracket may open something, however else tag characters are read.
  put(0xe003c, "<")
  put(0xe005b, "[")
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

/** A number to base 26, in capitals. */
function capitals(digits: string): number {
  let number = 0
  for (let i = 0; i < digits.length; i++) number = number * 26 + digits.charCodeAt(i) - 65
  return number
}

/** A character that Unicode takes apart reads as its parts do. A letter in brackets is that letter. */
function decomposed(code: number): string {
  const character = String.fromCodePoint(code)
  const parts = character.normalize("NFKD")
  if (parts === character) return OTHER
  const text = Array.from(parts, (part) => readingOf(part.codePointAt(0) ?? 0)).join("")
  const plain = text.replace(/^\((.)\)$/, "$1")
  return /^(?:[^ ()]|[a-z]{2,3})$/.test(plain) ? plain : OTHER
}
