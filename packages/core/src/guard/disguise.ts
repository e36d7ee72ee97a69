/**
 * Expressions that see through the disguises of a character. A model reads "＜ＳＹＳＴＥＭ" or "&lt;s&#121;stem" as
 * readily as the plain form, so the guard has to as well. All are sources for expressions with the flags `iu`:
 * case is folded there, not here. No alternative may match a backslash inside a name: that is the escape.
 */

/** Characters that leave no trace on a page, and white space, in any number. */
export const SKIP = String.raw`(?:[\s\p{DI}\p{M}\p{Cc}]|&(?:amp;)*(?:nbsp|shy|zwnj|zwj|ZeroWidthSpace|#0*(?:32|160|173|820[3-7]|8288|65279)|#x0*(?:20|a0|ad|200[b-f]|2060|feff));?)*`

export const LESS_THAN = String.raw`(?:[<\uff1c\ufe64\u2039\u3008\u27e8\u276e\u02c2]|${entity(0x3c, "lt")}|\\u0*3c|\\x3c|%3c)`

export const SLASH = String.raw`(?:[/\u2044\u2215\uff0f\u29f8]|${entity(0x2f, "sol")}|%2f)`

const HYPHEN = String.raw`(?:[\p{Pd}\u2212\u00b7_]|${entity(0x2d, "hyphen", "dash")}|${entity(0x5f, "lowbar")})`

/** Letters of other scripts that look the same. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  a: "\u0430\u03b1",
  b: "\u0432",
  c: "\u0441\u03f2",
  d: "\u0501",
  e: "\u0435\u0454",
  g: "\u0261",
  i: "\u0456\u03b9\u0131\u04cf",
  m: "\u043c",
  n: "\u0578\u03b7",
  o: "\u043e\u03bf\u0585",
  p: "\u0440\u03c1",
  r: "\u0433",
  s: "\u0455\u0573",
  t: "\u0442\u03c4",
  u: "\u057d\u03c5",
  w: "\u051d",
  y: "\u0443\u03b3",
}

export function character(c: string): string {
  return c === "-" ? HYPHEN : letter(c)
}

function letter(c: string): string {
  const lower = c.charCodeAt(0)
  const index = lower - 0x61
  const circled = 0x24d0 + index
  const fullWidth = 0xff41 + index
  const forms = [lower, fullWidth, circled, ...mathematical(index)].map((code) => String.fromCodePoint(code))
  return `(?:[${forms.join("")}${LOOKALIKES[c] ?? ""}]|${entity(lower)}|${entity(lower - 0x20)})`
}

/** The thirteen alphabets of the mathematical block (bold, italic, script, …), both cases. */
function mathematical(index: number): readonly number[] {
  return Array.from({ length: 13 }, (_, style) => 0x1d400 + style * 52 + index).flatMap((upper) => [upper, upper + 26])
}

function entity(code: number, ...names: readonly string[]): string {
  const numeric = [`#0*${code}`, `#x0*${code.toString(16)}`]
  return `&(?:amp;)*(?:${[...names, ...numeric].join("|")});?`
}
