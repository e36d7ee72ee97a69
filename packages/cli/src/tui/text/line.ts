import type { Role } from "./theme.js"
import { clean, cut, graphemesOf, widthOf } from "./width.js"

/** What the colour is for, which the theme knows; or a colour as it is, such as an agent's own. */
export type Colour = Role | (string & {})

export interface TextStyle {
  readonly colour?: Colour
  readonly bold?: boolean
  readonly dim?: boolean
  readonly italic?: boolean
  readonly underline?: boolean
  readonly strike?: boolean
  readonly inverse?: boolean
  /** The address of a file that the text names, which the terminal may open. */
  readonly link?: string
}

export interface TextSpan {
  readonly text: string
  readonly style?: TextStyle
}

/** One row of the screen, or what is yet to be broken into rows. */
export type ScreenLine = readonly TextSpan[]

/** Rows that are drawn together, and where the cursor is among them, if it is in sight. */
export interface ScreenFrame {
  readonly rows: readonly ScreenLine[]
  readonly cursor: { readonly x: number; readonly y: number } | undefined
}

export const BLANK: ScreenLine = []

/**
 * Makes a span; no other function does. Whatever text it is made of cannot steer the terminal, and is measured as it is
 * shown.
 */
export function span(text: string, style?: TextStyle): TextSpan {
  const shown = clean(text)
  return style === undefined ? { text: shown } : { text: shown, style }
}

export function line(text: string, style?: TextStyle): ScreenLine {
  return [span(text, style)]
}

export function lines(text: string, style?: TextStyle): readonly ScreenLine[] {
  return text.split("\n").map((one) => line(one, style))
}

export function widthOfLine(spans: ScreenLine): number {
  return spans.reduce((sum, { text }) => sum + widthOf(text), 0)
}

export function textOfLine(spans: ScreenLine): string {
  return spans.map(({ text }) => text).join("")
}

/** Cuts a line to one row, with a mark where something is missing. */
export function cutLine(given: ScreenLine, width: number): ScreenLine {
  const spans = onOneRow(given)
  if (widthOfLine(spans) <= width) return spans
  const kept: TextSpan[] = []
  let left = width
  for (const { text, style } of spans) {
    const wide = widthOf(text)
    // The mark needs a column even where this span alone would fit.
    const short = wide < left ? text : cut(text.length > 0 && wide <= left ? `${text} ` : text, left)
    kept.push(span(short, style))
    left -= widthOf(short)
    if (short !== text || left <= 0) break
  }
  return kept
}

/** Replaces line breaks: one within a row would begin a row that looks like one of ours. */
function onOneRow(spans: ScreenLine): ScreenLine {
  if (!spans.some(({ text }) => text.includes("\n"))) return spans
  return spans.map((one) => ({ ...one, text: one.text.replaceAll("\n", "␊") }))
}

interface Wrapping {
  /** Before the first row, and before the others. */
  readonly first?: ScreenLine
  readonly rest?: ScreenLine
  /** Break anywhere and keep every space, as code needs it. */
  readonly anywhere?: boolean
}

interface Piece {
  readonly text: string
  readonly style: TextStyle | undefined
  readonly width: number
  readonly isSpace: boolean
}

/** Drops so many columns at the beginning of a line. */
export function withoutStart(spans: ScreenLine, columns: number): ScreenLine {
  let left = columns
  return spans.flatMap((one): readonly TextSpan[] => {
    const kept = graphemesOf(one.text).filter((grapheme) => {
      const isKept = left <= 0
      if (!isKept) left -= widthOf(grapheme)
      return isKept
    })
    return kept.length === 0 ? [] : [{ ...one, text: kept.join("") }]
  })
}

/** Breaks a line into rows between words, and within one that is wider than a row. */
export function wrap(
  spans: ScreenLine,
  width: number,
  { first = [], rest = first, anywhere = false }: Wrapping = {},
): readonly ScreenLine[] {
  const rows: ScreenLine[] = []
  const room = (prefix: ScreenLine) => Math.max(1, width - widthOfLine(prefix))
  const pieces = onOneRow(spans).flatMap((one) => piecesOf(one, anywhere))
  let row: TextSpan[] = []
  let left = room(first)
  let used = false
  const prefix = () => (rows.length === 0 ? first : rest)
  const endRow = () => {
    if (!anywhere && used && /^ +$/.test(row.at(-1)?.text ?? "")) row.pop()
    rows.push([...prefix(), ...row])
    row = []
    left = room(rest)
    used = false
  }
  const put = ({ text, style, width: wide }: Piece) => {
    row.push(span(text, style))
    left -= wide
    used = true
  }
  for (const [i, piece] of pieces.entries()) {
    if (piece.isSpace) {
      if (piece.width <= left) {
        // A row that was broken off does not begin with the space it was broken at.
        if (used || rows.length === 0) put(piece)
      } else endRow()
      continue
    }
    const startsWord = anywhere || i === 0 || pieces[i - 1]?.isSpace === true
    if (startsWord && used) {
      const whole = anywhere ? piece.width : wordWidth(pieces, i)
      if (whole > left && whole <= room(rest)) endRow()
    }
    if (piece.width <= left) put(piece)
    else {
      for (const grapheme of graphemesOf(piece.text)) {
        const wide = widthOf(grapheme)
        if (wide > left && used) endRow()
        put({ text: grapheme, style: piece.style, width: wide, isSpace: false })
      }
    }
  }
  if (row.length > 0 || rows.length === 0) endRow()
  return rows
}

function piecesOf({ text, style }: TextSpan, anywhere: boolean): readonly Piece[] {
  const texts = anywhere ? [text] : text.split(/( +)/)
  return texts
    .filter((one) => one !== "")
    .map((one) => ({ text: one, style, width: widthOf(one), isSpace: !anywhere && one.startsWith(" ") }))
}

/** Words go on across spans: `**bold**,` is not to be broken before its comma. */
function wordWidth(pieces: readonly Piece[], from: number): number {
  let sum = 0
  for (let i = from; i < pieces.length; i++) {
    const piece = pieces[i]
    if (piece === undefined || piece.isSpace) break
    sum += piece.width
  }
  return sum
}
