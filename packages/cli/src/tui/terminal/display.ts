import { isDeepStrictEqual } from "node:util"
import type { Highlighter } from "../markdown/highlight.js"
import type { ScreenItem } from "../state/screen.js"
import type { Observable, Ui } from "../state/ui.js"
import { type ScreenFrame, type ScreenLine, widthOfLine, withoutStart, wrap } from "../text/line.js"
import type { Painter } from "../text/paint.js"
import { frameOf, type Scene } from "../view/frame.js"
import { needsHighlighter, printedLines } from "../view/item.js"
import { colourOf } from "../view/look.js"
import { CODES } from "./codes.js"
import { Pace } from "./pace.js"
import { Cover, type DrawnFrame, NO_FRAME, redrawn } from "./redraw.js"

/** The most rows of what was printed that can be on a screen. */
const TALLEST_SCREEN = 400

export interface DisplayParts {
  readonly store: Observable<Ui>
  readonly agents: Scene["agents"]
  paint: Painter
  readonly highlighter: Highlighter
  readonly link?: Scene["look"]["link"]
  readonly stdout: Pick<NodeJS.WriteStream, "write">
  drawn(): void
}

/**
 * What is on the terminal: the conversation, printed once and scrolled by the terminal itself, and below it the frame,
 * of which only the rows are written that have changed. A page covers both for a while.
 */
export class Display {
  readonly #parts: DisplayParts
  readonly #pace = new Pace(() => this.#draw())
  readonly #cover: Cover
  #unsubscribe: (() => void) | undefined
  #isPaused = false
  /** How many items have been printed or passed over. */
  #printed = 0
  #shown: DrawnFrame = NO_FRAME
  /** Columns that each row took: of the newest that were printed, and of the frame. */
  #widths: readonly number[] = []
  #frameWidths: readonly number[] = []
  /** Empty rows below the frame, as far as is known: left by what became shorter. */
  #below = 0
  /** What is printed no longer looks like what should be. */
  #isStale = false
  /** The frame that is being written; undefined between frames. */
  #unsent: string | undefined

  constructor(parts: DisplayParts) {
    this.#parts = parts
    this.#cover = new Cover((text) => this.#write(text))
  }

  /** Prints what there is already, and begins to draw. */
  open(): void {
    if (this.#unsubscribe !== undefined) return
    this.#unsubscribe = this.#parts.store.subscribe(() => this.#pace.later())
    this.#draw()
  }

  /** Stops drawing and takes the frame away; the conversation stays. Safe to call at any time. */
  close(): void {
    if (this.#unsubscribe === undefined) return
    this.#unsubscribe()
    this.#unsubscribe = undefined
    this.#pace.stop()
    this.#atOnce(() => {
      this.#cover.leave()
      this.#write(redrawn(this.#shown, [], NO_FRAME) + CODES.showCursor)
    })
    this.#forget()
  }

  /** Shows at once what a key has changed. */
  echo(): void {
    this.#pace.now()
  }

  /** Draws nothing until the next `resize`: the terminal is changing its size. */
  pause(): void {
    this.#isPaused = true
  }

  /** After `change` has taken the new size in: what is on the screen is printed again to fit it. */
  resize(change: () => void, cursorRow?: number): void {
    const { columns } = this.#parts.store.get()
    this.#isPaused = false
    this.#below = 0
    change()
    this.#atOnce(() => {
      if (cursorRow === undefined || this.#cover.isOpen) this.repaint()
      else this.#refit(columns, cursorRow)
    })
  }

  /** Prints again exactly what is still on the screen, by where the terminal says that the cursor is. */
  #refit(columnsBefore: number, cursorRow: number): void {
    const before = this.#widths.length
    const scrolled = this.#erase(cursorRow)
    const left = before - this.#widths.length
    const first = this.#tail(left, columnsBefore)
    // Of the topmost item some rows may have scrolled away, and the upper part of the row below them.
    const gone = Math.max(0, this.#rowsOf(first, this.#printed, columnsBefore).length - left)
    const rows =
      gone > 0 || scrolled > 0
        ? [...this.#restOf(first, gone, scrolled, columnsBefore), ...this.#rowsOf(first + 1, this.#printed)]
        : this.#rowsOf(first, this.#printed)
    this.#show(rows, { rows: [], cursor: undefined }, this.#parts.paint)
    this.#draw()
  }

  /**
   * Gives what is left on the screen of an item whose beginning has scrolled away. Its rows are broken where they were: laid
   * out anew, they would not begin where the others end.
   */
  #restOf(item: number, gone: number, scrolled: number, columnsBefore: number): readonly ScreenLine[] {
    const { columns } = this.#parts.store.get()
    const [top = [], ...rows] = this.#rowsOf(item, item + 1, columnsBefore).slice(gone)
    const begun = withoutStart(top, scrolled * columns)
    const all = begun.length === 0 && scrolled > 0 ? rows : [begun, ...rows]
    return all.flatMap((row) => (widthOfLine(row) <= columns ? [row] : wrap(row, columns)))
  }

  /** Prints again what is on the screen. What has scrolled away stays as it is. */
  repaint(): void {
    this.#isStale = true
    this.#draw()
  }

  restyle(paint: Painter): void {
    this.#parts.paint = paint
    if (this.#unsubscribe !== undefined) this.repaint()
  }

  /** What is on the screen is printed as it looks after the change: longer or shorter, but all of it. */
  reshape(change: () => void): void {
    const { rows } = this.#parts.store.get()
    const onScreen = Math.min(rows - this.#below - this.#frameWidths.length, this.#widths.length)
    const first = this.#tail(onScreen)
    const gone = Math.max(0, this.#rowsOf(first, this.#printed).length - onScreen)
    const top = this.#rowsOf(first, first + 1)
    change()
    this.#atOnce(() => {
      if (this.#cover.isOpen) this.#isStale = true
      else {
        this.#erase()
        // Of the topmost item some rows may have scrolled away. If it looks as before, they are not printed twice.
        const isSameTop = isDeepStrictEqual(top, this.#rowsOf(first, first + 1))
        const again = this.#rowsOf(first, this.#printed).slice(isSameTop ? gone : 0)
        this.#show(again, { rows: [], cursor: undefined }, this.#parts.paint)
      }
      this.#draw()
    })
  }

  /** Another conversation, on a screen of its own. What was there before scrolls away. */
  replace(change: () => void): void {
    const { rows } = this.#parts.store.get()
    this.#atOnce(() => {
      this.#cover.leave()
      this.#write(redrawn(this.#shown, [], NO_FRAME) + CODES.row(rows - 1) + "\r\n".repeat(rows) + CODES.home)
      this.#forget()
      this.#printed = 0
      change()
      this.#draw()
    })
  }

  readonly #draw = (): void => {
    if (this.#unsubscribe === undefined || this.#isPaused) return
    const ui = this.#parts.store.get()
    const page = ui.pages.at(-1)
    this.#atOnce(() => {
      if (page !== undefined) {
        const { rows, cursor } = page.view({ columns: ui.columns, rows: ui.rows })
        this.#cover.show(rows.map(this.#parts.paint), cursor)
      } else {
        this.#cover.leave()
        if (this.#isStale) this.#fill()
        this.#drawConversation(ui)
      }
    })
    this.#parts.drawn()
  }

  #drawConversation(ui: Ui): void {
    const { agents, highlighter, paint } = this.#parts
    const { items } = ui.screen
    const ready = readyItems(items, highlighter)
    if (ready < items.length) void highlighter.load().then(() => this.#pace.later())
    const printed = this.#rowsOf(this.#printed, ready)
    this.#printed = Math.max(this.#printed, ready)
    this.#show(printed, frameOf(ui, { agents, look: this.#look(ui) }), paint)
  }

  /** Prints again the newest rows, as many as the screen has room for above the frame. */
  #fill(): void {
    const ui = this.#parts.store.get()
    this.#erase()
    const room = ui.rows - frameOf(ui, { agents: this.#parts.agents, look: this.#look(ui) }).rows.length
    const rows = this.#rowsOf(this.#tail(room), this.#printed).slice(-Math.max(1, room))
    this.#show(rows, { rows: [], cursor: undefined }, this.#parts.paint)
    this.#isStale = false
  }

  #show(printed: readonly ScreenLine[], frame: ScreenFrame, paint: Painter): void {
    const { x, y } = frame.cursor ?? { x: 0, y: Math.max(0, frame.rows.length - 1) }
    const isBare = frame.rows.length === 0
    const next: DrawnFrame = {
      rows: isBare ? [""] : frame.rows.map(paint),
      cursor: { x, y, visible: frame.cursor !== undefined || isBare },
    }
    if (printed.length > 0 || !isSame(this.#shown, next))
      this.#write(redrawn(this.#shown, printed.map(paint), next))
    const taller = printed.length + next.rows.length - Math.max(1, this.#shown.rows.length)
    this.#below = Math.max(0, this.#below - taller)
    this.#shown = next
    this.#widths = [...this.#widths, ...printed.map(widthOfLine)].slice(-TALLEST_SCREEN)
    this.#frameWidths = isBare ? [0] : frame.rows.map(widthOfLine)
  }

  /**
   * Erases what is ours of the screen, row by row. The terminal may have broken rows anew that are wider than it is
   * now: that is counted in. Going up ends at the top of the screen, whatever has scrolled away above it. Returns how many
   * rows of the terminal have scrolled away of the topmost row of ours.
   */
  #erase(cursorRow?: number): number {
    const { columns, rows } = this.#parts.store.get()
    const most = cursorRow ?? rows
    const { x, y } = this.#shown.cursor
    const taken = (width: number) => Math.max(1, Math.ceil(width / columns))
    const inFrame = this.#frameWidths.slice(0, y).reduce((sum, width) => sum + taken(width), 0)
    let up = inFrame + Math.floor(x / columns)
    let first = this.#widths.length
    while (first > 0 && up < most) up += taken(this.#widths[--first] ?? 0)
    const scrolled = cursorRow === undefined ? 0 : Math.max(0, up - cursorRow)
    up -= scrolled
    const below = this.#frameWidths.slice(y).reduce((sum, width) => sum + taken(width), 0)
    const erased = `${CODES.eraseRow}${CODES.vertical(1)}`.repeat(up + below)
    this.#write(`${CODES.vertical(-up)}\r${erased}${CODES.vertical(-up - below)}`)
    // A window that grows gets back what has scrolled away.
    const above = this.#widths.slice(0, first)
    const top = Math.max(0, (cursorRow ?? rows - this.#below - Math.max(1, below)) - up)
    this.#forget()
    this.#widths = above
    this.#below = rows - 1 - top
    return scrolled
  }

  #forget(): void {
    this.#shown = NO_FRAME
    this.#widths = []
    this.#frameWidths = []
    this.#below = 0
  }

  #tail(rows: number, columns?: number): number {
    let left = rows
    let first = this.#printed
    while (first > 0 && left > 0) {
      first--
      left -= this.#rowsOf(first, first + 1, columns).length
    }
    return first
  }

  #rowsOf(from: number, to: number, columns?: number): readonly ScreenLine[] {
    const { store, agents } = this.#parts
    const ui = store.get()
    const { items, agent } = ui.screen
    const colour = colourOf(agent, agents)
    const look = columns === undefined ? this.#look(ui) : { ...this.#look(ui), width: columns }
    const rows: ScreenLine[] = []
    for (let i = from; i < to; i++) rows.push(...printedLines(items, i, look, colour))
    return rows
  }

  #look({ columns, shows }: Ui): Scene["look"] {
    const { highlighter, link } = this.#parts
    return { width: columns, highlight: highlighter.highlight, shows, ...(link && { link }) }
  }

  /** Sends everything that `draw` writes as one frame, so that the terminal never shows a half of it. */
  #atOnce(draw: () => void): void {
    if (this.#unsent !== undefined) {
      draw()
      return
    }
    this.#unsent = ""
    try {
      draw()
    } finally {
      const text = this.#unsent
      this.#unsent = undefined
      if (text !== "") this.#parts.stdout.write(`${CODES.beginDrawing}${text}${CODES.endDrawing}`)
    }
  }

  #write(text: string): void {
    this.#atOnce(() => {
      this.#unsent += text
    })
  }
}

/** Counts the items that can be printed now: code waits for its colours. */
function readyItems(items: readonly ScreenItem[], highlighter: Highlighter): number {
  if (highlighter.isReady) return items.length
  const waiting = items.findIndex(needsHighlighter)
  return waiting < 0 ? items.length : waiting
}

function isSame(one: DrawnFrame, other: DrawnFrame): boolean {
  const { x, y, visible } = one.cursor
  return (
    x === other.cursor.x &&
    y === other.cursor.y &&
    visible === other.cursor.visible &&
    one.rows.length === other.rows.length &&
    one.rows.every((row, i) => row === other.rows[i])
  )
}
