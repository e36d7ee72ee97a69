import { graphemesOf } from "../text/width.js"

/** Something that stands in the text as one character and is sent as what it is: a long paste, an image. */
export type Insert =
  | { readonly is: "paste"; readonly text: string; readonly label: string }
  | { readonly is: "image"; readonly path: string; readonly label: string }

/** A text that is being written. `cursor` is an index into it, always between two graphemes. */
export interface Buffer {
  readonly text: string
  readonly cursor: number
  /** By the character that stands for it. */
  readonly inserts: ReadonlyMap<string, Insert>
}

export const EMPTY: Buffer = { text: "", cursor: 0, inserts: new Map() }

// The last private-use characters of Unicode: users do not type them, and pasted ones are taken out.
const FIRST_STAND_IN = 0x10f000
const STAND_INS = /[\u{10f000}-\u{10fffd}]/gu

export function bufferWith(text: string, cursor = text.length): Buffer {
  return { text, cursor, inserts: new Map() }
}

export function isEmpty({ text }: Buffer): boolean {
  return text === ""
}

export function insert(buffer: Buffer, typed: string): Buffer {
  return splice(buffer, buffer.cursor, buffer.cursor, typed.replaceAll(STAND_INS, ""))
}

export function insertStandIn(buffer: Buffer, what: Insert): Buffer {
  const mark = String.fromCodePoint(FIRST_STAND_IN + buffer.inserts.size)
  const inserts = new Map([...buffer.inserts, [mark, what]])
  return { ...splice(buffer, buffer.cursor, buffer.cursor, mark), inserts }
}

export function expand({ text, inserts }: Buffer): string {
  return text.replaceAll(STAND_INS, (mark) => {
    const found = inserts.get(mark)
    return found === undefined ? "" : found.is === "paste" ? found.text : found.label
  })
}

/** Takes a text that came back from elsewhere, with the images of the text before it whose labels are still there. */
export function rewritten(text: string, { inserts }: Buffer): Buffer {
  const images = [...inserts.values()].filter(({ is }) => is === "image")
  return images.reduce(
    (buffer, image): Buffer => {
      const from = buffer.text.indexOf(image.label)
      if (from < 0) return buffer
      const cut = splice(buffer, from, from + image.label.length, "")
      const marked = insertStandIn(at(cut, from), image)
      return at(marked, marked.text.length)
    },
    bufferWith(text.replaceAll(STAND_INS, "")),
  )
}

export function labelled({ text, inserts }: Buffer): string {
  return text.replaceAll(STAND_INS, (mark) => inserts.get(mark)?.label ?? "")
}

export function imagesIn({ text, inserts }: Buffer): readonly string[] {
  return [...text.matchAll(STAND_INS)].flatMap(([mark]) => {
    const found = inserts.get(mark)
    return found?.is === "image" ? [found.path] : []
  })
}

export function backspace(buffer: Buffer): Buffer {
  return splice(buffer, before(buffer), buffer.cursor, "")
}

export function deleteNext(buffer: Buffer): Buffer {
  return splice(buffer, buffer.cursor, after(buffer), "")
}

export function left(buffer: Buffer): Buffer {
  return at(buffer, before(buffer))
}

export function right(buffer: Buffer): Buffer {
  return at(buffer, after(buffer))
}

export function wordLeft(buffer: Buffer): Buffer {
  const found = /[^\s]*\s*$/.exec(buffer.text.slice(0, buffer.cursor).trimEnd())
  return at(buffer, found?.index ?? 0)
}

export function wordRight(buffer: Buffer): Buffer {
  const found = /^\s*[^\s]*/.exec(buffer.text.slice(buffer.cursor))
  return at(buffer, buffer.cursor + (found?.[0].length ?? 0))
}

export function lineStart(buffer: Buffer): Buffer {
  return at(buffer, startOfLine(buffer))
}

export function lineEnd(buffer: Buffer): Buffer {
  return at(buffer, endOfLine(buffer))
}

export interface Killed {
  readonly buffer: Buffer
  readonly killed: string
}

export function killToEnd(buffer: Buffer): Killed {
  const end = endOfLine(buffer)
  // At the end of a line it is the break that goes.
  return kill(buffer, buffer.cursor, end === buffer.cursor ? Math.min(end + 1, buffer.text.length) : end)
}

export function killToStart(buffer: Buffer): Killed {
  const start = startOfLine(buffer)
  return kill(buffer, start === buffer.cursor ? Math.max(0, start - 1) : start, buffer.cursor)
}

export function killWordBefore(buffer: Buffer): Killed {
  return kill(buffer, wordLeft(buffer).cursor, buffer.cursor)
}

export function killWordAfter(buffer: Buffer): Killed {
  return kill(buffer, buffer.cursor, wordRight(buffer).cursor)
}

export function replaceRange(buffer: Buffer, from: number, to: number, text: string): Buffer {
  return splice(buffer, from, to, text)
}

export function at(buffer: Buffer, cursor: number): Buffer {
  return cursor === buffer.cursor ? buffer : { ...buffer, cursor }
}

function kill(buffer: Buffer, from: number, to: number): Killed {
  return { buffer: splice(buffer, from, to, ""), killed: buffer.text.slice(from, to) }
}

function splice(buffer: Buffer, from: number, to: number, text: string): Buffer {
  if (from === to && text === "") return buffer
  return {
    ...buffer,
    text: buffer.text.slice(0, from) + text + buffer.text.slice(to),
    cursor: from + text.length,
  }
}

function before({ text, cursor }: Buffer): number {
  // A grapheme is never longer than its line, and a line is quickly taken apart.
  const start = text.lastIndexOf("\n", cursor - 1)
  if (cursor > 0 && start === cursor - 1) return start
  return cursor - (graphemesOf(text.slice(start + 1, cursor)).at(-1)?.length ?? 0)
}

function after({ text, cursor }: Buffer): number {
  if (text[cursor] === "\n") return cursor + 1
  const end = text.indexOf("\n", cursor)
  return cursor + (graphemesOf(text.slice(cursor, end < 0 ? undefined : end))[0]?.length ?? 0)
}

function startOfLine({ text, cursor }: Buffer): number {
  return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1
}

function endOfLine({ text, cursor }: Buffer): number {
  const end = text.indexOf("\n", cursor)
  return end < 0 ? text.length : end
}
