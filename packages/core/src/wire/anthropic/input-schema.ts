import type { Json } from "../../json.js"
import { field } from "../dialect.js"
import { isJsonSchema, objectSchema, UNIONS } from "../json-schema.js"
import type { Problems } from "../problems.js"

const KEY = "^[a-zA-Z0-9_.-]{1,64}$"

/** Checks what a tool takes: a valid JSON Schema of one object, whose properties have names that the API allows. */
export function checkInputSchema(schema: unknown, path: string, shown: string, problems: Problems): void {
  if (UNIONS.some((name) => field(schema, name) !== undefined))
    problems.add(path, `${shown}: input_schema does not support oneOf, allOf, or anyOf at the top level`)
  if (!isJsonSchema(schema))
    return void problems.add(
      path,
      `${shown}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.`,
    )
  const keys = Object.keys(field(schema, "properties") ?? {})
  if (keys.some((key) => !new RegExp(KEY).test(key)))
    problems.add(`${path}.properties`, `${shown}.properties: Property keys should match pattern '${KEY}'`)
}

/** A schema as the API takes it. Properties whose names it refuses are left out: one of them would refuse every request. */
export function inputSchemaOf(schema: { readonly [key: string]: Json }): { readonly [key: string]: Json } {
  const whole = objectSchema(schema)
  const properties = Object.entries(whole.properties ?? {})
  const allowed = properties.filter(([key]) => new RegExp(KEY).test(key))
  if (allowed.length === properties.length) return whole
  const names = allowed.map(([key]) => key)
  const required = ((whole.required ?? []) as readonly string[]).filter((key) => names.includes(key))
  return { ...whole, properties: Object.fromEntries(allowed), required }
}
