import type { Json } from "@sotto/core"
import { isObject } from "../json.js"

type Schema = { readonly [key: string]: Json }

/** Values for properties of these names, where the schema has them. */
export type Wishes = Readonly<Record<string, Json>>

/** Makes an input that the schema accepts: what is required, and what was wished for if it fits. */
export function sampleInput(schema: Schema, wishes: Wishes): { readonly [key: string]: Json } {
  const properties = isObject(schema.properties)
    ? (schema.properties as Readonly<Record<string, Schema>>)
    : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) => {
      const wish = wishes[name]
      if (wish !== undefined && accepts(property, wish)) return [[name, wish]]
      return required.includes(name) ? [[name, sample(property)]] : []
    }),
  )
}

/** Makes JSON that the schema accepts; without one, it says who speaks. */
export function sampleJson(schema: Schema): string {
  return JSON.stringify(typeOf(schema) === undefined ? { rehearsal: true } : sample(resolved(schema, schema)))
}

const MOST_REFERENCES = 50

/**
 * Puts the definitions of a schema in place. Follows at most `MOST_REFERENCES` references, since a schema may be
 * recursive.
 */
function resolved(schema: Schema, root: Schema): Schema {
  let followed = 0
  const text = JSON.stringify(schema, (key, value: Json) => {
    const name = isObject(value) && /^#\/(\$defs|definitions)\/(.+)$/.exec(String(value.$ref))
    if (!name) return key === "$defs" || key === "definitions" ? undefined : value
    const defined = root[name[1] ?? ""]
    if (followed++ >= MOST_REFERENCES) return {}
    return (isObject(defined) ? (defined[name[2] ?? ""] as Json) : undefined) ?? {}
  })
  return JSON.parse(text) as Schema
}

function sample(schema: Schema): Json {
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null
  if (schema.default !== undefined) return schema.default
  const [option] = [schema.anyOf, schema.oneOf].flatMap((options) => (Array.isArray(options) ? options : []))
  if (isObject(option)) return sample(option as Schema)
  switch (typeOf(schema)) {
    case "object":
      return sampleInput(schema, {})
    case "array":
      return Array.from({ length: Number(schema.minItems ?? 0) }, () =>
        sample((schema.items ?? {}) as Schema),
      )
    case "integer":
    case "number":
      return Number(schema.minimum ?? 1)
    case "boolean":
      return false
    case "null":
      return null
    default:
      return "rehearsal".padEnd(Number(schema.minLength ?? 0), ".")
  }
}

/** Checks a wish, deep enough for the wishes there are: kind, choice, and the fields of listed objects. */
function accepts(schema: Schema, value: Json): boolean {
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return false
  const type = typeOf(schema)
  if (Array.isArray(value))
    return (
      (type === "array" || type === undefined) &&
      value.every((one) => accepts((schema.items ?? {}) as Schema, one))
    )
  if (!isObject(value)) return type === undefined || type === typeof value
  const properties = isObject(schema.properties)
    ? (schema.properties as Readonly<Record<string, Schema>>)
    : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  return (
    (type === "object" || type === undefined) &&
    required.every((name) => typeof name === "string" && value[name] !== undefined) &&
    Object.entries(properties).every(
      ([name, inner]) => value[name] === undefined || accepts(inner, value[name] as Json),
    )
  )
}

/** Gives the type in lower case: Gemini's schemas write types in capitals. */
function typeOf(schema: Schema): string | undefined {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (typeof type === "string") return type.toLowerCase()
  return schema.properties === undefined ? undefined : "object"
}
