import type { Json } from "@sotto/core"

/** Reads fields of something that came over the network and may be anything. */
export function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value)
}

export function textAt(value: unknown, name: string): string {
  const found = field(value, name)
  return typeof found === "string" ? found : ""
}

export function listAt(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name)
  return Array.isArray(found) ? found : []
}

/** Gives a schema, or one that says nothing. */
export function schemaOf(value: unknown): { readonly [key: string]: Json } {
  return isObject(value) ? (value as { readonly [key: string]: Json }) : {}
}
