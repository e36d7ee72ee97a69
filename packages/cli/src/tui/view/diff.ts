import { type ScreenLine, span, type TextStyle, wrap } from "../text/line.js"
import { visible } from "../text/width.js"

const ADDED: TextStyle = { colour: "added" }
const REMOVED: TextStyle = { colour: "removed" }
const CONTEXT: TextStyle = { dim: true }
/** Narrower than this, numbers take more than they tell. */
const ROOM_FOR_NUMBERS = 50

export interface DiffSize {
  readonly added: number
  readonly removed: number
}

export function isDiff(text: string): boolean {
  return /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/m.test(text)
}

export function sizeOf(diff: string): DiffSize {
  const rows = hunkRows(diff)
  const marked = (mark: string) => rows.filter((row) => row.mark === mark).length
  return { added: marked("+"), removed: marked("-") }
}

export function diffLines(diff: string, width: number): readonly ScreenLine[] {
  const rows = hunkRows(diff)
  const widest = Math.max(1, ...rows.map(({ number }) => String(number).length))
  return rows.flatMap(({ mark, text, number }, i) => {
    if (mark === "@") return i === 0 ? [] : [[span("⋮", { dim: true })]]
    const style = mark === "+" ? ADDED : mark === "-" ? REMOVED : CONTEXT
    const label = mark === "" ? "" : `${String(number).padStart(widest)} `
    const gutter = width < ROOM_FOR_NUMBERS ? "" : label
    const first: ScreenLine = [span(gutter, { dim: true }), span(mark === "" ? "" : `${mark} `, style)]
    const rest: ScreenLine = [span(" ".repeat(gutter.length + (mark === "" ? 0 : 2)))]
    return wrap([span(visible(text), style)], width, { first, rest, anywhere: true })
  })
}

interface DiffRow {
  /** "+", "-", " ", "@" between two places, or nothing for a note. */
  readonly mark: string
  readonly text: string
  readonly number: number
}

function hunkRows(diff: string): readonly DiffRow[] {
  const rows: DiffRow[] = []
  let [before, after, inside] = [0, 0, false]
  for (const text of diff.split("\n")) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text)
    if (head) {
      ;[before, after, inside] = [Number(head[1]), Number(head[2]), true]
      rows.push({ mark: "@", text: "", number: 0 })
    } else if (inside) {
      const mark = text[0] ?? " "
      if (mark === "+") rows.push({ mark, text: text.slice(1), number: after++ })
      else if (mark === "-") rows.push({ mark, text: text.slice(1), number: before++ })
      else if (mark === " ") {
        rows.push({ mark, text: text.slice(1), number: after++ })
        before++
      } else rows.push({ mark: "", text, number: 0 })
    }
  }
  return rows
}
