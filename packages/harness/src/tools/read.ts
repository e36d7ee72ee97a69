import { basename, extname } from "node:path"
import { type ContentPart, neutralise } from "@sotto/core"
import { type Location, locate } from "../permissions/paths.js"
import { READ } from "./definitions.js"
import { notebookText } from "./notebook.js"
import { numberedLines } from "./numbered-lines.js"
import { accessTo } from "./path-access.js"
import { decode, readBytes } from "./text-file.js"
import { type Output, type Tool, type ToolContext, ToolError } from "./tool.js"

type ReadInput = {
  readonly path: string
  readonly offset?: number
  readonly limit?: number
  readonly pages?: string
}

export interface ReadOptions {
  /** Whether the model takes PDFs as they are, or needs their text. Both are given where nobody says. */
  readonly documents?: () => boolean
}

/** What providers take as one image, before base64 makes it a third larger. */
const LARGEST_IMAGE = 3_700_000

export function readTool(options: ReadOptions = {}): Tool<ReadInput> {
  return {
    definition: READ,
    changes: false,

    async access(input, context) {
      return accessTo("read", await locate(input.path, context.cwd))
    },

    async run(input, context) {
      const place = await locate(input.path, context.cwd)
      const bytes = await readBytes(place)
      const media = mediaTypeOf(bytes)
      if (media === "application/pdf") {
        const { readPdf } = await import("./pdf.js")
        const content = await readPdf(bytes, place.relative, input.pages, options.documents?.())
        context.files.remember(place.path, bytes)
        return { content }
      }
      if (input.pages !== undefined)
        throw new ToolError(`\`pages\` is for PDFs, and ${place.relative} is none. Use offset and limit.`)
      return media === undefined
        ? readText(input, place, bytes, context)
        : readImage(media, place, bytes, context)
    },
  }
}

function readImage(mediaType: string, place: Location, bytes: Uint8Array, context: ToolContext): Output {
  if (bytes.length > LARGEST_IMAGE)
    throw new ToolError(
      `${place.relative} has ${bytes.length} bytes; an image may have ${LARGEST_IMAGE}. Make a smaller copy with bash.`,
    )
  context.files.remember(place.path, bytes)
  const image: ContentPart = {
    type: "image",
    mediaType,
    data: Buffer.from(bytes).toString("base64"),
    name: basename(place.path),
  }
  return {
    content: [{ type: "text", text: `${place.relative}: ${mediaType}, ${bytes.length} bytes` }, image],
  }
}

function readText(input: ReadInput, place: Location, bytes: Uint8Array, context: ToolContext): Output {
  const decoded = decode(bytes)
  if (decoded === undefined)
    throw new ToolError(
      `${place.relative} is binary (${bytes.length} bytes): not shown. Use bash with a fitting program.`,
    )
  const { text, encoding } = decoded
  if (encoding === "utf-8") context.files.remember(place.path, text, neutralise(text).count > 0)
  else context.files.remember(place.path, bytes, neutralise(text).count > 0)

  const cells = extname(place.path) === ".ipynb" ? notebookText(text) : undefined
  const shown = numberedLines(cells ?? text, input, { numbers: cells === undefined })
  const note = encoding === "utf-8" ? "" : `[Decoded from ${encoding}: edit will refuse it.]\n`
  return { content: note + shown }
}

function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1")
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(start)) return "image/gif"
  if (/^RIFF.{4}WEBP/s.test(start)) return "image/webp"
  if (start.startsWith("%PDF-")) return "application/pdf"
  return undefined
}
