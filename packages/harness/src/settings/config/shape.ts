import type { Json } from "@sotto/core"
import { durationIn, sizeIn } from "../../platform/text/amounts.js"
import { ConfigError } from "./error.js"
import { described, type Node } from "./node.js"

export type JsonSchema = { readonly [key: string]: Json }

/** Where a value stands, for errors. */
export interface At {
  readonly file: string
  readonly field: string
}

/** What a value has to look like: told to editors as a JSON schema, and to the reader as code. One table for both. */
export interface FieldShape<T> {
  /** For people: "a whole number from 1". */
  readonly expects: string
  readonly schema: JsonSchema
  read(node: Node, at: At): T
}

export type Read<S> = S extends FieldShape<infer T> ? T : never

export function mismatch(node: Node, at: At, expects: string): ConfigError {
  return new ConfigError(at.file, node.line, at.field, `This is ${described(node)}.`, `Use ${expects}.`)
}

export function inside({ file, field }: At, name: string): At {
  return { file, field: field === "" ? name : `${field}.${name}` }
}

/** What holds where the configuration says nothing, and an example of what it might say. */
interface Illustration {
  readonly usual?: Json
  readonly example?: Json
}

/** Adds a word of explanation to a shape, for the editor and for the reference. */
export function about<T>(
  shape: FieldShape<T>,
  description: string,
  { usual, example }: Illustration = {},
): FieldShape<T> {
  const more = {
    ...(usual !== undefined && { default: usual }),
    ...(example !== undefined && { examples: [example] }),
  }
  return { ...shape, schema: { ...shape.schema, description, ...more } }
}

/** Takes a text, a number, true, false or null that passes a check. */
export function scalar<T>(
  expects: string,
  schema: JsonSchema,
  is: (value: unknown) => value is T,
): FieldShape<T> {
  return {
    expects,
    schema,
    read: (node, at) => {
      if (node.is === "scalar" && is(node.value)) return node.value
      throw mismatch(node, at, expects)
    },
  }
}

export const text = scalar("a text", { type: "string" }, (value) => typeof value === "string")

/** What is sent to a model: no provider takes a blank text. */
export const words = scalar(
  "a text that is not blank",
  { type: "string", pattern: "\\S" },
  (value): value is string => typeof value === "string" && value.trim() !== "",
)

export const name = scalar(
  "a text that is not empty",
  { type: "string", minLength: 1 },
  (value): value is string => typeof value === "string" && value !== "",
)

export const day = scalar(
  'a day such as "2026-11-18"',
  { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" },
  (value): value is string =>
    typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)),
)

export const duration = scalar(
  'a time such as "90d", "12h", "4w" or "1y"',
  { type: "string", pattern: "^\\s*\\d+(\\.\\d+)?\\s*[hdwyHDWY]?\\s*$" },
  (value): value is string => typeof value === "string" && durationIn(value) !== undefined,
)

export const size = scalar(
  'a size such as "2GB" or "500MB"',
  { type: "string", pattern: "^\\s*\\d+(\\.\\d+)?\\s*[kmgtKMGT]?[iI]?[bB]?\\s*$" },
  (value): value is string => typeof value === "string" && sizeIn(value) !== undefined,
)

export const flag = scalar("true or false", { type: "boolean" }, (value) => typeof value === "boolean")

/** Off, or on with nothing else said. */
export const onOrOff: FieldShape<false | Record<string, never>> = {
  ...flag,
  read: (node, at) => (flag.read(node, at) ? {} : false),
}

export function number(minimum: number, maximum?: number): FieldShape<number> {
  const range = maximum === undefined ? `from ${minimum}` : `from ${minimum} to ${maximum}`
  return scalar(
    `a number ${range}`,
    { type: "number", minimum, ...(maximum !== undefined && { maximum }) },
    (value): value is number =>
      typeof value === "number" && value >= minimum && value <= (maximum ?? Number.MAX_VALUE),
  )
}

export function whole(minimum: number): FieldShape<number> {
  return scalar(
    `a whole number from ${minimum}`,
    { type: "integer", minimum },
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= minimum,
  )
}

export function oneOf<const T extends string>(...values: readonly T[]): FieldShape<T> {
  const expects = `one of ${values.map((value) => `"${value}"`).join(", ")}`
  return scalar(expects, { enum: values }, (value): value is T => values.some((known) => known === value))
}

/** Anything that JSON can say. */
export const anything: FieldShape<Json> = {
  expects: "any value",
  schema: {},
  read: plain,
}

function plain(node: Node): Json {
  if (node.is === "scalar") return node.value
  if (node.is === "list") return node.items.map(plain)
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, plain(value)]))
}
