import { field, listField, stringField } from "../vocabulary/fields.js"
import type { AssistantPart, ContentPart, ToolResultPart } from "../vocabulary/message.js"
import { kindOf, listIn, mediaAt, mediaPart, textIn } from "./content.js"
import { type Imported, type ImportOptions, Transcript, textPart } from "./transcript.js"

/**
 * Contents of Gemini's generateContent: the list, or a whole body with `contents`. Calls without ids, which is usual here,
 * get one, and their responses find them by name and order. Never throws: what could not be taken is in `skipped`.
 *
 * @example
 * ```ts
 * session.importMessages(fromGemini(chat.getHistory()).messages)
 * ```
 */
export function fromGemini(contents: unknown, options?: ImportOptions): Imported {
  const into = new Transcript(options)
  listIn(contents, into, "contents", "history").forEach((content, i) => {
    addContent(content, into.begin(i), into)
  })
  return into.finish()
}

function addContent(content: unknown, at: string, into: Transcript): void {
  const parts = listField(content, "parts")
  switch (stringField(content, "role") ?? "user") {
    case "model":
      into.add("assistant", modelParts(parts, at, into), undefined)
      return
    case "user":
    case "function":
    case "tool":
      addUser(parts, at, into)
      return
    case "system":
      if (into.isAtFirst) into.skip(at, "the system prompt: it belongs in the agent's `prompt`")
      else into.add("user", textPart(textIn(parts), true), undefined)
      return
    default:
      into.skip(at, `not a content: ${kindOf(content)}`)
  }
}

function addUser(parts: readonly unknown[], at: string, into: Transcript): void {
  const results: ToolResultPart[] = []
  const said: ContentPart[] = []
  parts.forEach((part, i) => {
    const here = `${at}.parts.${i}`
    const response = either(part, "functionResponse", "function_response")
    if (response === undefined) said.push(...contentOf(part, here, into))
    else results.push(resultOf(response, here, into))
  })
  into.add("user", [...results, ...said], undefined)
}

function resultOf(response: unknown, at: string, into: Transcript): ToolResultPart {
  const given = field(response, "response")
  const failed = field(given, "error")
  const said = failed ?? field(given, "output") ?? field(given, "result") ?? given
  const text = typeof said === "string" ? said : (JSON.stringify(said) ?? "")
  const isError = failed !== undefined && failed !== null
  return into.result(field(response, "id"), field(response, "name"), into.text(text, true), isError, at)
}

function contentOf(part: unknown, at: string, into: Transcript): readonly ContentPart[] {
  const text = typeof part === "string" ? part : field(part, "text")
  if (typeof text === "string") return into.text(text)
  const inline = either(part, "inlineData", "inline_data")
  const name = either(inline, "displayName", "display_name")
  if (inline !== undefined)
    return mediaPart(
      { mediaType: either(inline, "mimeType", "mime_type"), data: field(inline, "data"), name },
      into,
      at,
    )
  const file = either(part, "fileData", "file_data")
  if (file !== undefined) return mediaAt(either(file, "fileUri", "file_uri"), into, at)
  into.skip(
    at,
    `a part of a kind that is not known here: ${Object.keys(Object(part)).join(", ") || kindOf(part)}`,
  )
  return []
}

function modelParts(parts: readonly unknown[], at: string, into: Transcript): readonly AssistantPart[] {
  return parts.flatMap((part, i): readonly AssistantPart[] => {
    const call = either(part, "functionCall", "function_call")
    if (call !== undefined) return [into.call(field(call, "id"), field(call, "name"), field(call, "args"))]
    const text = stringField(part, "text")
    if (text === undefined) {
      const names = Object.keys(Object(part)).join(", ")
      into.skip(`${at}.parts.${i}`, `a part of a kind that is not known here: ${names || kindOf(part)}`)
      return []
    }
    if (field(part, "thought") === true) return [{ type: "reasoning", text }]
    return text.trim() === "" ? [] : [{ type: "text", text }]
  })
}

/** Reads a field in the REST API's own spelling, or in that of its Python SDK. */
function either(value: unknown, name: string, other: string): unknown {
  return field(value, name) ?? field(value, other) ?? undefined
}
