const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Where a body holds half of a surrogate pair, in a text or in a name; undefined if it holds none. */
export function loneSurrogate(body: unknown): string | undefined {
  const open: { readonly value: unknown; readonly path: string }[] = [{ value: body, path: "" }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next
    if (typeof value === "string" && LONE_SURROGATE.test(value)) return path
    if (value === null || typeof value !== "object") continue
    for (const [name, inner] of Object.entries(value)) {
      const at = path === "" ? name : `${path}.${name}`
      if (LONE_SURROGATE.test(name)) return at
      open.push({ value: inner, path: at })
    }
  }
  return undefined
}

/**
 * JSON text without halves of surrogate pairs: providers refuse the whole request over one, and every later one with it.
 * `JSON.stringify` writes a half as an escape and a whole pair as it is, so that each escape of this kind is a half.
 */
export function wellFormedJson(json: string): string {
  if (!json.includes("\\ud")) return json
  return json.replace(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (escaped) =>
    escaped.startsWith("\\ud") ? "\ufffd" : escaped,
  )
}
