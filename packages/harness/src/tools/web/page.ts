import { ToolError } from "../../platform/text/errors.js"
import { mediaTypeOf } from "../file-views/file-view.js"
import { decode } from "../file-views/text-file.js"
import type { Download } from "./download.js"
import { markdownOf } from "./markdown.js"

/** What a model reads of what was downloaded. */
export interface PageText {
  readonly title: string
  readonly text: string
  /** What it was: "text/html". */
  readonly type: string
  /** True if not all of it is there. */
  readonly isCut: boolean
}

const HTML = /^(text\/html|application\/xhtml\+xml)$/
const TEXT =
  /^(text\/.*|.*\+(json|xml|yaml)|application\/(json|ld\+json|x-ndjson|xml|javascript|ecmascript|x-javascript|typescript|yaml|x-yaml|toml|x-sh|sql|graphql|rtf|x-www-form-urlencoded))$/
const PDF_PAGES = "1-20"
/** A line of this many characters is read as several: pages of text are asked for by lines. */
const LONGEST_LINE = 2_000

/** Makes text of what was downloaded. Throws ToolError for what is no text. */
export async function pageText(found: Download): Promise<PageText> {
  const { bytes, url } = found
  const said = (found.type.split(";")[0] ?? "").trim().toLowerCase()
  const kind = mediaTypeOf(bytes)
  if (kind === "application/pdf") return pdfText(found)
  const isUnsaid = said === "" || said === "application/octet-stream" || said === "binary/octet-stream"
  const text =
    kind === undefined && (isUnsaid || HTML.test(said) || TEXT.test(said)) ? textIn(found, said) : undefined
  if (text === undefined) {
    const type = kind ?? (said === "" ? "binary" : said)
    throw new ToolError(
      `${url.href} is not text: ${type}, ${bytes.length}${found.isCut ? " or more" : ""} bytes. To keep it, download it with bash (curl).`,
    )
  }
  const isHtml = HTML.test(said) || (isUnsaid && /^\s*(<!doctype html|<html)/i.test(text))
  if (!isHtml)
    return { title: "", text: inLines(text), type: isUnsaid ? "text/plain" : said, isCut: found.isCut }
  const page = markdownOf(text, url)
  return {
    title: page.title,
    text: inLines(page.text),
    type: isUnsaid ? "text/html" : said,
    isCut: found.isCut || page.isCut,
  }
}

async function pdfText({ bytes, url, isCut }: Download): Promise<PageText> {
  if (isCut)
    throw new ToolError(
      `${url.href} is a PDF of more than ${bytes.length} bytes. Download it with bash (curl), and read that.`,
    )
  const { readPdf } = await import("../file-views/pdf.js")
  const parts = await readPdf(bytes, url.href, PDF_PAGES, false)
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n")
  return { title: "", text: inLines(text), type: "application/pdf", isCut: false }
}

/** Decodes bytes by what the server says, or the page itself; else by what they can be. Undefined if they are no text. */
function textIn({ bytes, type }: Download, said: string): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 2_048)).toString("latin1")
  const own =
    HTML.test(said) || said === ""
      ? /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(start)?.[1]
      : undefined
  const label = /charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1] ?? own
  if (/^\xfe\xff|^\xff\xfe/.test(start))
    return new TextDecoder(start[0] === "\xfe" ? "utf-16be" : "utf-16le").decode(bytes)
  const decoder = label === undefined ? undefined : decoderFor(label)
  if (decoder !== undefined) {
    const text = decoder.decode(bytes)
    return text.includes("\0") ? undefined : text
  }
  // The last character may be cut in half.
  return decode(bytes)?.text ?? decode(bytes.subarray(0, -3))?.text
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}

function inLines(text: string): string {
  return text
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
    .replace(new RegExp(`[^\\n]{${LONGEST_LINE}}(?=[^\\n])`, "g"), (line) => {
      const last = line.charCodeAt(line.length - 1)
      return last >= 0xd800 && last <= 0xdbff ? `${line.slice(0, -1)}\n${line.slice(-1)}` : `${line}\n`
    })
}
