import { field, jsonIn } from "@sotto/core/dialect"
import type { SourceFormat } from "../call.js"
import { formatOfLine } from "./calls.js"
import { isObject } from "./json.js"
import { isClaudeCodeLine } from "./sessions/claude-code.js"
import { isCodexLine } from "./sessions/codex.js"
import { isGeminiCliDocument, isGeminiCliLine } from "./sessions/gemini-cli.js"
import { isOpencodeMessage } from "./sessions/opencode.js"
import { isPiLine } from "./sessions/pi.js"
import { isSottoLine } from "./sotto.js"

/** How a source is laid out: a line for each thing, a list somewhere in a document, or one document. */
export type SourceLayout =
  | { readonly is: "lines" }
  | { readonly is: "list"; readonly path: readonly string[] }
  | { readonly is: "document" }

export interface Recognised {
  readonly format: SourceFormat
  readonly layout: SourceLayout
}

const LINES: SourceLayout = { is: "lines" }
const DOCUMENT: SourceLayout = { is: "document" }
const list = (...path: readonly string[]): SourceLayout => ({ is: "list", path })

/** Up to this number of damaged or unknown lines at the beginning do not hide what a file is. */
export const TRIED = 50

/**
 * Tells what a text is, by how it begins. Undefined if not enough of it is there to tell, or, where that is all of it,
 * if it is nothing that the lens reads.
 */
export function recognise(beginning: string, isAll: boolean): Recognised | undefined {
  const text = beginning.replace(/^\uFEFF?\s*/, "")
  if (/^\{\s*"log"\s*:\s*\{/.test(text)) return { format: "har", layout: list("log", "entries") }
  if (text.startsWith("[")) return recogniseList(text, isAll)
  const lines = text.split("\n")
  const whole = isAll ? lines : lines.slice(0, -1)
  for (const line of whole.slice(0, TRIED)) {
    const found = recogniseOne(jsonIn(line), LINES)
    if (found !== undefined) return found
  }
  return isAll || whole.length >= TRIED ? recogniseDocument(text, isAll) : undefined
}

function recogniseOne(found: unknown, layout: SourceLayout): Recognised | undefined {
  if (!isObject(found)) return undefined
  if (isSottoLine(found)) return { format: "sotto", layout }
  if (isCodexLine(found)) return { format: "codex", layout }
  if (isOpencodeMessage(found)) return { format: "opencode", layout }
  if (isOpencodeExport(found)) return { format: "opencode", layout: list("messages") }
  if (isGeminiCliDocument(found) || isGeminiCliLine(found)) return { format: "gemini-cli", layout }
  if (isClaudeCodeLine(found)) return { format: "claude-code", layout }
  if (isPiLine(found)) return { format: "pi", layout }
  const format = formatOfLine(found)
  return format && { format, layout }
}

function isOpencodeExport(found: unknown): boolean {
  const messages = field(found, "messages")
  return isObject(field(found, "info")) && Array.isArray(messages) && messages.every(isOpencodeMessage)
}

function recogniseList(text: string, isAll: boolean): Recognised | undefined {
  const first = isAll ? jsonIn(text) : undefined
  if (Array.isArray(first)) return recogniseOne(first[0], list())
  // The first element may be cut off: each end of an object in it might be its end.
  let ends = 0
  for (let end = text.indexOf("}"); end !== -1 && ends < 2_000; end = text.indexOf("}", end + 1), ends++) {
    const found = recogniseOne(jsonIn(text.slice(1, end + 1)), list())
    if (found !== undefined) return found
  }
  return undefined
}

/** Recognises a document over several lines, and a long one by the names at its beginning. */
function recogniseDocument(text: string, isAll: boolean): Recognised | undefined {
  const whole = isAll ? jsonIn(text) : undefined
  if (whole !== undefined) {
    const found = recogniseOne(whole, DOCUMENT)
    return found?.format === "gemini-cli" ? { ...found, layout: list("messages") } : found
  }
  if (/^\{\s*"sessionId"\s*:\s*"[^"]*",\s*"projectHash"/.test(text))
    return { format: "gemini-cli", layout: list("messages") }
  return /^\{\s*"info"\s*:\s*\{/.test(text) ? { format: "opencode", layout: list("messages") } : undefined
}
