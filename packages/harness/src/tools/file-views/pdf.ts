import { basename } from "node:path"
import type { ContentPart } from "@sotto/core"
import { PDFDocument } from "pdf-lib"
import { ToolError } from "../../platform/text/errors.js"
import { startOf } from "../../platform/text/text.js"
import { TooManyPages } from "./too-many-pages.js"

const MOST_UNASKED = 10
const MOST_ASKED = 20
const MOST_TEXT = 50_000

interface Pages {
  readonly from: number
  readonly to: number
}

/** Pages of a PDF as a document, as their text, or as both where it is not known what the model takes. */
export async function readPdf(
  bytes: Uint8Array,
  name: string,
  asked: string | undefined,
  documents: boolean | undefined,
): Promise<readonly ContentPart[]> {
  const source = await PDFDocument.load(bytes, { ignoreEncryption: true, updateMetadata: false }).catch(
    (cause) => {
      throw new ToolError(
        `${name} cannot be opened as a PDF: ${cause instanceof Error ? cause.message : cause}`,
      )
    },
  )
  const total = source.getPageCount()
  const pages = asked === undefined ? allPages(total, name) : pagesOf(asked, total, name)
  const parts: ContentPart[] = [
    { type: "text", text: `${name}: pages ${pages.from}-${pages.to} of ${total}` },
  ]
  if (documents !== true) parts.push({ type: "text", text: await textOf(bytes, pages) })
  if (documents !== false) {
    const whole = pages.from === 1 && pages.to === total
    const data = Buffer.from(whole ? bytes : await split(source, pages)).toString("base64")
    parts.push({ type: "file", mediaType: "application/pdf", data, name: basename(name) })
  }
  return parts
}

function allPages(total: number, name: string): Pages {
  if (total <= MOST_UNASKED) return { from: 1, to: total }
  throw new TooManyPages(
    `${name} has ${total} pages. Say which in \`pages\`, at most ${MOST_ASKED} a call: "1-${Math.min(MOST_ASKED, total)}".`,
    total,
  )
}

function pagesOf(asked: string, total: number, name: string): Pages {
  const [, first, last] = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(asked) ?? []
  if (first === undefined) throw new ToolError(`\`pages\` is "${asked}". Give one range: "3" or "1-5".`)
  const from = Number(first)
  const to = Math.min(Number(last ?? first), total)
  if (from < 1 || from > total || to < from)
    throw new ToolError(`${name} has pages 1-${total}; \`pages\` is "${asked}".`)
  if (to - from + 1 > MOST_ASKED)
    throw new ToolError(
      `"${asked}" is ${to - from + 1} pages; a call shows at most ${MOST_ASKED}: "${from}-${from + MOST_ASKED - 1}".`,
    )
  return { from, to }
}

async function split(source: PDFDocument, { from, to }: Pages): Promise<Uint8Array> {
  const part = await PDFDocument.create()
  const wanted = Array.from({ length: to - from + 1 }, (_, i) => from - 1 + i)
  for (const page of await part.copyPages(source, wanted)) part.addPage(page)
  return part.save()
}

async function textOf(bytes: Uint8Array, { from, to }: Pages): Promise<string> {
  const { getDocument } = await import("unpdf/pdfjs")
  // A copy: the library takes the buffer for itself.
  const loading = getDocument({ data: Uint8Array.from(bytes), verbosity: 0 })
  try {
    const document = await loading.promise
    const texts: string[] = []
    for (let n = from; n <= to; n++) {
      const { items } = await (await document.getPage(n)).getTextContent()
      const words = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("")
      texts.push(`[page ${n}]\n${words.trim() || "[no text: it may be scanned]"}`)
    }
    const text = texts.join("\n\n")
    if (text.length <= MOST_TEXT) return text
    return `${startOf(text, MOST_TEXT)}\n[${text.length - MOST_TEXT} more characters: ask for fewer pages]`
  } catch (cause) {
    return `[The text could not be extracted: ${cause instanceof Error ? cause.message : cause}]`
  } finally {
    await loading.destroy()
  }
}
