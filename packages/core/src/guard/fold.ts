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

/** Code points of the readings, in pages of 256, so that a lookup is two steps into arrays. */
const pages: (readonly string[] | undefined)[] = []

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
  const codes: number[] = []
  eachReading((code, reading) => {
    if (as.includes(reading)) codes.push(code)
  })
  return codes
}

const ASCII: readonly string[] = Array.from({ length: 0x80 }, (_, code) => {
  if (code <= 0x20 || code === 0x7f) return SPACE
  const c = String.fromCharCode(code).toLowerCase()
  return c === "_" ? "-" : c
})

function fillPages(): void {
  const filling: string[][] = Array.from({ length: 0x1100 })
  eachReading((code, reading) => {
    filling[code >> 8] ??= Array<string>(256).fill(OTHER)
    const page = filling[code >> 8]
    if (page !== undefined) page[code & 0xff] = reading
  })
  pages.push(...filling)
}

function eachReading(take: (code: number, reading: string) => void): void {
  for (const [key, runs] of Object.entries(READINGS)) {
    const rising = key.length === 2 && key.startsWith("+")
    let code = 0
    for (const run of runs.split(",")) {
      const [gap = "0", more = "0"] = run.split(".")
      code += Number.parseInt(gap, 36)
      for (let i = 0; i <= Number.parseInt(more, 36); i++, code++)
        take(code, rising ? String.fromCharCode(key.charCodeAt(1) + i) : key)
    }
  }
  // A hidden bracket may open something, however else tag characters are read.
  take(0xe003c, "<")
  take(0xe005b, "[")
}
