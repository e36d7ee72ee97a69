import { field } from "../../vocabulary/fields.js"
import type { Json } from "../../vocabulary/json.js"
import { hasUnion, isJsonSchema, objectSchema } from "../json-schema.js"
import type { Problems } from "../problems.js"

const KEY = /^[a-zA-Z0-9_.-]{1,64}$/

/** Checks what a tool takes: a valid JSON Schema of one object, whose properties have names that the API allows. */
export function checkInputSchema(schema: unknown, path: string, shown: string, problems: Problems): void {
  if (hasUnion(schema))
    problems.add(path, `${shown}: input_schema does not support oneOf, allOf, or anyOf at the top level`)
  if (!isJsonSchema(schema))
    return void problems.add(
      path,
      `${shown}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.`,
    )
  const keys = Object.keys(field(schema, "properties") ?? {})
  if (keys.some((key) => !KEY.test(key)))
    problems.add(
      `${path}.properties`,
      `${shown}.properties: Property keys should match pattern '${KEY.source}'`,
    )
}

/**
 * Makes a schema that the API takes. Leaves out properties whose names it refuses: one of them would refuse every
 * request.
 */
export function inputSchemaOf(schema: { readonly [key: string]: Json }): { readonly [key: string]: Json } {
  const whole = objectSchema(schema)
  const { properties, required } = whole
  const refused = Object.keys(properties ?? {}).filter((key) => !KEY.test(key))
  if (refused.length === 0) return whole
  const isTaken = (key: Json) => !refused.includes(key as string)
  return {
    ...whole,
    properties: Object.fromEntries(Object.entries(properties ?? {}).filter(([key]) => isTaken(key))),
    ...(Array.isArray(required) && { required: required.filter(isTaken) }),
  }
}
