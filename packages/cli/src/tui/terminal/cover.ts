import type { ScreenFrame } from "../text/line.js"
import { CODES } from "./codes.js"

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
