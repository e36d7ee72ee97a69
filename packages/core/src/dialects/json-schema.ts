import type { Json } from "../vocabulary/json.js"

type Schema = { readonly [key: string]: Json }

/** Keywords that hold one schema, a list of schemas, and schemas by name. */
const ONE = /^(items|additionalProperties|propertyNames|contains|not|if|then|else)$/
const LIST = /^((any|one|all)Of|prefixItems)$/
const NAMED = /^(properties|patternProperties|\$defs|definitions|dependentSchemas)$/
const TYPE = /^(null|boolean|object|array|number|string|integer)$/

/**
 * True for a JSON Schema whose keywords have the shapes that its own schema (draft 2020-12) demands, at every depth. What
 * the keywords say, and keywords of others, are not looked at.
 */
export function isJsonSchema(schema: unknown): boolean {
  if (typeof schema === "boolean") return true
  return isRecord(schema) && Object.entries(schema).every(([name, value]) => isKeyword(name, value))
}

function isKeyword(name: string, value: unknown): boolean {
  const isList = Array.isArray(value)
  if (ONE.test(name)) return isJsonSchema(value)
  if (LIST.test(name)) return isList && value.every(isJsonSchema)
  if (NAMED.test(name)) return isRecord(value) && Object.values(value).every(isJsonSchema)
  if (name === "type") return (isList ? value : [value]).every((one) => TYPE.test(String(one)))
  if (name === "required") return isList && value.every((one) => typeof one === "string")
  return name !== "enum" || isList
}

/** True for an object that is not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value)
}

/**
 * Makes the schema of a tool as providers take it: one object without a union at its top. The properties of the union's
 * members become properties of the object, which says less than the union did and refuses nothing that it allowed. An
 * invalid JSON Schema becomes an object with any properties. Every other schema is returned as it is.
 */
export function objectSchema(schema: Schema): Schema {
  if (!isJsonSchema({ ...schema, type: "object" })) return { properties: {} }
  const { oneOf = [], anyOf = [], allOf = [], ...rest } = schema
  const members = [oneOf, anyOf, allOf].flat() as Schema[]
  if (!hasUnion(schema)) return schema
  const properties = Object.assign({}, ...[...members, rest].map((one) => one.properties))
  return { ...rest, properties }
}

/** True for a schema with a union at its top, which no provider but Google takes for a tool. */
export function hasUnion(schema: unknown): boolean {
  return isRecord(schema) && ["oneOf", "allOf", "anyOf"].some((name) => name in schema)
}
