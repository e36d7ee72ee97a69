import { createReadStream } from "node:fs"
import { open, stat } from "node:fs/promises"
import type { KnownSignal, MediaPart } from "@sotto/core"
import { ToolError } from "../../platform/text/errors.js"
import { startOf, textOf } from "../../platform/text/text.js"
import type { Location } from "../../platform/workspace/location.js"
import { type FileView, LARGEST_IMAGE, mediaTypeOf, readPlace } from "../../tools/file-views/file-view.js"
import { TooManyPages } from "../../tools/file-views/too-many-pages.js"
import type { SourceContext } from "../source.js"
import type { LineRange } from "./target.js"

const MOST_LINES = 2_000
const MOST_BYTES = 50_000
const LONGEST_LINE = 2_000
/** Of what comes before the first line that is wanted. */
const MOST_SKIPPED = 64_000_000

/** Lines of a file that is too long to be read whole, with their numbers; undefined if it is binary. */
async function longFileLines(
  path: string,
  from: number,
  count: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const shown: string[] = []
  const last = from + Math.min(count, MOST_LINES) - 1
  let number = 1
  let line = ""
  let bytes = 0
  let scanned = 0
  const take = () => {
    if (number >= from) {
      const cut = line.length > LONGEST_LINE ? `${startOf(line, LONGEST_LINE)}…` : line
      const numbered = `${number}\t${cut.replace(/\r$/, "")}`
      bytes += Buffer.byteLength(numbered) + 1
      shown.push(numbered)
    }
    line = ""
    number++
  }
  const decoder = new TextDecoder()
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 256 * 1024 })) {
    if (scanned === 0 && (chunk as Buffer).includes(0)) return undefined
    scanned += (chunk as Buffer).length
    const [head = "", ...rest] = decoder.decode(chunk as Buffer, { stream: true }).split("\n")
    // Of a line without an end only the start is kept.
    if (line.length <= LONGEST_LINE) line += head
    for (const next of rest) {
      take()
      line = next
      if (number > last || bytes > MOST_BYTES) return shown.join("\n")
    }
    if (scanned > (shown.length > 0 || from === 1 ? MOST_BYTES : MOST_SKIPPED)) break
  }
  if (number <= last && line !== "") take()
  return shown.join("\n")
}

/** A longer file is not read whole, unless it is a PDF. */
const LONG = 1_000_000
const LARGEST_PDF = 20_000_000

/** Bytes of images and documents that one message may have. */
export const MOST_MEDIA = 12_000_000

/** What is left of what one message may have shown with it, in bytes: of text, and of images and documents. */
export class Room {
  #text = 200_000
  #media = MOST_MEDIA

  /** Takes it if it fits, and returns true then. */
  take(text: string, media: readonly MediaPart[]): boolean {
    const [words, pictures] = [
      Buffer.byteLength(text),
      media.reduce((sum, { data }) => sum + (data.length * 3) / 4, 0),
    ]
    if (words > this.#text || pictures > this.#media) return false
    this.#text -= words
    this.#media -= pictures
    return true
  }
}

/** Shows a mentioned file as a signal, as `read` shows it; what cannot be shown, by a note. */
export async function showFile(
  place: Location,
  lines: LineRange | undefined,
  room: Room,
  { files, session }: Pick<SourceContext, "files" | "session">,
  abort: AbortSignal,
): Promise<KnownSignal<"mention.file" | "mention.pdf">> {
  const path = place.relative
  const about = { type: "mention.file" as const, path, ...(lines && { lines }) }
  const range = lines ? { offset: lines.from, limit: lines.to - lines.from + 1 } : {}
  try {
    const reading = (await readPart(place, lines, abort)) ?? (await readPlace(place, range))
    const { text, media } = taken(parted(reading.content), session.capabilities.documents)
    if (!room.take(text, media))
      return { ...about, content: "[Not shown: the message mentions more than fits. Read it.]" }
    if (reading.seen) files.remember(place.path, reading.seen.content, reading.seen.neutralised)
    return { ...about, content: text, ...(media.length > 0 && { media }) }
  } catch (error) {
    if (error instanceof TooManyPages) return { type: "mention.pdf", path, pages: error.pages }
    if (error instanceof ToolError) return { ...about, content: `[${error.message}]` }
    throw error
  }
}

/**
 * Sends a PDF up once: as a document, with the line that says what it is, to a model that takes documents; else as
 * text.
 */
function taken({ text, media }: Parted, documents: boolean): Parted {
  if (!media.some(({ type }) => type === "file") || text === "") return { text, media }
  if (documents) return { text: text.split("\n", 1).join(), media }
  return { text, media: media.filter(({ type }) => type !== "file") }
}

type Part = Pick<FileView, "content"> & Partial<Pick<FileView, "seen">>

/** Reads of a file that is too long to be read whole what is asked for, or its start. Undefined of any other file. */
async function readPart(
  place: Location,
  lines: LineRange | undefined,
  abort: AbortSignal,
): Promise<Part | undefined> {
  const { size } = await stat(place.path)
  if (size <= LONG) return undefined
  const media = await mediaTypeAt(place.path)
  if (media === "application/pdf") {
    if (size <= LARGEST_PDF) return undefined
    throw new ToolError(`${place.relative} is a PDF of ${size} bytes. Read it by \`pages\`.`)
  }
  if (media !== undefined && size <= LARGEST_IMAGE) return undefined
  const { from, to } = lines ?? { from: 1, to: Number.MAX_SAFE_INTEGER }
  const shown = media ? undefined : await longFileLines(place.path, from, to - from + 1, abort)
  if (shown === undefined)
    throw new ToolError(
      `${place.relative} is binary (${size} bytes): not shown. Use bash with a fitting program.`,
    )
  const note = `[The file has ${size} bytes, of which only this is shown. Read it before you edit it; grep finds the rest.]`
  return { content: shown === "" ? note : `${shown}\n${note}` }
}

async function mediaTypeAt(path: string): Promise<string | undefined> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(12), 0, 12, 0)
    return mediaTypeOf(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

interface Parted {
  readonly text: string
  readonly media: readonly MediaPart[]
}

function parted(content: FileView["content"]): Parted {
  if (typeof content === "string") return { text: content, media: [] }
  return {
    text: textOf(content),
    media: content.flatMap((part) => (part.type === "text" ? [] : [part])),
  }
}
