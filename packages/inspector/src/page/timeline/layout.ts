import { type CacheShare, cacheParts } from "../cache/parts.js"
import type { AnyRow } from "../data/shapes.js"
import type { TimeWindow } from "./window.js"

/** One bar of the overview: a step, or several where there is not enough room for each. */
export interface Bar {
  readonly x: number
  readonly width: number
  readonly from: number
  readonly to: number
  /** What the cache did with them. */
  readonly parts: readonly CacheShare[]
  /** What was sent, of the most that any bar has. */
  readonly height: number
  readonly tools: number
  readonly reminders: number
  readonly breaks: number
  readonly failed: number
  readonly mends: number
  readonly sent: number
}

/** A message from where it arrived to where it was delivered. */
interface Journey {
  readonly id: string
  readonly text: string
  readonly origin: string
  readonly arrived: number
  readonly delivered: number
  readonly n: number
}

interface TurnMark {
  readonly turn: number
  readonly x: number
  readonly n: number
}

export interface Overview {
  readonly bars: readonly Bar[]
  readonly journeys: readonly Journey[]
  readonly turns: readonly TurnMark[]
}

const NARROWEST_BAR = 3
/** Above this many a picture is not readable. */
const MOST_JOURNEYS = 200

/** Lays out the steps of a window over a width: one bar each, or one for several where they would be too narrow. */
export function overviewOf(
  rows: readonly (AnyRow | undefined)[],
  { from, to }: TimeWindow,
  width: number,
): Overview {
  const count = Math.max(1, to - from + 1)
  const each = width / count
  const perBar = Math.max(1, Math.ceil(NARROWEST_BAR / each))
  const bars: Bar[] = []
  let most = 1
  for (let n = from; n <= to; n++) most = Math.max(most, rows[n - 1]?.tokens.sent ?? 0)
  for (let first = from; first <= to; first += perBar) {
    const last = Math.min(to, first + perBar - 1)
    const some = rows.slice(first - 1, last).filter((row) => row !== undefined)
    bars.push({
      x: (first - from) * each,
      width: (last - first + 1) * each,
      ...barOf(some, first, last, most),
    })
  }
  const x = (n: number) => (n - from) * each
  return { bars, journeys: journeysIn(rows, from, to, x), turns: turnsIn(rows, from, to, x, width) }
}

function barOf(rows: readonly AnyRow[], from: number, to: number, most: number) {
  const sum = (of: (row: AnyRow) => number) => rows.reduce((total, row) => total + of(row), 0)
  const sent = sum(({ tokens }) => tokens.sent)
  return {
    from,
    to,
    parts: cacheParts({
      sent,
      read: sum(({ tokens }) => tokens.read),
      written: sum(({ tokens }) => tokens.written),
      missed: sum(({ tokens }) => tokens.missed),
      reported: true,
    }),
    height: Math.max(0, ...rows.map(({ tokens }) => tokens.sent)) / most,
    tools: sum(({ tools }) => tools.length),
    reminders: sum(({ reminders }) => reminders.length),
    breaks: sum((row) => (row.break ? 1 : 0)),
    failed: sum((row) => (row.failed ? 1 : 0)),
    mends: sum(({ mends = 0 }) => mends),
    sent,
  }
}

function journeysIn(
  rows: readonly (AnyRow | undefined)[],
  from: number,
  to: number,
  x: (n: number) => number,
): readonly Journey[] {
  const found: Journey[] = []
  for (let n = from; n <= to && found.length < MOST_JOURNEYS; n++)
    for (const { id, text, origin, arrivedAt } of rows[n - 1]?.messages ?? []) {
      const arrived = Math.max(x(placeOf(rows, arrivedAt, n)), 0)
      found.push({ id, text, origin: origin.kind, arrived, delivered: x(n), n })
    }
  return found
}

/**
 * Finds where between two steps a moment lies. Steps are in the order of time, so the search goes back from the
 * delivery.
 */
function placeOf(rows: readonly (AnyRow | undefined)[], moment: number, delivered: number): number {
  for (let n = delivered - 1; n >= 1; n--) {
    const at = rows[n - 1]?.at
    if (at === undefined) return delivered
    if (at > moment) continue
    const next = rows[n]?.at ?? at
    return next === at ? n : n + Math.min(1, (moment - at) / (next - at))
  }
  return delivered - 0.4
}

/** Finds where turns begin. Leaves out marks that would stand on one another. */
function turnsIn(
  rows: readonly (AnyRow | undefined)[],
  from: number,
  to: number,
  x: (n: number) => number,
  width: number,
): readonly TurnMark[] {
  const marks: TurnMark[] = []
  for (let n = from; n <= to; n++) {
    const row = rows[n - 1]
    if (row?.turn === undefined || row.step !== 1) continue
    const last = marks.at(-1)
    if (last === undefined || x(n) - last.x >= Math.max(28, width / 40))
      marks.push({ turn: row.turn, x: x(n), n })
  }
  return marks
}
