import { SottoError } from "./errors.js"

/** Plain data: what survives being written to a log and read back. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A deep copy that is safe to log; `where` names the input in the error when it is not plain JSON. */
export function copyJson<T>(value: T, where: string): T {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (cause) {
    throw notJson(where, cause instanceof Error ? cause.message : String(cause))
  }
  if (text === undefined) throw notJson(where, `it is ${typeof value}`)
  return JSON.parse(text)
}

/** Like `copyJson`, with the keys of every object sorted, so that equal values have equal text. */
export function canonicalJson(value: unknown, where: string): Json {
  if (typeof value === "string") return value
  return sortKeys(copyJson(value, where) as Json)
}

/** Whether two pieces of plain data read the same; the order of keys counts. */
export function sameJson<T>(a: T, b: T): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== "object") return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]))
}

function notJson(where: string, why: string): SottoError {
  return new SottoError(
    "not-json",
    `${where} cannot be logged: ${why}.`,
    "Pass plain JSON data: strings, numbers, booleans, null, arrays and objects.",
  )
}
