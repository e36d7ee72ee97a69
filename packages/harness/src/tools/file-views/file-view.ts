import type { Stats } from "node:fs"
import { basename, extname } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { type ContentPart, neutralise } from "@sotto/core"
import { ToolError } from "../../platform/text/errors.js"
import { startOf } from "../../platform/text/text.js"
import type { Location } from "../../platform/workspace/location.js"
import { BOM, decode, type ReadFile, readWhole } from "./text-file.js"

const MOST_LINES = 2000
const MOST_BYTES = 50_000
const LONGEST_LINE = 2000

interface Range {
  readonly offset?: number
  readonly limit?: number
}

/** Shows lines of a text, as many as fit, and a note of what is left out and how to get it. */
export function pagedLines(text: string, range: Range): string {
  return linesIn(text, range, { numbers: false })
}

/** Shows lines as `pagedLines` does, each after its number if that is wanted. */
function linesIn(text: string, { offset = 1, limit }: Range, { numbers }: { numbers: boolean }): string {
  if (offset < 1) throw new ToolError("`offset` counts lines from 1.")
  if (limit !== undefined && limit < 1) throw new ToolError("`limit` must be at least 1.")
  const { lines, total } = linesOf(text, offset, Math.min(limit ?? MOST_LINES, MOST_LINES))
  if (total === 0) return "[The file is empty.]"
  if (offset > total) throw new ToolError(`\`offset\` is ${offset}, but there are only ${total} lines.`)

  const shown: string[] = []
  let cut = false
  let bytes = 0
  for (const line of lines) {
    const short = line.length > LONGEST_LINE ? shortened(line) : line
    const numberedLine = numbers ? `${offset + shown.length}\t${short}` : short
    bytes += Buffer.byteLength(numberedLine) + 1
    if (bytes > MOST_BYTES && shown.length > 0) break
    cut ||= short !== line
    shown.push(numberedLine)
  }

  const last = offset - 1 + shown.length
  const notes: string[] = []
  if (offset > 1 || last < total) notes.push(`Lines ${offset}-${last} of ${total}.`)
  if (last < total) notes.push(`Go on with offset ${last + 1}.`)
  if (cut) notes.push("Long lines are cut: see all of one with bash (sed, cut).")
  return notes.length === 0 ? shown.join("\n") : `${shown.join("\n")}\n[${notes.join(" ")}]`
}

function shortened(line: string): string {
  return `${startOf(line, LONGEST_LINE)}… [${line.length - LONGEST_LINE} more characters]`
}

/**
 * Cuts out up to `most` lines from `first` on, and counts all. A file may have millions: only those that are wanted are
 * made.
 */
function linesOf(
  text: string,
  first: number,
  most: number,
): { readonly lines: readonly string[]; readonly total: number } {
  const lines: string[] = []
  let total = 0
  for (let from = text.startsWith(BOM) ? 1 : 0; from < text.length; ) {
    const found = text.indexOf("\n", from)
    const end = found < 0 ? text.length : found
    total++
    if (total >= first && lines.length < most)
      lines.push(text.slice(from, found >= 0 && text[end - 1] === "\r" && end > from ? end - 1 : end))
    from = end + 1
  }
  return { lines, total }
}

const LONGEST_OUTPUT = 4000

/** Writes a notebook's cells with their outputs; undefined for any other file, so that it is shown as it stands. */
function notebookText(source: string): string | undefined {
  let notebook: unknown
  try {
    notebook = JSON.parse(source)
  } catch {
    return undefined
  }
  const cells = field(notebook, "cells")
  return Array.isArray(cells) ? cells.map(cellText).join("\n\n") : undefined
}

function cellText(cell: unknown, index: number): string {
  const kind = String(field(cell, "cell_type") ?? "raw")
  const id = field(cell, "id")
  const head = `# Cell ${index + 1} (${kind}${typeof id === "string" ? `, id ${id}` : ""})`
  const outputs = field(cell, "outputs")
  const shown = Array.isArray(outputs) ? outputs.map(outputText).filter((text) => text !== "") : []
  return [head, joined(field(cell, "source")), ...shown.map((text) => `# Output\n${text}`)].join("\n")
}

function outputText(output: unknown): string {
  const kind = field(output, "output_type")
  if (kind === "stream") return capped(joined(field(output, "text")))
  if (kind === "error") {
    const trace = field(output, "traceback")
    const lines = Array.isArray(trace) ? trace.join("\n") : ""
    return capped(`${field(output, "ename")}: ${field(output, "evalue")}\n${stripVTControlCharacters(lines)}`)
  }
  const data = field(output, "data")
  const text = field(data, "text/plain")
  const others =
    data && typeof data === "object" ? Object.keys(data).filter((type) => type !== "text/plain") : []
  const notes = others.map((type) => `[${type} is not shown]`)
  return [...(text === undefined ? [] : [capped(joined(text))]), ...notes].join("\n")
}

function capped(text: string): string {
  if (text.length <= LONGEST_OUTPUT) return text.trimEnd()
  return `${startOf(text, LONGEST_OUTPUT)}\n[${text.length - LONGEST_OUTPUT} more characters of this output are not shown]`
}

/** Notebooks keep a text as one string or as its lines. */
function joined(text: unknown): string {
  return Array.isArray(text) ? text.join("") : typeof text === "string" ? text : ""
}

function field(value: unknown, name: string): unknown {
  return value !== null && typeof value === "object" ? Reflect.get(value, name) : undefined
}

interface ReadRange extends Range {
  readonly pages?: string
}

/** A file as the model is shown it, and what it has then seen of it. */
export interface FileView {
  readonly content: string | readonly ContentPart[]
  readonly seen: {
    readonly content: string | Uint8Array
    readonly neutralised: boolean
    /** From before it was read. */
    readonly stat: Stats
  }
}

/** What providers take as one image, before base64 makes it a third larger. */
export const LARGEST_IMAGE = 3_700_000

/** Characters of a file that a model may write back as it has read it. */
const MOST_WRITTEN_BACK = 2_000_000

/**
 * Reads a file of any kind. `documents`: whether the model takes PDFs as they are; both forms where that is not known.
 */
export async function readPlace(place: Location, range: ReadRange, documents?: boolean): Promise<FileView> {
  const file = await readWhole(place)
  const { bytes, stat } = file
  const media = mediaTypeOf(bytes)
  const whole = { content: bytes, neutralised: false, stat }
  if (media === "application/pdf") {
    const { readPdf } = await import("./pdf.js")
    return { content: await readPdf(bytes, place.relative, range.pages, documents), seen: whole }
  }
  if (range.pages !== undefined)
    throw new ToolError(`\`pages\` is for PDFs, and ${place.relative} is none. Use offset and limit.`)
  return media === undefined
    ? readText(place, file, range)
    : { content: readImage(media, place, bytes), seen: whole }
}

function readImage(mediaType: string, place: Location, bytes: Uint8Array): readonly ContentPart[] {
  if (bytes.length > LARGEST_IMAGE)
    throw new ToolError(
      `${place.relative} has ${bytes.length} bytes; an image may have ${LARGEST_IMAGE}. Make a smaller copy with bash.`,
    )
  const image: ContentPart = {
    type: "image",
    mediaType,
    data: Buffer.from(bytes).toString("base64"),
    name: basename(place.path),
  }
  return [{ type: "text", text: `${place.relative}: ${mediaType}, ${bytes.length} bytes` }, image]
}

function readText(place: Location, { bytes, stat }: ReadFile, range: ReadRange): FileView {
  const decoded = decode(bytes)
  if (decoded === undefined)
    throw new ToolError(
      `${place.relative} is binary (${bytes.length} bytes): not shown. Use bash with a fitting program.`,
    )
  const { text, encoding } = decoded
  const cells = extname(place.path) === ".ipynb" ? notebookText(text) : undefined
  const shown = linesIn(cells ?? text, range, { numbers: cells === undefined })
  const note = encoding === "utf-8" ? "" : `[Decoded from ${encoding}: edit will refuse it.]\n`
  const content = encoding === "utf-8" ? text : bytes
  // The model does not write a larger file back as a whole: there it is enough what was shown.
  const altered = neutralise(text.length > MOST_WRITTEN_BACK ? shown : text).count > 0
  return { content: note + shown, seen: { content, neutralised: altered, stat } }
}

export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1")
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(start)) return "image/gif"
  if (/^RIFF.{4}WEBP/s.test(start)) return "image/webp"
  if (start.startsWith("%PDF-")) return "application/pdf"
  return undefined
}
