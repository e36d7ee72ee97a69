import type { Json } from "../json.js"
import { field } from "./dialect.js"

const TYPES = "null boolean object array number string integer".split(" ")

/** Keywords that hold one schema, a list of schemas, and schemas by name. */
const ONE = "items additionalProperties propertyNames contains not if then else".split(" ")
const LISTS = "anyOf oneOf allOf prefixItems".split(" ")
const NAMED = "properties patternProperties $defs definitions dependentSchemas".split(" ")

/**
 * True for a JSON Schema whose keywords have the shapes that its own schema (draft 2020-12) demands, at every depth. What
 * the keywords say, and keywords of others, are not looked at.
 */
export function isJsonSchema(schema: unknown): boolean {
  const open: unknown[] = [schema]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === "boolean") continue
    if (!isRecord(next) || !hasShape(next)) return false
    for (const name of ONE) if (name in next) open.push(next[name] ?? null)
    for (const name of LISTS) if (name in next) open.push(...(next[name] as unknown[]))
    for (const name of NAMED)
      if (name in next) open.push(...Object.values(next[name] as Record<string, unknown>))
  }
  return true
}

function hasShape(schema: Readonly<Record<string, unknown>>): boolean {
  const { type, required, enum: values } = schema
  const isType = (one: unknown) => typeof one === "string" && TYPES.includes(one)
  return (
    (type === undefined || isType(type) || (Array.isArray(type) && type.length > 0 && type.every(isType))) &&
    (required === undefined ||
      (Array.isArray(required) && required.every((one) => typeof one === "string"))) &&
    (values === undefined || Array.isArray(values)) &&
    LISTS.every((name) => !(name in schema) || Array.isArray(field(schema, name))) &&
    NAMED.every((name) => !(name in schema) || isRecord(field(schema, name)))
  )
}

/** True for an object that is no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value)
}

/** Keywords that no provider but Google takes at the top of what a tool takes. */
export const UNIONS: readonly string[] = ["oneOf", "allOf", "anyOf"]

type Schema = { readonly [key: string]: Json }

/**
 * The schema of a tool as providers take it: one object without a union at its top. The properties of the union's members
 * become properties of the object, which says less than the union did and refuses nothing that it allowed. What is no JSON
 * Schema at all stands for an object with any properties. Every other schema is returned as it is.
 */
export function objectSchema(schema: Schema): Schema {
  if (!isJsonSchema({ ...schema, type: "object" })) return { type: "object", properties: {} }
  if (!UNIONS.some((name) => name in schema)) return schema
  const { oneOf, anyOf, allOf, ...rest } = schema
  const members = (list: Json | undefined) => (Array.isArray(list) ? list.filter(isRecord) : []) as Schema[]
  const merged = [...members(oneOf), ...members(anyOf), ...members(allOf), rest]
  const properties = Object.assign({}, ...merged.map((one) => one.properties ?? {})) as Schema
  // Only what every member of the union demands is demanded still.
  const required = [...new Set([rest, ...members(allOf)].flatMap((one) => (one.required ?? []) as string[]))]
  return { ...rest, properties, ...(required.length > 0 && { required }) }
}
