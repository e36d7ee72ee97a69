import stringWidth from "string-width"

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })
const PLAIN = /^[\x20-\x7e]*$/

/** What a person takes for one character each. */
export function graphemesOf(text: string): readonly string[] {
  if (PLAIN.test(text)) return text.split("")
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** Columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text)
}

const ESC = "\u001b"
// Control sequences, strings for the terminal (titles, links), and the short ones.
const STEERING = new RegExp(
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\u0007${ESC}]*(?:\u0007|${ESC}\\\\)?|[ -/]*[0-Z\\\\^-~])`,
  "g",
)
const TAB = 4
// Written as code points: the very characters would hide or turn around the line they stand in.
const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/** A text from outside, safe to print: what would steer the terminal, or turn the reading order around, is dropped. */
export function clean(text: string): string {
  return visible(text.replaceAll(STEERING, ""), "")
}

/** The same with everything in sight, for what a person is asked to decide on. */
export function visible(text: string, standIn?: string): string {
  if (PLAIN.test(text)) return text
  return text
    .replaceAll(/\r\n?/g, "\n")
    .split("\n")
    .map(spacedOut)
    .join("\n")
    .replaceAll(CONTROLS, (character) => (character === "\n" ? character : (standIn ?? pictureOf(character))))
}

function pictureOf(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? "\u2421" : "\ufffd"
}

function spacedOut(line: string): string {
  if (!line.includes("\t")) return line
  let column = 0
  return line.replaceAll(/\t|[^\t]+/g, (piece) => {
    if (piece !== "\t") {
      column += widthOf(piece)
      return piece
    }
    const spaces = TAB - (column % TAB)
    column += spaces
    return " ".repeat(spaces)
  })
}

/** As much of a line as fits, with a mark where something is missing. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width <= 1) return width === 1 ? "…" : ""
  let kept = ""
  let used = 0
  for (const grapheme of graphemesOf(text)) {
    const wide = widthOf(grapheme)
    if (used + wide > width - 1) break
    kept += grapheme
    used += wide
  }
  return `${kept}…`
}
