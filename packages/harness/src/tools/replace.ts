import { neutralise, restoreNeutralised } from "@sotto/core"
import { ToolError } from "../platform/text/errors.js"
import type { Region } from "./diff.js"
import { BOM } from "./file-views/text-file.js"

/** A form in which the model may know a text, and the way back from it. Neither touches a line break. */
interface ShownForm {
  show(text: string): string
  restore(shown: string): string
}

const LITERALLY: ShownForm = { show: (text) => text, restore: (shown) => shown }

/** `read` and grep put a number before each line, so that there nothing stands at the start of one. */
const NUMBERED: ShownForm = {
  show: (text) => unnumbered(neutralise(numbered(text)).text),
  restore: (shown) => unnumbered(restoreNeutralised(numbered(shown))),
}

/** As a command prints it. */
const PRINTED: ShownForm = { show: (text) => neutralise(text).text, restore: restoreNeutralised }

/** Finds for an offset in a shown text the same place in the plain one, which lacks some of its backslashes. */
function offsetsIn(plain: string, shown: string): (offset: number) => number {
  if (plain === shown) return (offset) => offset
  const places = new Uint32Array(shown.length + 1)
  let place = 0
  for (let i = 0; i < shown.length; i++) {
    if (plain[place] === shown[i]) place++
    places[i + 1] = place
  }
  return (offset) => places[offset] ?? plain.length
}

function numbered(text: string): string {
  const lines = text.split("\n")
  return lines.map((line, i) => (line === "" && i === lines.length - 1 ? "" : `1\t${line}`)).join("\n")
}

function unnumbered(text: string): string {
  return text
    .split("\n")
    .map((line) => line.slice(2))
    .join("\n")
}

export interface Replacement {
  readonly old: string
  readonly new: string
  readonly all: boolean
}

export interface Replaced {
  readonly text: string
  readonly count: number
  readonly regions: readonly Region[]
}

/** What stands at these offsets gives way to a text. */
interface Change {
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * Replaces text as the model knows it, which the guard may have made inert before it was shown: literally if that
 * is there, and else in the forms it may have been shown in. Line endings and byte order mark stay.
 */
export function replaceIn(original: string, asked: Replacement, name: string): Replaced {
  const mark = original.startsWith(BOM) ? BOM : ""
  const text = lineFeeds(original.slice(mark.length))
  const given = { old: lineFeeds(asked.old), new: lineFeeds(asked.new), all: asked.all }
  if (given.old === "") throw new ToolError("`old` is empty. Give the text to replace, or use write.")
  if (given.old === given.new) throw new ToolError("`old` and `new` are the same: nothing to change.")

  const restored = { ...given, old: restoreNeutralised(given.old), new: restoreNeutralised(given.new) }
  const attempts = [
    [LITERALLY, given],
    [NUMBERED, given],
    [PRINTED, given],
    [LITERALLY, restored],
  ] as const
  for (const [form, replacement] of attempts) {
    const shown = form.show(text)
    const places = occurrences(shown, replacement.old)
    if (places.length === 0) continue
    if (places.length > 1 && !asked.all) throw notUnique(shown, places, name)
    const changes = changesIn(text, shown, places, replacement, form)
    const result = mark + withChanges(text, changes, original.match(/\r?\n/g) ?? [])
    if (result === original)
      throw new ToolError(
        `${name} says so already: the backslash before a guarded tag is not in the file, only in what you are shown.`,
      )
    return { text: result, count: places.length, regions: regionsOf(text, changes) }
  }
  throw notFound(text, given.old, name)
}

/**
 * Finds the changes in the plain text that replacing in the shown one amounts to. Only where `old` and `new` differ:
 * what they share keeps its original form even if it is half an escape, or would no longer be recognised as one.
 */
function changesIn(
  text: string,
  shown: string,
  places: readonly number[],
  { old, new: replacement }: Replacement,
  form: ShownForm,
): readonly Change[] {
  const { head, tail } = shared(old, replacement)
  const plain = offsetsIn(text, shown)
  const shownAfter = shown.replaceAll(old, () => replacement)
  const after = form.restore(shownAfter)
  const plainAfter = offsetsIn(after, shownAfter)
  const growth = replacement.length - old.length
  return places.map((place, i) => {
    const placeAfter = place + growth * i
    return {
      from: plain(place + head),
      to: plain(place + old.length - tail),
      text: after.slice(plainAfter(placeAfter + head), plainAfter(placeAfter + replacement.length - tail)),
    }
  })
}

function shared(a: string, b: string): { readonly head: number; readonly tail: number } {
  const most = Math.min(a.length, b.length)
  let head = 0
  while (head < most && a[head] === b[head]) head++
  let tail = 0
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  return { head, tail }
}

/** Applies the changes. Every line keeps its own ending; new ones get the one that most have. */
function withChanges(text: string, changes: readonly Change[], endings: readonly string[]): string {
  const crlf = endings.filter((ending) => ending === "\r\n").length * 2 > endings.length
  const pieces: string[] = []
  let at = 0
  let line = 0
  const keep = (until: number) => {
    pieces.push(text.slice(at, until).replace(/\n/g, () => endings[line++] ?? "\n"))
    at = until
  }
  for (const { from, to, text: fresh } of changes) {
    keep(from)
    pieces.push(crlf ? fresh.replaceAll("\n", "\r\n") : fresh)
    line += breaksIn(text.slice(from, to))
    at = to
  }
  keep(text.length)
  return pieces.join("")
}

function regionsOf(text: string, changes: readonly Change[]): readonly Region[] {
  const regions: Region[] = []
  let at = 0
  let line = 0
  let growth = 0
  for (const change of changes) {
    const gone = breaksIn(text.slice(change.from, change.to))
    const from = line + breaksIn(text.slice(at, change.from))
    const newFrom = from + growth
    line = from + gone
    at = change.to
    growth += breaksIn(change.text) - gone
    const end = { to: line + 1, newTo: line + 1 + growth }
    const last = regions.at(-1)
    if (last && from < last.to) regions.splice(-1, 1, { ...last, ...end })
    else regions.push({ from, newFrom, ...end })
  }
  return regions
}

function notUnique(shown: string, places: readonly number[], name: string): ToolError {
  const lines = [...new Set(places.slice(0, 50).map((place) => breaksIn(shown.slice(0, place)) + 1))]
  const where = `${lines.slice(0, 10).join(", ")}${lines.length > 10 ? ", …" : ""}`
  return new ToolError(
    `\`old\` occurs ${places.length} times in ${name} (line ${where}). Give more of the text around the one you mean, or set \`all\`.`,
  )
}

function notFound(text: string, old: string, name: string): ToolError {
  const bare = old.replace(/^[ \t]*\d+\t/gm, "")
  if (bare !== old && text.includes(bare))
    return new ToolError("`old` has line numbers in it. Leave them out, in `new` as well.")
  const lines = text.split("\n").map((line) => line.trim())
  const wanted = old.trim().split(/\s*\n\s*/)
  const at = lines.findIndex((_, i) => wanted.every((line, j) => lines[i + j] === line))
  const hint =
    at < 0
      ? "Read the part you mean again, and copy it exactly."
      : `Line ${at + 1} differs only in white space: read it again, and copy it exactly.`
  return new ToolError(`\`old\` does not occur in ${name}. ${hint}`)
}

function occurrences(text: string, wanted: string): readonly number[] {
  const places: number[] = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at)
  return places
}

function lineFeeds(text: string): string {
  return text.replaceAll("\r\n", "\n")
}

function breaksIn(text: string): number {
  return text.split("\n").length - 1
}
