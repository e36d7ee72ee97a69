/** Who wrote a reply, as the provider says. */
export interface Answerer {
  readonly model?: string
  /** The provider's id of the reply. */
  readonly id?: string
}

/**
 * Reads who answers from the data of an event, or from a whole answer. Anthropic and OpenAI put it into an object of its
 * own at the beginning of a stream, Chat Completions and Gemini into every event. Undefined if this one says nothing.
 */
export function answererIn(text: string): Answerer | undefined {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    return undefined
  }
  const found = [data, fieldOf(data, "message"), fieldOf(data, "response")].find(
    (one) => typeof (fieldOf(one, "model") ?? fieldOf(one, "modelVersion")) === "string",
  )
  const model = fieldOf(found, "model") ?? fieldOf(found, "modelVersion")
  const id = fieldOf(found, "id") ?? fieldOf(found, "responseId")
  if (typeof model !== "string") return undefined
  return { model, ...(typeof id === "string" && { id }) }
}

function fieldOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === "object" && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined
}
