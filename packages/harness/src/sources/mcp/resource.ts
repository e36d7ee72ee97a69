import { startOf } from "../../platform/text/text.js"
import { fieldsOf, listIn, type McpFields, textIn } from "./fields.js"

/** Characters of a text that are shown at once. */
export const MOST_SHOWN = 48_000

/** What a resource holds: its text, or, of something binary, what it is and how large. */
export interface Resource {
  readonly text?: string
  readonly mediaType?: string
  readonly bytes?: number
}

export function resourceOf(result: McpFields): Resource {
  const contents = listIn(result, "contents").map(fieldsOf)
  const mediaType = contents.map((one) => textIn(one, "mimeType")).find((one) => one !== undefined)
  const texts = contents.flatMap((one) => textIn(one, "text") ?? [])
  const known = mediaType === undefined ? {} : { mediaType }
  if (texts.length > 0) return { ...known, text: shortened(texts.join("\n")) }
  const bytes = contents.reduce((sum, one) => sum + bytesIn(textIn(one, "blob") ?? ""), 0)
  return bytes === 0 ? { ...known, text: "" } : { ...known, bytes }
}

function shortened(text: string): string {
  if (text.length <= MOST_SHOWN) return text
  const start = startOf(text, MOST_SHOWN)
  return `${start}\n[cut: ${start.length} of ${text.length} characters are shown]`
}

/** Counts the bytes that base64 stands for, without decoding it. */
function bytesIn(base64: string): number {
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4)
}
