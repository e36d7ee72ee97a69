import { clean, graphemesOf, widthOf } from "../text/width.js"
import { at, type Buffer } from "./buffer.js"

interface Row {
  readonly text: string
  /** Where the row begins and ends in the buffer's text. */
  readonly from: number
  readonly to: number
}

export interface InputLayout {
  readonly rows: readonly Row[]
  readonly cursor: { readonly row: number; readonly column: number }
}

interface Cell {
  readonly shown: string
  readonly width: number
  readonly from: number
  readonly to: number
}

/** Lays the buffer out in rows of `width` columns, broken between words, and says where the cursor is among them. */
export function layoutOf(buffer: Buffer, width: number): InputLayout {
  const room = Math.max(2, width)
  const rows: Row[] = []
  let from = 0
  for (const text of buffer.text.split("\n")) {
    rows.push(...rowsOf(cellsOf(buffer, text, from), from, room))
    from += text.length + 1
  }
  return { rows, cursor: cursorIn(buffer, rows, room) }
}

function cellsOf({ inserts }: Buffer, text: string, from: number): readonly Cell[] {
  let position = from
  return graphemesOf(text).map((grapheme) => {
    const shown = inserts.get(grapheme)?.label ?? shownAs(grapheme)
    const cell = { shown, width: widthOf(shown), from: position, to: position + grapheme.length }
    position = cell.to
    return cell
  })
}

/** Replaces a tab, which would move by as much as the terminal likes. */
function shownAs(grapheme: string): string {
  return grapheme === "\t" ? "    " : clean(grapheme)
}

function rowsOf(cells: readonly Cell[], from: number, room: number): readonly Row[] {
  const rows: Row[] = []
  let row: Cell[] = []
  const close = (taken: readonly Cell[]) => {
    const begin = rows.at(-1)?.to ?? from
    rows.push({
      text: taken.map(({ shown }) => shown).join(""),
      from: begin,
      to: taken.at(-1)?.to ?? begin,
    })
  }
  const widthOfRow = () => row.reduce((sum, { width }) => sum + width, 0)
  for (const cell of cells) {
    if (row.length > 0 && widthOfRow() + cell.width > room) {
      const space = row.findLastIndex(({ shown }) => shown === " ")
      const keep = space > 0 && cell.shown !== " " ? space + 1 : row.length
      close(row.slice(0, keep))
      row = row.slice(keep)
    }
    row.push(cell)
  }
  close(row)
  return rows
}

function cursorIn(buffer: Buffer, rows: readonly Row[], room: number): InputLayout["cursor"] {
  const { cursor } = buffer
  // At the seam of two rows the cursor is at the beginning of the second.
  const found = rows.findLastIndex(({ from }) => from <= cursor)
  const row = Math.max(0, found)
  const { from = 0 } = rows[row] ?? {}
  const before = cellsOf(buffer, buffer.text.slice(from, cursor), from)
  const column = before.reduce((sum, { width }) => sum + width, 0)
  return { row, column: Math.min(column, room) }
}

export function vertical(buffer: Buffer, width: number, by: 1 | -1): Buffer | undefined {
  const { rows, cursor } = layoutOf(buffer, width)
  const target = rows[cursor.row + by]
  if (target === undefined) return undefined
  let column = 0
  let position = target.from
  for (const cell of cellsOf(buffer, buffer.text.slice(target.from, target.to), target.from)) {
    if (column + cell.width > cursor.column) break
    column += cell.width
    position = cell.to
  }
  // The end of a row that goes on is the beginning of the next: stay on this one.
  const next = rows[cursor.row + by + 1]
  if (position === target.to && next?.from === target.to && target.to > target.from)
    position = target.to - (graphemesOf(buffer.text.slice(target.from, target.to)).at(-1)?.length ?? 0)
  return at(buffer, position)
}
