import type { Json } from "@sotto/core"
import { startOf } from "../../platform/text/text.js"

export type Schema = { readonly [key: string]: Json }

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"]
const DEEPEST = 32
const LONGEST = 32_000

/** Takes anything. Providers ask for `properties` even where there are none. */
export const ANY_INPUT: Schema = { type: "object", properties: {} }

/**
 * Says what keeps a provider from taking this as the schema of a tool's input: one that it refuses costs the whole
 * request.
 */
export function schemaProblem(schema: unknown): string | undefined {
  if (!isSchema(schema)) return "it is not an object"
  if (schema.type !== "object") return 'its type is not "object"'
  if (lengthOf(schema) > LONGEST) return `it is longer than ${LONGEST} characters`
  if (depthOf(schema, 0) > DEEPEST) return `it is nested deeper than ${DEEPEST} levels`
  const names = isSchema(schema.properties) ? Object.keys(schema.properties) : []
  const strange = names.find((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
  if (strange !== undefined) return `no provider takes a field called ${JSON.stringify(startOf(strange, 80))}`
  return problemIn(schema, "")
}

/** Removes from a schema what providers refuse at the top of it, where that can be left out. */
export function sendable(schema: Schema): Schema {
  const { anyOf: _, oneOf: __, allOf: ___, $schema: ____, ...rest } = schema
  return { type: "object", properties: {}, ...rest }
}

function problemIn(schema: Json | undefined, at: string): string | undefined {
  if (typeof schema === "boolean") return undefined
  if (!isSchema(schema)) return `\`${at}\` is not a schema`
  const here = (name: string) => (at === "" ? name : `${at}.${name}`)
  const { type, required, enum: values, pattern } = schema
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type]
  if (types.some((one) => typeof one !== "string" || !TYPES.includes(one)))
    return `\`${here("type")}\` is ${startOf(JSON.stringify(type), 80)}`
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((one) => typeof one === "string"))
  )
    return `\`${here("required")}\` is not a list of names`
  if (values !== undefined && !(Array.isArray(values) && values.length > 0))
    return `\`${here("enum")}\` is not a list of values`
  if (pattern !== undefined && !isPattern(pattern))
    return `\`${here("pattern")}\` is not a regular expression`
  for (const name of ["properties", "$defs", "definitions", "patternProperties"]) {
    const inner = schema[name]
    if (inner === undefined) continue
    if (!isSchema(inner)) return `\`${here(name)}\` is not an object`
    for (const [field, one] of Object.entries(inner)) {
      const problem = problemIn(one, here(field))
      if (problem !== undefined) return problem
    }
  }
  for (const name of ["anyOf", "oneOf", "allOf"]) {
    const inner = schema[name]
    if (inner === undefined) continue
    if (!(Array.isArray(inner) && inner.length > 0)) return `\`${here(name)}\` is not a list of schemas`
    const problem = inner.map((one) => problemIn(one, here(name))).find((one) => one !== undefined)
    if (problem !== undefined) return problem
  }
  for (const name of ["items", "additionalProperties", "not", "if", "then", "else", "contains"]) {
    const inner = schema[name]
    const problem = inner === undefined || Array.isArray(inner) ? undefined : problemIn(inner, here(name))
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Writes a schema's fields in short: "query: string, limit?: integer". */
export function signatureOf({ properties, required }: Schema): string {
  const needed = Array.isArray(required) ? required : []
  const fields = isSchema(properties) ? Object.entries(properties) : []
  return fields
    .map(([name, schema]) => `${name}${needed.includes(name) ? "" : "?"}: ${typeWord(schema)}`)
    .join(", ")
}

function typeWord(schema: Json): string {
  if (!isSchema(schema)) return "any"
  const { type, enum: values, items } = schema
  if (Array.isArray(values)) return startOf(values.map((value) => JSON.stringify(value)).join(" | "), 80)
  if (Array.isArray(type)) return type.join(" | ")
  if (type === "array") return `${items === undefined ? "any" : typeWord(items)}[]`
  return typeof type === "string" ? type : "any"
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isPattern(pattern: Json): boolean {
  try {
    return typeof pattern === "string" && new RegExp(pattern, "u") instanceof RegExp
  } catch {
    return false
  }
}

/** Measures a schema. What is nested so deep that it cannot be written counts as endless. */
function lengthOf(schema: Schema): number {
  try {
    return JSON.stringify(schema).length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function depthOf(value: unknown, above: number): number {
  if (typeof value !== "object" || value === null || above > DEEPEST) return above
  return Math.max(above, ...Object.values(value).map((inner) => depthOf(inner, above + 1)))
}
