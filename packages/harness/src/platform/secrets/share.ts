import { isSecretField } from "./patterns.js"
import { redact } from "./redact.js"

/** One secret has one name in the whole copy, so that a reader sees where the same one was used. */
class Names {
  readonly #names = new Map<string, string>()

  readonly of = (secret: string): string => {
    const known = this.#names.get(secret)
    if (known !== undefined) return known
    const name = `[redacted-${this.#names.size + 1}]`
    this.#names.set(secret, name)
    return name
  }
}

/**
 * Lines of JSON with the same structure and without secrets: in every text and every field name, however deep. What is
 * not text to read (the data of an image or a file, ids, signatures) stays, so that the copy can be imported and restored.
 */
export function redactedLines(lines: Iterable<string>, known: readonly string[]): readonly string[] {
  const names = new Names()
  const hide = (text: string) => redact(text, known, names.of)
  return Array.from(lines, (line) => JSON.stringify(redactedValue(JSON.parse(line), hide, names)))
}

type Hide = (text: string) => string

function redactedValue(value: unknown, hide: Hide, names: Names): unknown {
  if (typeof value === "string") return hide(value)
  if (Array.isArray(value)) return value.map((one) => redactedValue(one, hide, names))
  if (value === null || typeof value !== "object") return value
  const isData = "mediaType" in value && "data" in value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (isData && key === "data") return [key, inner]
      const shown = redactedValue(inner, hide, names)
      const isSecret = shown === inner && typeof inner === "string" && isSecretField(key, inner)
      return [hide(key), isSecret ? names.of(inner) : shown]
    }),
  )
}
