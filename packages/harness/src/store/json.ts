/** Reads a text as JSON; undefined if it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Checks that a text is JSON. */
export function isJson(text: string): boolean {
  return jsonIn(text) !== undefined
}
