import type { Json, ToolDefinition } from "@sotto/core"
import { ToolError } from "../platform/text/errors.js"

type Schema = { readonly [key: string]: Json }

/**
 * Checks the input of a call against the tool's schema. All problems are told at once, to be mended at once. Ours
 * welcome no field that they do not name; a foreign schema that says nothing of the kind does.
 */
export function checkInput(
  { name, inputSchema }: ToolDefinition,
  input: unknown,
  foreign = false,
): Readonly<Record<string, unknown>> {
  const problems = isObject(input)
    ? [...problemsOf(input, inputSchema, "", foreign)]
    : [`the input must be an object with ${fieldNames(inputSchema)}, not ${kindOf(input)}`]
  if (problems.length === 0 && isObject(input)) return input
  throw new ToolError(`${name} was not run: ${problems.join("; ")}. Correct this and call it again.`)
}

function* problemsOf(value: unknown, schema: Schema, path: string, more: boolean): Generator<string> {
  const allowed = schema.enum
  if (Array.isArray(allowed) && !allowed.includes(value as Json))
    return yield `\`${path}\` must be one of ${allowed.join(", ")}, not ${quoted(value)}`
  const wanted = schema.type
  if (typeof wanted !== "string") return
  if (!isOf(wanted, value)) return yield `\`${path}\` must be ${article(wanted)}, not ${quoted(value)}`
  if (wanted === "array" && Array.isArray(value) && isSchema(schema.items))
    for (const [i, item] of value.entries()) yield* problemsOf(item, schema.items, `${path}[${i}]`, more)
  if (wanted === "object" && isObject(value)) yield* fieldProblems(value, schema, path, more)
}

function* fieldProblems(
  value: Readonly<Record<string, unknown>>,
  schema: Schema,
  path: string,
  more: boolean,
): Generator<string> {
  const properties = isSchema(schema.properties) ? schema.properties : undefined
  const required = Array.isArray(schema.required) ? schema.required : []
  const at = (field: string) => (path === "" ? field : `${path}.${field}`)
  for (const field of required)
    if (typeof field === "string" && value[field] === undefined) yield `\`${at(field)}\` is missing`
  for (const [field, inner] of Object.entries(value)) {
    const known = properties && Object.hasOwn(properties, field) ? properties[field] : undefined
    if (known === undefined) {
      if (properties && (schema.additionalProperties ?? more) === false)
        yield `\`${at(field)}\` is not known: use ${fieldNames(schema)}`
    } else if (inner !== undefined && isSchema(known)) yield* problemsOf(inner, known, at(field), more)
  }
}

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case "object":
      return isObject(value)
    case "array":
      return Array.isArray(value)
    case "null":
      return value === null
    case "integer":
      return Number.isSafeInteger(value)
    default:
      return typeof value === type
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isSchema(value: Json | undefined): value is Schema {
  return isObject(value)
}

function fieldNames({ properties }: Schema): string {
  const names = isSchema(properties) ? Object.keys(properties) : []
  return names.length === 0 ? "no fields" : names.map((name) => `\`${name}\``).join(", ")
}

function article(type: string): string {
  return type === "boolean" ? "true or false" : `${/^[aio]/.test(type) ? "an" : "a"} ${type}`
}

function quoted(value: unknown): string {
  const simple = value === null || ["string", "number", "boolean"].includes(typeof value)
  return simple ? JSON.stringify(value).slice(0, 80) : kindOf(value)
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "an array" : value === null ? "null" : article(typeof value)
}
