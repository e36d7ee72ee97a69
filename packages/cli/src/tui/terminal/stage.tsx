import { type Instance, render, Static, Text, useCursor } from "ink"
import { useInsertionEffect, useMemo, useSyncExternalStore } from "react"
import { type Highlighter, hasCode } from "../markdown/highlight.js"
import type { Item } from "../state/screen.js"
import type { Store, Ui } from "../state/ui.js"
import type { Line } from "../text/line.js"
import type { Painter } from "../text/paint.js"
import { type Frame, frameOf, type Scene } from "../view/frame.js"
import { printedLines } from "../view/item.js"
import { ledgerLines } from "../view/ledger.js"
import { colourOf, type Look } from "../view/look.js"
import { canvasFor } from "./canvas.js"
import { CODES } from "./codes.js"

const FRAMES_A_SECOND = 60

export interface Setting {
  readonly store: Store<Ui>
  readonly agents: Scene["agents"]
  readonly paint: Painter
  readonly highlighter: Highlighter
  readonly stdout: NodeJS.WriteStream
  /** Something has just been drawn. */
  drawn(): void
}

/**
 * What is on the terminal: the conversation, printed once and scrolled by the terminal itself, and below it the frame,
 * drawn again and again by Ink. A page, such as the ledger, covers both for a while.
 */
export class Stage {
  readonly #setting: Setting
  #instance: Instance | undefined
  /** How many items have been printed. */
  #printed = 0
  #isPage = false
  #frame: Frame = { rows: [], cursor: undefined }

  constructor(setting: Setting) {
    this.#setting = setting
  }

  /** Prints what there is already, and begins to draw. */
  open(): void {
    const { store } = this.#setting
    this.#isPage = store.get().ledger !== undefined
    if (this.#isPage) this.#write(CODES.enterPage)
    else this.#print(this.#printed)
    this.#mount()
  }

  /** Stops drawing and takes the frame away; the conversation stays. */
  close(): void {
    if (this.#instance === undefined) return
    // Ink draws what it has put off, and leaves the cursor where it shows it: in the frame, or below.
    this.#instance.unmount()
    this.#instance = undefined
    const { rows, cursor } = this.#frame
    const erased = this.#isPage ? CODES.leavePage : CODES.eraseFrom(cursor ? cursor.y : rows.length)
    this.#isPage = false
    this.#write(CODES.endDrawing + erased + CODES.showCursor)
  }

  /** After a change that Ink cannot follow: the size of the terminal, another session, a page that opens or closes. */
  redraw(change: () => void, { anew = false } = {}): void {
    const { store } = this.#setting
    this.close()
    change()
    if (anew) this.#printed = 0
    if (store.get().ledger === undefined) {
      this.#write(CODES.clear)
      this.#printed = Math.min(this.#printed, this.#tail())
    }
    this.open()
  }

  #mount(): void {
    const { store, stdout, drawn } = this.#setting
    const canvas = canvasFor(stdout, store.get().columns, drawn)
    const view = this.#isPage ? (
      <Page setting={this.#setting} />
    ) : (
      <Conversation setting={this.#setting} from={this.#printed} drew={this.#drew} />
    )
    this.#instance = render(view, {
      stdout: canvas,
      stdin: process.stdin,
      exitOnCtrlC: false,
      patchConsole: true,
      maxFps: FRAMES_A_SECOND,
      incrementalRendering: false,
    })
  }

  readonly #drew = (frame: Frame, printed: number): void => {
    this.#frame = frame
    this.#printed = Math.max(this.#printed, printed)
  }

  /** At once and past Ink, which would lay out every line of it. */
  #print(from: number): void {
    const { store } = this.#setting
    const { items } = store.get().screen
    const ready = readyItems(items, this.#setting.highlighter)
    for (let i = from; i < ready; i++) this.#write(`${rowsOf(items, i, this.#setting).join("\r\n")}\r\n`)
    this.#printed = Math.max(from, ready)
  }

  /** The first of the newest items that fill the screen. */
  #tail(): number {
    const { store } = this.#setting
    const { screen, rows } = store.get()
    let left = rows
    let first = screen.items.length
    while (first > 0 && left > 0) {
      first--
      left -= rowsOf(screen.items, first, this.#setting).length
    }
    return first
  }

  #write(text: string): void {
    this.#setting.stdout.write(text)
  }
}

/** Code is printed in its colours or not yet. */
function readyItems(items: readonly Item[], highlighter: Highlighter): number {
  if (highlighter.isReady) return items.length
  const waiting = items.findIndex(needsHighlighter)
  return waiting < 0 ? items.length : waiting
}

export function needsHighlighter(item: Item): boolean {
  return (item.is === "text" && hasCode(item.text)) || (item.is === "page" && hasCode(item.markdown))
}

function rowsOf(
  items: readonly Item[],
  index: number,
  { store, agents, paint, highlighter }: Setting,
): readonly string[] {
  const { columns, screen } = store.get()
  const look: Look = { width: columns, highlight: highlighter.highlight }
  return printedLines(items, index, look, colourOf(screen.agent, agents)).map(paint)
}

interface ConversationProps {
  readonly setting: Setting
  readonly from: number
  /** What is drawn now, and up to where the conversation is printed. */
  drew(frame: Frame, printed: number): void
}

function Conversation({ setting, from, drew }: ConversationProps) {
  const { store, agents, paint, highlighter } = setting
  const ui = useSyncExternalStore(store.subscribe, store.get)
  const { items } = ui.screen
  const ready = readyItems(items, highlighter)
  const finished = useMemo(() => items.slice(from, ready), [items, from, ready])
  const frame = frameOf(ui, { agents, look: { width: ui.columns, highlight: highlighter.highlight } })
  useInsertionEffect(() => drew(frame, ready))
  return (
    <>
      <Static items={finished}>
        {(_, i) => <Text key={from + i}>{rowsOf(items, from + i, setting).join("\n")}</Text>}
      </Static>
      <Drawn rows={frame.rows} cursor={frame.cursor} paint={paint} />
    </>
  )
}

function Page({ setting: { store, paint } }: { readonly setting: Setting }) {
  const { ledger, columns, rows } = useSyncExternalStore(store.subscribe, store.get)
  if (ledger === undefined) return null
  return <Drawn rows={ledgerLines(ledger, columns, rows)} cursor={undefined} paint={paint} />
}

function Drawn({ rows, cursor, paint }: Frame & { readonly rows: readonly Line[]; readonly paint: Painter }) {
  const { setCursorPosition } = useCursor()
  setCursorPosition(cursor)
  return <Text>{rows.map(paint).join("\n")}</Text>
}
