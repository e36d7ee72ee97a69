import { BLANK, cutLine, type ScreenFrame, type ScreenLine, span, wrap } from "../text/line.js"
import { visible } from "../text/width.js"
import type { PageMove, Size } from "./page.js"

export interface ListRow {
  readonly label: string
  readonly detail: string
  readonly mark?: ScreenLine
  /** What was looked for stands in it. */
  readonly isHit?: boolean
}

export interface List {
  readonly title: string
  readonly about: string
  readonly rows: readonly ListRow[]
  readonly chosen: number
  /** What stands there if there is nothing to list. */
  readonly empty: string
  /** What keys do, or what one has just done. */
  readonly foot: string
}

const AROUND = 6

export function listFrame(list: List, { columns, rows }: Size): ScreenFrame {
  const room = Math.max(1, rows - AROUND)
  const from = firstAround(list.chosen, list.rows.length, room)
  const listed = list.rows
    .slice(from, from + room)
    .map(({ label, detail, mark = [], isHit }, i): ScreenLine => {
      const isChosen = from + i === list.chosen
      return [
        span(isChosen ? "❯ " : "  ", { bold: true }),
        ...mark,
        span(visible(label), isChosen ? { inverse: true } : isHit ? { underline: true } : {}),
        span(`  ${visible(detail)}`, { dim: true }),
      ]
    })
  const body = list.rows.length === 0 ? [[span(list.empty, { dim: true })]] : listed
  return {
    rows: [
      [span(list.title, { bold: true }), span(`: ${list.about}`)],
      BLANK,
      ...body,
      BLANK,
      ...wrap([span(list.foot, { dim: true })], columns),
    ].map((row) => cutLine(row, columns)),
    cursor: undefined,
  }
}

/** Rows of a list that are in sight at once. */
export function listRoom({ rows }: Size): number {
  return Math.max(1, rows - AROUND)
}

/**
 * Returns how far a movement goes in a list of which `room` rows are in sight; undefined if it does not move within a
 * list.
 */
export function stepOf(move: PageMove | undefined, room: number): number | undefined {
  switch (move) {
    case "up":
      return -1
    case "down":
      return 1
    case "page-up":
      return -Math.max(1, room - 1)
    case "page-down":
      return Math.max(1, room - 1)
    case "top":
      return Number.NEGATIVE_INFINITY
    case "bottom":
      return Number.POSITIVE_INFINITY
    default:
      return undefined
  }
}

export function within(value: number, last: number): number {
  return Math.max(0, Math.min(last, value))
}

/** Finds the first of `room` rows so that the chosen one is among them, in the middle where possible. */
export function firstAround(chosen: number, count: number, room: number): number {
  return Math.max(0, Math.min(chosen - Math.floor(room / 2), count - room))
}
