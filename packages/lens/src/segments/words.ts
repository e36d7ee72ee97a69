import { field, listField, stringField } from "@sotto/core/dialect"
import type { Slot } from "./segment.js"

/** Lists the texts that a model reads in a segment, block by block. */
export function textsOf({ kind, value }: Pick<Slot, "kind" | "value">): readonly string[] {
  if (kind !== "result") return inner(value)
  // A result stands in a field of its own in each dialect.
  for (const name of ["content", "output", "functionResponse"]) {
    const found = field(value, name)
    if (found !== undefined)
      return name === "functionResponse" ? strings(field(found, "response")) : inner(found)
  }
  return inner(value)
}

export function wordsOf(slot: Pick<Slot, "kind" | "value">): string {
  return textsOf(slot).join("\n")
}

function inner(value: unknown): readonly string[] {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(inner)
  const own = stringField(value, "text") ?? stringField(value, "thinking") ?? stringField(value, "refusal")
  if (own !== undefined) return [own]
  return listField(value, "content").flatMap(inner)
}

/** Finds every string in a value: Gemini's results are objects of any shape. */
function strings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value]
  if (value === null || typeof value !== "object") return []
  return Object.values(value).flatMap(strings)
}

/** True if a value holds an image, a file or a sound, at any depth. */
export function hasMedia(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasMedia)
  if (value === null || typeof value !== "object") return false
  if (isMedia(value)) return true
  return ["content", "output", "response", "parts", "functionResponse"].some((name) =>
    hasMedia(field(value, name)),
  )
}

const MEDIA = new Set(["image", "document", "image_url", "input_image", "input_file", "input_audio", "file"])

export function isMedia(block: unknown): boolean {
  if (MEDIA.has(stringField(block, "type") ?? "")) return true
  return field(block, "inlineData") !== undefined || field(block, "fileData") !== undefined
}
