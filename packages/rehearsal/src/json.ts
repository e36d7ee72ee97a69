import type { Json } from "@sotto/core"
import { field } from "@sotto/core/dialect"

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value)
}

export function textAt(value: unknown, name: string): string {
  const found = field(value, name)
  return typeof found === "string" ? found : ""
}

/** Gives a schema, or one that says nothing. */
export function schemaOf(value: unknown): { readonly [key: string]: Json } {
  return isObject(value) ? (value as { readonly [key: string]: Json }) : {}
}
