import { extname } from "node:path"
import { whole } from "../../output/figures.js"
import { type ScreenLine, span, type TextSpan, type TextStyle, wrap } from "../text/line.js"
import { visible } from "../text/width.js"
import { type ChangedWords, changedWords, type WordRange } from "./changed-words.js"
import type { Look } from "./look.js"

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

/** How a diff is drawn. */
export interface DiffLook extends Pick<Look, "width" | "highlight"> {
  /** The file, whose name tells the language. */
  readonly path?: string | undefined
  /** The most rows it may take. A longer one is folded, and says how many lines are left out. */
  readonly most?: number | undefined
}

/**
 * Draws a diff in the colours of the file's language, with the words marked that changed within a line. What is folded
 * away is neither coloured nor compared: the time depends on what is in sight.
 */
export function diffLines(diff: string, look: DiffLook): readonly ScreenLine[] {
  const { width, most = Number.POSITIVE_INFINITY } = look
  const all = hunkRows(diff).filter(({ mark }, i) => mark !== "@" || i > 0)
  const widest = String(all.reduce((largest, { number }) => Math.max(largest, number), 1)).length
  const rows = all.length > most + 1 ? all.slice(0, most) : all
  const longest = most * width
  const shown = rows.map((row) => ({
    ...row,
    text: visible(row.text.length > longest ? row.text.slice(0, longest) : row.text),
  }))
  const coloured = colours(shown, look)
  const changed = changes(shown)
  const lines: ScreenLine[] = []
  for (const [i, { mark, text, number }] of shown.entries()) {
    const drawn = rowLines(
      { mark, text, number },
      { coloured: coloured[i], changed: changed[i], widest, width },
    )
    const left = all.length - i
    // The note takes a row itself, and need not take the place of the last one.
    if (lines.length + drawn.length + (left > 1 ? 1 : 0) > most + 1) {
      if (i === 0) for (const row of drawn.slice(0, most)) lines.push(row)
      return [...lines, foldedNote(left)]
    }
    for (const row of drawn) lines.push(row)
  }
  return rows.length < all.length ? [...lines, foldedNote(all.length - rows.length)] : lines
}

/** Says how many lines a fold leaves out, and how they are shown. */
export function foldedNote(left: number): ScreenLine {
  const what = `${whole(left)} more line${left === 1 ? "" : "s"}`
  return [span(`… ${what} · Ctrl+O shows all`, { dim: true, italic: true })]
}

/** Names the language of a file for the highlighter, which knows the usual endings. */
export function languageOf(path: string): string {
  const name = path.split(/[/\\]/).at(-1) ?? ""
  return (extname(name).slice(1) || name).toLowerCase()
}

interface RowLook {
  readonly coloured: ScreenLine | undefined
  readonly changed: readonly WordRange[] | undefined
  readonly widest: number
  readonly width: number
}

function rowLines({ mark, text, number }: DiffRow, look: RowLook): readonly ScreenLine[] {
  const { coloured, changed = [], widest, width } = look
  if (mark === "@") return [[span("⋮", { dim: true })]]
  const colour = mark === "+" ? "added" : mark === "-" ? "removed" : undefined
  const own: TextStyle = colour === undefined ? CONTEXT : { colour }
  const label = mark === "" || width < ROOM_FOR_NUMBERS ? "" : `${String(number).padStart(widest)} `
  const sign = mark === "" ? "" : `${mark} `
  const first: ScreenLine = [span(label, { dim: true }), span(sign, own)]
  const rest: ScreenLine = [span(" ".repeat(label.length + sign.length))]
  const marked: TextStyle = { ...own, bold: true, underline: true }
  const spans = withMarks(coloured ?? [span(text, own)], changed, marked)
  return wrap(spans, width, { first, rest, anywhere: true })
}

/** Draws parts of a line in another style. */
function withMarks(spans: ScreenLine, ranges: readonly WordRange[], style: TextStyle): ScreenLine {
  if (ranges.length === 0) return spans
  const marked: TextSpan[] = []
  let at = 0
  for (const one of spans) {
    const end = at + one.text.length
    const cuts = ranges.flatMap(({ from, to }) => [from, to]).filter((cut) => cut > at && cut < end)
    for (const [i, cut] of [...cuts, end].entries()) {
      const from = i === 0 ? at : (cuts[i - 1] ?? at)
      const isMarked = ranges.some((range) => range.from <= from && cut <= range.to)
      const text = one.text.slice(from - at, cut - at)
      if (text !== "") marked.push(isMarked ? span(text, style) : { ...one, text })
    }
    at = end
  }
  return marked
}

/**
 * Colours what is new as code. What was removed is dim, so that the two are told apart by more than their mark. Each
 * stretch without a gap is coloured at once, once as it was and once as it is: a string or comment goes over lines.
 */
function colours(
  rows: readonly DiffRow[],
  { highlight, path }: DiffLook,
): readonly (ScreenLine | undefined)[] {
  const coloured: (ScreenLine | undefined)[] = rows.map(() => undefined)
  if (highlight === undefined || path === undefined) return coloured
  const language = languageOf(path)
  const colour = (places: readonly number[], mark: "+" | "-") => {
    if (!places.some((place) => rows[place]?.mark === mark)) return
    const code = highlight(places.map((place) => rows[place]?.text ?? "").join("\n"), language)
    if (code?.length !== places.length) return
    for (const [i, place] of places.entries()) {
      const line = code[i] ?? []
      if (rows[place]?.mark !== mark) continue
      coloured[place] =
        mark === "+" ? line : line.map(({ text, style }) => span(text, { ...style, dim: true }))
    }
  }
  let [before, after]: [number[], number[]] = [[], []]
  const end = () => {
    colour(before, "-")
    colour(after, "+")
    ;[before, after] = [[], []]
  }
  for (const [i, { mark }] of rows.entries()) {
    if (mark === "@") end()
    if (mark === "-" || mark === " ") before.push(i)
    if (mark === "+" || mark === " ") after.push(i)
  }
  end()
  return coloured
}

/** Removed lines are compared with added ones only where the change has at most so many: a larger one is a new text. */
const MOST_COMPARED = 200
/** How far down a removed line looks for the line in its place. */
const NEAR = 4

/** Finds what changed within lines: in each run of removed lines and the added lines that follow it. */
function changes(rows: readonly DiffRow[]): readonly (readonly WordRange[] | undefined)[] {
  const found: (readonly WordRange[] | undefined)[] = rows.map(() => undefined)
  let at = 0
  while (at < rows.length) {
    const removed = runLength(rows, at, "-")
    const added = runLength(rows, at + removed, "+")
    if (removed > 0 && added > 0 && Math.max(removed, added) <= MOST_COMPARED) {
      let next = at + removed
      for (let i = at; i < at + removed; i++) {
        const match = placeOf(rows, i, next, Math.min(next + NEAR, at + removed + added))
        if (match === undefined) continue
        found[i] = match.words.removed
        found[match.place] = match.words.added
        next = match.place + 1
      }
    }
    at += Math.max(1, removed + added)
  }
  return found
}

function runLength(rows: readonly DiffRow[], from: number, mark: string): number {
  let length = 0
  while (rows[from + length]?.mark === mark) length++
  return length
}

interface MatchedLine {
  readonly place: number
  readonly words: ChangedWords
}

/** Finds the first added line that is like a removed one. */
function placeOf(
  rows: readonly DiffRow[],
  removed: number,
  from: number,
  to: number,
): MatchedLine | undefined {
  for (let place = from; place < to; place++) {
    const words = changedWords(rows[removed]?.text ?? "", rows[place]?.text ?? "")
    if (words !== undefined) return { place, words }
  }
  return undefined
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
