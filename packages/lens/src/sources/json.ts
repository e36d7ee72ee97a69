import { field } from "@sotto/core/dialect"

/** Reads fields of what was found in a file and may be anything. */

export type SourceFields = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is SourceFields {
  return value !== null && typeof value === "object" && !Array.isArray(value)
}

export function numberOf(value: unknown, name: string): number | undefined {
  const found = field(value, name)
  return typeof found === "number" ? found : undefined
}

/** Milliseconds since 1970, from a date as text, or from a number of seconds or milliseconds. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === "number") return value > 1e11 ? value : value * 1_000
  if (typeof value !== "string") return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : at
}
