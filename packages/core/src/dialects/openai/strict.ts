import { field, listField, stringField } from "../../vocabulary/fields.js"
import { isRecord } from "../json-schema.js"
import type { Problems } from "../problems.js"

/** What OpenAI's own models refuse at the top of a function's schema. Compatible servers may take it. */
const NOT_AT_THE_TOP = ["oneOf", "anyOf", "allOf", "enum", "not"]

/** Checks the schema of a function, which may leave it out: it describes an object, and with `strict` a closed one. */
export function checkFunctionSchema(
  described: unknown,
  path: string,
  isOpen: boolean,
  problems: Problems,
): void {
  const schema = field(described, "parameters") ?? undefined
  if (schema === undefined) return
  const properties = field(schema, "properties")
  const wrong = (what: string) =>
    problems.add(path, `Invalid schema for function '${stringField(described, "name") ?? ""}': ${what}`)
  if (stringField(schema, "type") !== "object") wrong("schema must be a JSON Schema of 'type: \"object\"'.")
  else if (properties !== undefined && !isRecord(properties))
    wrong(`${JSON.stringify(properties)} is not of type 'object'.`)
  else if (NOT_AT_THE_TOP.some((name) => field(schema, name) !== undefined)) {
    const what = `schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`
    if (isOpen) problems.note(path, what)
    else wrong(what)
  } else if (field(described, "strict") === true) checkStrict(schema, wrong)
  else if (properties === undefined) wrong("In context=(), object schema missing properties.")
}

/** Checks the schema that an answer has to follow, if it has one and it is strict. */
export function checkAnswerSchema(format: unknown, path: string, problems: Problems): void {
  if (stringField(format, "type") !== "json_schema") return
  const described = field(format, "json_schema") ?? format
  const schema = field(described, "schema")
  if (field(described, "strict") !== true || schema === undefined) return
  const name = stringField(described, "name") ?? ""
  const where = field(format, "json_schema") === undefined ? "text.format" : "response_format"
  checkStrict(schema, (what) => problems.add(path, `Invalid schema for ${where} '${name}': ${what}`))
}

/** Checks strict mode: every object lists its properties, requires them all, and allows no others. */
function checkStrict(schema: unknown, wrong: (what: string) => void): void {
  const open: { readonly at: unknown; readonly context: readonly string[] }[] = [{ at: schema, context: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { at, context } = next
    if (at === null || typeof at !== "object") continue
    const place = `In context=(${context.map((one) => `'${one}'`).join(", ")}${context.length === 1 ? "," : ""})`
    const properties = field(at, "properties")
    const names = properties !== null && typeof properties === "object" ? Object.keys(properties) : []
    if (isObjectSchema(at)) {
      if (field(at, "additionalProperties") !== false)
        wrong(`${place}, 'additionalProperties' is required to be supplied and to be false.`)
      const absent = names.find((name) => !listField(at, "required").includes(name))
      if (absent !== undefined)
        wrong(
          `${place}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${absent}'.`,
        )
    }
    for (const name of names)
      open.push({ at: field(properties, name), context: [...context, "properties", name] })
    for (const name of ["items", "additionalProperties"])
      open.push({ at: field(at, name), context: [...context, name] })
    listField(at, "anyOf").forEach((one, i) => open.push({ at: one, context: [...context, "anyOf", `${i}`] }))
    for (const list of ["$defs", "definitions"]) {
      const defined = field(at, list)
      if (defined !== null && typeof defined === "object")
        for (const [name, one] of Object.entries(defined))
          open.push({ at: one, context: [...context, list, name] })
    }
  }
}

function isObjectSchema(schema: unknown): boolean {
  const type = field(schema, "type")
  return type === "object" || (Array.isArray(type) && type.includes("object"))
}
