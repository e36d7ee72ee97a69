import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { BLANK, cutLine, type ScreenLine, span, textOfLine } from "../text/line.js"
import { stepOf, within } from "./list.js"
import { type PageKind, type Press, pageOf, type ScreenPage, type Size } from "./page.js"
import { isFound, marked, NO_SEARCH, nextPlace, type Search, searchAfter } from "./search.js"

export interface TextPage {
  title(): ScreenLine
  lines(width: number): readonly ScreenLine[]
  /** Begins at the end, and follows it while it grows. */
  readonly follows?: boolean
  /** What is looked for already, and the row in which it stands. */
  readonly looked?: { readonly query: string; readonly row: number }
  /** Keys of its own, told at the bottom, and what they do. */
  readonly keys?: string
  /** "top": another text stands in its place, to be read from its beginning. */
  onKey?(press: Press): "close" | "top" | undefined
}

interface State extends TextPage {
  /** The first row in sight; undefined: the end is in sight, and stays so. */
  readonly from: number | undefined
  readonly search: Search
  /** The row that was found last. */
  readonly found: number | undefined
}

const HEAD = 2
const FOOT = 2

export function textPage(text: TextPage): ScreenPage {
  const { looked, follows } = text
  return pageOf<State>(KIND, {
    ...text,
    from: looked?.row ?? (follows ? undefined : 0),
    search: looked === undefined ? NO_SEARCH : { query: looked.query, isTyped: false },
    found: looked?.row,
  })
}

const KIND: PageKind<State> = {
  name: "text",
  view: (state, { columns, rows }) => {
    const { search } = state
    const all = state.lines(columns)
    const room = roomIn(rows)
    const last = Math.max(0, all.length - room)
    const from = within(state.from ?? last, last)
    const shown = all.slice(from, from + room).map((row) => marked(row, search.query))
    const part =
      all.length > room ? `${from + 1}–${from + shown.length} of ${all.length} rows · ↑↓ PgUp PgDn · ` : ""
    const foot = search.isTyped
      ? [span(`/${search.query}`), span("▏ Enter finds it · Esc back", { dim: true })]
      : [span(`${part}${state.keys ?? ""}${wordsFor(state, all)}Esc back`, { dim: true })]
    const filling = Array.from({ length: room - shown.length }, () => BLANK)
    return {
      rows: [cutLine(state.title(), columns), BLANK, ...shown, ...filling, BLANK, cutLine(foot, columns)],
      cursor: undefined,
    }
  },
  key: (state, press, { columns, rows }: Size) => {
    const search = searchAfter(state.search, press)
    if (search !== undefined) {
      const changed = { ...state, search, found: undefined }
      return search.query === "" ? changed : goTo(changed, state.lines(columns), rows, 1)
    }
    if (press.move === "close") return "close"
    if (state.search.query !== "" && (press.name === "n" || press.name === "N"))
      return goTo(state, state.lines(columns), rows, press.name === "n" ? 1 : -1)
    const step = stepOf(press.move, roomIn(rows))
    if (step === undefined) {
      const done = state.onKey?.(press)
      return done === "top" ? { ...state, from: 0, found: undefined } : (done ?? state)
    }
    const last = Math.max(0, state.lines(columns).length - roomIn(rows))
    const from = within((state.from ?? last) + step, last)
    // After the user has moved, the search goes on from there.
    return { ...state, from: state.follows && from === last ? undefined : from, found: undefined }
  },
  // The lines are read when they are drawn.
  renew: (state) => ({ ...state }),
}

/** Brings the next row in which it stands into sight: from what was found last, or from the first row in sight. */
function goTo(state: State, all: readonly ScreenLine[], rows: number, by: 1 | -1): State {
  const { search, found, from } = state
  const room = roomIn(rows)
  const last = Math.max(0, all.length - room)
  const begin = found ?? within(from ?? last, last) - by
  const place = nextPlace(all.length, begin, by, (at) => isFound(textOfLine(all[at] ?? []), search.query))
  if (place === undefined) return state
  const top = within(from ?? last, last)
  const isInSight = place >= top && place < top + room
  return { ...state, found: place, from: isInSight ? top : within(place - Math.floor(room / 3), last) }
}

function wordsFor({ search: { query } }: State, all: readonly ScreenLine[]): string {
  if (query === "") return "/ search · "
  const hits = all.filter((row) => isFound(textOfLine(row), query)).length
  return hits === 0 ? `no “${query}” · / search · ` : `${hits} × “${query}” · n N · `
}

function roomIn(rows: number): number {
  return Math.max(1, rows - HEAD - FOOT)
}

/** Bytes at the end of a file that are shown; the rest is in the file. */
const MOST_SHOWN = 200_000

export function endOfFile(path: string): string {
  try {
    const file = openSync(path, "r")
    try {
      const { size } = fstatSync(file)
      const bytes = Buffer.alloc(Math.min(size, MOST_SHOWN))
      const read = readSync(file, bytes, 0, bytes.length, size - bytes.length)
      return bytes.subarray(0, read).toString("utf8").trimEnd()
    } finally {
      closeSync(file)
    }
  } catch {
    return ""
  }
}
