import stringWidth from "string-width"
import { exposed, inert } from "../../screen/inert.js"

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })
const PLAIN = /^[\x20-\x7e]*$/

export function graphemesOf(text: string): readonly string[] {
  if (PLAIN.test(text)) return text.split("")
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** Columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  const isShort = text.length <= 2
  const known = isShort ? WIDTHS.get(text) : undefined
  if (known !== undefined) return known
  const width = stringWidth(text)
  if (isShort && WIDTHS.size < MOST_WIDTHS) WIDTHS.set(text, width)
  return width
}

/** Of single characters, which are measured again and again where a long word is broken. */
const WIDTHS = new Map<string, number>()
const MOST_WIDTHS = 4096

const TAB = 4

/** Makes a text from outside safe to show: nothing in it steers the terminal, and hidden characters are in sight. */
export function clean(text: string): string {
  if (PLAIN.test(text)) return text
  // A program that draws a progress bar overwrites its line. Here every state of it is a line.
  return tabless(inert(text.replaceAll(/\r\n?/g, "\n")))
}

/** Shows everything in a text, for what a person is asked to decide on. */
export function visible(text: string): string {
  return PLAIN.test(text) ? text : exposed(tabless(text))
}

function tabless(text: string): string {
  return text.includes("\t") ? text.split("\n").map(spacedOut).join("\n") : text
}

function spacedOut(line: string): string {
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

/** Cuts a line to the width, with a mark where something is missing. */
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
