import { readFileSync, statSync } from "node:fs"
import type { Selection } from "./content.js"
import { placeOf } from "./file-range.js"

/** `_sotto/editor`: what the user has open and selected. Absent means as before, null means no more. */
export interface EditorState {
  readonly sessionId: string
  readonly file?: string | null
  readonly selection?: Selection | null
}

/** More than is ever told; the rest of a huge selection need not be kept. */
const MOST_KEPT = 10_000

/** Throws what is wrong with it; paths are as the model is told them. */
export function readEditorState(params: unknown): EditorState {
  const { sessionId, file, selection } = fields(params, "params")
  if (typeof sessionId !== "string") throw new TypeError("sessionId: use the id of a session")
  if (file !== undefined && file !== null && typeof file !== "string")
    throw new TypeError("file: use a path, a file: address or null")
  return {
    sessionId,
    ...(file !== undefined && { file }),
    ...(selection !== undefined && { selection: readSelection(selection) }),
  }
}

export function fileFact(file: string, cwd: string): string {
  return placeOf(file, cwd).path
}

/** Returns undefined where nothing is selected: a cursor alone says nothing. */
export function selectionFact(selection: Selection, cwd: string): Selection | undefined {
  if (selection.text === "") return undefined
  const { file, from, to, text } = selection
  return { file: placeOf(file, cwd).path, from, to, text: text.slice(0, MOST_KEPT) }
}

function readSelection(value: unknown): Selection | null {
  if (value === null) return null
  const { file, from, to, text } = fields(value, "selection")
  if (typeof file !== "string" || typeof text !== "string")
    throw new TypeError("selection: file and text are texts")
  if (!isLine(from) || !isLine(to) || from > to)
    throw new TypeError("selection: from and to are lines, counted from 1")
  return { file, from, to, text }
}

function isLine(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1
}

function fields(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (value === null || typeof value !== "object") throw new TypeError(`${what}: use an object`)
  return value as Readonly<Record<string, unknown>>
}

const MOST_BYTES = 2_000_000

/** Reads a text file. Returns undefined for one that is missing, too large or binary. */
export function textOfFile(path: string): string | undefined {
  try {
    const about = statSync(path)
    if (!about.isFile() || about.size > MOST_BYTES) return undefined
    const text = readFileSync(path, "utf8")
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}

/** Lines, counted from 1; undefined if the file does not have them. */
export function linesOfFile(path: string, from: number, to: number): string | undefined {
  const lines = textOfFile(path)
    ?.split(/\r?\n/)
    .slice(from - 1, to)
  return lines === undefined || lines.length === 0 ? undefined : lines.join("\n")
}
