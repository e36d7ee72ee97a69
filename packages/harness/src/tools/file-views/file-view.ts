import type { Stats } from "node:fs"
import { basename, extname } from "node:path"
import { type ContentPart, neutralise } from "@sotto/core"
import { ToolError } from "../../platform/text/errors.js"
import type { Location } from "../../platform/workspace/location.js"
import { notebookText } from "./notebook.js"
import { numberedLines, type Range } from "./numbered-lines.js"
import { decode, type ReadFile, readWhole } from "./text-file.js"

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

/** Reads a file of any kind. `documents`: whether the model takes PDFs as they are; both forms where nobody knows. */
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
  const shown = numberedLines(cells ?? text, range, { numbers: cells === undefined })
  const note = encoding === "utf-8" ? "" : `[Decoded from ${encoding}: edit will refuse it.]\n`
  const content = encoding === "utf-8" ? text : bytes
  // Nobody writes a larger file back as a whole: there it is enough what was shown.
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
