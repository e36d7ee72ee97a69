/**
 * Expressions that see through the disguises of a character. A model reads "＜ＳＹＳＴＥＭ" or "&lt;s&#121;stem" as
 * readily as the plain form, so the guard has to as well. All are sources for expressions with the flags `iu`:
 * case is folded there, not here. No alternative may match a backslash inside a name: that is the escape.
 */

/** An ampersand, however often it was escaped itself. */
const AMPERSAND = "&(?:amp;|#0*38;|#x0*26;)*"

/** Characters that leave no trace on a page, and white space, in any number. */
export const SKIP = `(?:[\\s\\p{DI}\\p{M}\\p{Cc}]|${entity(
  [9, 10, 11, 12, 13, 32, 160, 173, 847, 1564, 8287, 12288, 12644, 65279, 65440, ...range(8192, 8207)].concat(
    range(8232, 8239),
    range(8288, 8303),
    range(65024, 65039),
  ),
  ["nbsp", "shy", "zwnj", "zwj", "ZeroWidthSpace", "Tab", "NewLine"],
)})*`

const LESS_THAN_CODES = [0x3c, 0xff1c, 0xfe64, 0x2039, 0x3008, 0x27e8, 0x276e, 0x02c2]
const SLASH_CODES = [0x2f, 0x2044, 0x2215, 0xff0f, 0x29f8]
const HYPHEN_CODES = [0x2d, 0x5f, 0xb7, 0x2212, 0xfe58, 0xfe63, 0xff0d, 0xff3f, ...range(0x2010, 0x2015)]

export const LESS_THAN_CHARACTERS = characters(LESS_THAN_CODES)

/** As strings and addresses write it. */
const LESS_THAN_ESCAPES = "\\\\u0*3c|\\\\x3c|%3c"

export const LESS_THAN = `(?:[${LESS_THAN_CHARACTERS}]|${entity(LESS_THAN_CODES, ["lt"])}|${LESS_THAN_ESCAPES})`

/** Finds every way in which it can be written by other characters, and more. */
export const ESCAPED_LESS_THAN = `&(?:amp;|#|lt)|${LESS_THAN_ESCAPES}`

export const SLASH = `(?:[${characters(SLASH_CODES)}]|${entity(SLASH_CODES, ["sol"])}|%2f)`

const HYPHEN = `(?:[\\p{Pd}${characters(HYPHEN_CODES)}]|${entity(HYPHEN_CODES, ["hyphen", "dash", "lowbar"])})`

/** As much of an entity as fits before a text ends: the rest may stand at the start of the next part. */
export const CUT_ENTITY = `(?:${AMPERSAND}(?:#x?)?[0-9a-z]*)?`

/** The same for an entity that would be a less-than sign, after its ampersand. */
export const CUT_LESS_THAN = "(?:amp;|#0*38;|#x0*26;)*(?:a|am|amp|l|#0*6?|#x0*3?)?$"

/** Letters of other scripts, letterlike symbols, and raised or lowered letters, that look or read the same. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: "\u0430\u03b1\u1d43\u2090",
  b: "\u0432\u1d47\u212c",
  c: "\u0441\u03f2\u1d9c\u212d\u2102",
  d: "\u0501\u1d48\u2146\u2145",
  e: "\u0435\u0454\u1d49\u2091\u212f\u2130\u2147",
  g: "\u0261\u1d4d\u210a",
  i: "\u0456\u03b9\u0131\u04cf\u2071\u1d62\u2110\u2111\u2148",
  m: "\u043c\u1d50\u2098\u2133",
  n: "\u0578\u03b7\u207f\u2099\u2115",
  o: "\u043e\u03bf\u0585\u1d52\u2092\u2134",
  p: "\u0440\u03c1\u1d56\u209a\u2119",
  r: "\u0433\u02b3\u1d63\u211b\u211c\u211d",
  s: "\u0455\u0573\u02e2\u209b",
  t: "\u0442\u03c4\u1d57\u209c",
  u: "\u057d\u03c5\u1d58\u1d64",
  w: "\u051d\u02b7",
  y: "\u0443\u03b3\u02b8",
}

export function character(c: string): string {
  return c === "-" ? HYPHEN : letter(c)
}

function letter(c: string): string {
  const lower = c.charCodeAt(0)
  const index = lower - 0x61
  const circled = 0x24d0 + index
  const fullWidth = 0xff41 + index
  const forms = [lower, circled, fullWidth, ...mathematical(index), ...codes(LOOKALIKES[c] ?? "")]
  return `(?:[${characters(forms)}]|${entity([...forms, lower - 0x20, fullWidth - 0x20, circled - 26], [])})`
}

/** The thirteen alphabets of the mathematical block (bold, italic, script, …), both cases. */
function mathematical(index: number): readonly number[] {
  return range(0, 12).flatMap((style) => [0x1d400 + style * 52 + index, 0x1d400 + style * 52 + 26 + index])
}

function entity(of: readonly number[], names: readonly string[]): string {
  const decimal = of.map(String).join("|")
  const hexadecimal = of.map((code) => code.toString(16)).join("|")
  const numeric = [`#0*(?:${decimal})(?![0-9])`, `#x0*(?:${hexadecimal})(?![0-9a-f])`]
  return `${AMPERSAND}(?:${[...names, ...numeric].join("|")});?`
}

function characters(of: readonly number[]): string {
  return of.map((code) => `\\u{${code.toString(16)}}`).join("")
}

function codes(text: string): readonly number[] {
  return [...text].map((c) => c.codePointAt(0) ?? 0)
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}
