import type { ScreenFrame } from "../text/line.js"
import { CODES } from "./codes.js"

/** The frame as it stands on the terminal. */
export interface DrawnFrame {
  /** Painted, each fits the width. */
  readonly rows: readonly string[]
  /** Where the terminal's cursor is, and whether it is in sight. */
  readonly cursor: { readonly x: number; readonly y: number; readonly visible: boolean }
}

/** No frame: the cursor is at the beginning of an empty row. */
export const NO_FRAME: DrawnFrame = { rows: [], cursor: { x: 0, y: 0, visible: true } }

/**
 * Returns what to write so that the frame `before` is replaced by rows that stay, `printed`, and the frame `after`
 * below them. Only rows that differ are written. It never erases the whole screen at once: some terminals, tmux among
 * them, keep a copy of what is erased like that.
 */
export function redrawn(before: DrawnFrame, printed: readonly string[], after: DrawnFrame): string {
  const rows = [...printed, ...after.rows]
  const pen = new Pen(before)
  for (const [y, row] of rows.entries()) {
    if (printed.length === 0 && before.rows[y] === row) continue
    pen.write(y, row)
  }
  if (before.rows.length > rows.length) pen.eraseFrom(rows.length)
  return pen.finish({ ...after.cursor, y: after.cursor.y + printed.length }, before.cursor.visible)
}

/** Moves between rows below and above, and remembers where it is. */
class Pen {
  #out = ""
  #y: number
  /** The lowest row that is there already: below it the terminal may have to scroll. */
  #lowest: number

  constructor({ rows, cursor }: DrawnFrame) {
    this.#y = cursor.y
    this.#lowest = Math.max(0, rows.length - 1)
  }

  write(y: number, row: string): void {
    this.#go(y)
    this.#out += CODES.eraseRow + row
  }

  eraseFrom(y: number): void {
    this.#go(y)
    this.#out += CODES.eraseBelow
  }

  finish({ x, y, visible }: DrawnFrame["cursor"], wasVisible: boolean): string {
    this.#go(y)
    const sight = visible === wasVisible ? "" : visible ? CODES.showCursor : CODES.hideCursor
    return this.#out + CODES.right(x) + sight
  }

  #go(y: number): void {
    const known = Math.min(y, this.#lowest)
    this.#out += `${CODES.vertical(known - this.#y)}\r${"\r\n".repeat(y - known)}`
    this.#y = y
    this.#lowest = Math.max(this.#lowest, y)
  }
}

/** The terminal's second screen, which a page takes while it is open. The first one comes back as it was. */
export class Cover {
  readonly #write: (text: string) => void
  #rows: readonly string[] | undefined

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  get isOpen(): boolean {
    return this.#rows !== undefined
  }

  /** Shows these rows, and writes only those that have changed. */
  show(rows: readonly string[], cursor: ScreenFrame["cursor"]): void {
    const before = this.#rows
    const changed = Array.from({ length: Math.max(rows.length, before?.length ?? 0) }, (_, y) => {
      const row = rows[y] ?? ""
      return row === (before?.[y] ?? "") ? "" : CODES.row(y) + CODES.eraseRow + row
    }).join("")
    const opening = before === undefined ? CODES.enterPage + CODES.home + CODES.eraseBelow : ""
    const place = cursor ? CODES.row(cursor.y) + CODES.right(cursor.x) + CODES.showCursor : CODES.hideCursor
    this.#rows = rows
    if (opening + changed !== "" || cursor) this.#write(opening + changed + place)
  }

  leave(): void {
    if (this.#rows === undefined) return
    this.#rows = undefined
    this.#write(CODES.leavePage + CODES.showCursor)
  }
}
