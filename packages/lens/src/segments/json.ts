import { field, isMarker, listField, withoutMarkers } from "@sotto/core/dialect"

export function number(value: unknown, name: string): number {
  const found = field(value, name)
  return typeof found === "number" ? found : 0
}

/** True if two values are the same JSON, the order of keys included, cache markers aside. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((one, i) => same(one, b[i]))
  if (Array.isArray(b)) return false
  const left = keys(a)
  const right = keys(b)
  if (left.length !== right.length) return false
  return left.every(
    (key, i) =>
      key === right[i] && same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  )
}

function keys(value: object): readonly string[] {
  const all = Object.keys(value)
  return all.some(isMarker) ? all.filter((key) => !isMarker(key)) : all
}

/** True if a block, or a block inside of it, carries a cache marker. */
export function isMarked(value: unknown): boolean {
  const inner = [...listField(value, "content"), ...listField(value, "output")]
  return [value, ...inner].some((one) =>
    Object.entries(one !== null && typeof one === "object" ? one : {}).some(
      ([name, marker]) => isMarker(name) && Boolean(marker),
    ),
  )
}

/** Writes the JSON of a value without cache markers. */
export function exactJson(value: unknown, marked: boolean): string {
  if (!marked) return JSON.stringify(value) ?? "undefined"
  return withoutMarkers(value)
}

/** Writes the same JSON for values that mean the same: keys sorted, and JSON inside of strings read as well. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? "undefined"
}

function sorted(value: unknown): unknown {
  if (typeof value === "string") return insideOf(value)
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== "object") return value
  const names = [...keys(value)].sort()
  return Object.fromEntries(names.map((key) => [key, sorted((value as Record<string, unknown>)[key])]))
}

/** Arguments of a call, and many results, are JSON written into a string. */
function insideOf(value: string): unknown {
  const first = value.trimStart()[0]
  if (first !== "{" && first !== "[") return value
  try {
    return { json: sorted(JSON.parse(value)) }
  } catch {
    return value
  }
}
