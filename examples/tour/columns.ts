import type { Paint, Tone } from "./paint.js"
import { padEnd, widthOf, wrap } from "./width.js"

/** A paragraph of one tone. */
export interface Line {
  readonly text: string
  readonly tone: Tone
  /** Stands before it. */
  readonly bullet?: string
  /** Stands before every line of it. */
  readonly bar?: string
}

export interface Layout {
  /** Columns of the terminal. */
  readonly width: number
  readonly paint: Paint
}

const BETWEEN = " │ "
const NOTHING: Line = { text: "", tone: "plain" }

/** Paragraphs across the whole width. */
export function across(lines: readonly Line[], { width, paint }: Layout): readonly string[] {
  return fitted(lines, width).map(({ text, tone }) => paint(text, tone))
}

/** Two columns; `share` of the width is the left one's. */
export function sideBySide(
  left: readonly Line[],
  right: readonly Line[],
  { width, paint }: Layout,
  share: number,
): readonly string[] {
  const leftWidth = Math.floor((width - BETWEEN.length) * share)
  const one = fitted(left, leftWidth)
  const other = fitted(right, width - BETWEEN.length - leftWidth)
  return Array.from({ length: Math.max(one.length, other.length) }, (_, i) => {
    const { text, tone } = one[i] ?? NOTHING
    const beside = other[i] ?? NOTHING
    const cell = paint(padEnd(text, leftWidth), tone)
    return `${cell}${paint(BETWEEN, "dim")}${paint(beside.text, beside.tone)}`.trimEnd()
  })
}

/** A line of dashes with a heading in it. */
export function rule(heading: string, { width, paint }: Layout): string {
  const start = `── ${heading} `
  return paint(start + "─".repeat(Math.max(0, width - widthOf(start))), "strong")
}

function fitted(lines: readonly Line[], width: number): readonly Line[] {
  return lines.flatMap(({ text, tone, bar = "", bullet = "" }) => {
    const indent = " ".repeat(widthOf(bullet))
    return wrap(text, width - widthOf(bar + bullet)).map(
      (part, i): Line => ({ text: `${bar}${i === 0 ? bullet : indent}${part}`, tone }),
    )
  })
}
