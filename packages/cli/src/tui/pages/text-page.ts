import { BLANK, cutLine, type Line, span } from "../text/line.js"
import { type Page, type PageKind, type Press, pageOf, type Size } from "./page.js"
import { stepOf, within } from "./scrolling.js"

export interface TextPage {
  title(): Line
  /** The text as it is now, broken for this width. */
  lines(width: number): readonly Line[]
  /** Begins at the end, and follows it while it grows. */
  readonly follows?: boolean
  /** Keys of its own, told at the bottom, and what they do. */
  readonly keys?: string
  onKey?(press: Press): "close" | undefined
}

interface State extends TextPage {
  /** The first row in sight; undefined: the end is in sight, and stays so. */
  readonly from: number | undefined
}

const HEAD = 2
const FOOT = 2

/** A text that can be longer than the screen, to be scrolled through. */
export function textPage(text: TextPage): Page {
  return pageOf<State>(KIND, { ...text, from: text.follows ? undefined : 0 })
}

const KIND: PageKind<State> = {
  name: "text",
  view: (state, { columns, rows }) => {
    const all = state.lines(columns)
    const room = roomIn(rows)
    const last = Math.max(0, all.length - room)
    const from = within(state.from ?? last, last)
    const shown = all.slice(from, from + room)
    const part =
      all.length > room ? `${from + 1}–${from + shown.length} of ${all.length} rows · ↑↓ PgUp PgDn · ` : ""
    const foot = cutLine([span(`${part}${state.keys ?? ""}Esc back`, { dim: true })], columns)
    const filling = Array.from({ length: room - shown.length }, () => BLANK)
    return {
      rows: [cutLine(state.title(), columns), BLANK, ...shown, ...filling, BLANK, foot],
      cursor: undefined,
    }
  },
  key: (state, press, { columns, rows }: Size) => {
    if (press.move === "close") return "close"
    const step = stepOf(press.move, roomIn(rows))
    if (step === undefined) return state.onKey?.(press) ?? state
    const last = Math.max(0, state.lines(columns).length - roomIn(rows))
    const from = within((state.from ?? last) + step, last)
    return { ...state, from: state.follows && from === last ? undefined : from }
  },
  // The lines are read when they are drawn.
  renew: (state) => ({ ...state }),
}

function roomIn(rows: number): number {
  return Math.max(1, rows - HEAD - FOOT)
}
