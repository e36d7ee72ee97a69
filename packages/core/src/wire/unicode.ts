import { LONE_SURROGATE } from "../guard/outside.js"
import type { Problems } from "./problems.js"

/** A body with half of a surrogate pair is no JSON to a provider; `message` is how it says so. */
export function checkUnicode(body: unknown, message: string, problems: Problems): void {
  const path = loneSurrogate(body)
  if (path !== undefined) problems.add(path, message)
}

/** Where a body holds half of a surrogate pair, in a text or in a name; undefined if it holds none. */
function loneSurrogate(body: unknown): string | undefined {
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
