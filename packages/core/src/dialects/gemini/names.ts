import { NAMES } from "./fields.js"

/** Fields that hold what a client chose: their names are not the API's. */
const OPAQUE = new Set(
  "args response parameters parametersJsonSchema responseSchema responseJsonSchema labels partMetadata".split(
    " ",
  ),
)

/** Fields that are lists. A single value stands for a list of one. */
const LISTS = new Set("contents parts tools functionDeclarations safetySettings stopSequences".split(" "))

/**
 * Gives a body the API's own names in camel case. Google's parser takes "system_instruction" as well as
 * "systemInstruction", and one value where a list is expected.
 */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = NAMES.has(camel(key)) ? camel(key) : key
      if (OPAQUE.has(name)) return [name, inner]
      const listed = LISTS.has(name) && inner !== null && !Array.isArray(inner) ? [inner] : inner
      return [name, canonical(listed)]
    }),
  )
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
