import type { ContentPart, Origin } from "@sotto/core"
import { ConfigError } from "../../settings/config/error.js"
import type { Node } from "../../settings/config/node.js"
import {
  type FieldShape,
  flag,
  type JsonSchema,
  mismatch,
  name,
  oneOf,
  type Read,
  scalar,
  text,
} from "../../settings/config/shape.js"
import { list, object } from "../../settings/config/structure.js"

/** A command that cannot be read, or that the session has nothing to carry out on. */
export class CommandError extends Error {
  override readonly name = "CommandError"

  constructor(
    readonly code:
      | ("bad-command" | "unknown-question" | "not-queued" | "unknown-task")
      | ("nothing-to-undo" | "still-at-work" | "files-edited")
      | ("bad-media" | "media-too-large" | "media-not-taken"),
    message: string,
  ) {
    super(message)
  }
}

export type CommandFields = Readonly<Record<string, FieldShape<unknown>>>

/** What a program gives with a command: the fields that it must have, and those that it may have. */
export type Given<F extends CommandFields, R extends keyof F> = { readonly [K in R]: Read<F[K]> } & {
  readonly [K in Exclude<keyof F, R>]?: Read<F[K]>
}

/** Which fields a command has, and which of them it needs. */
export interface FieldTable<F extends CommandFields = CommandFields> {
  readonly fields: F
  readonly required: readonly string[]
  /** Exactly one of these is needed. */
  readonly oneOf?: readonly (keyof F & string)[]
  /** Names that a field had before, and still goes by. */
  readonly aliases?: Readonly<Record<string, keyof F & string>>
}

/** No command nests deeper. A text may be made to nest so deeply that reading it would exhaust the stack. */
const DEEPEST = 8
const WHERE = "command"

/**
 * Reads the fields of a command. `whose` is its name, for errors. Refuses a field that means nothing: obeying the rest
 * would do something else than was asked, as `"delivry": "after-turn"` would steer the running turn.
 */
export function readFields(
  whose: string,
  table: FieldTable,
  given: unknown,
): Readonly<Record<string, unknown>> {
  if (given === null || typeof given !== "object" || Array.isArray(given)) throw wrong("not an object")
  const values = renamed(table.aliases ?? {}, given as Readonly<Record<string, unknown>>)
  const { fields, required, oneOf: group = [] } = table
  onlyKnown(Object.keys(values), Object.keys(fields), `"${whose}"`)
  const missing = required.find((field) => values[field] === undefined)
  if (missing !== undefined) throw wrong(`"${whose}" needs "${missing}", ${fields[missing]?.expects}`)
  const chosen = group.filter((field) => values[field] !== undefined)
  if (chosen.length > 1) throw wrong(`"${whose}" takes ${quoted(group, " or ")}, not both`)
  if (group.length > 0 && chosen.length === 0) throw wrong(`"${whose}" needs ${quoted(group, " or ")}`)
  const isNeeded = (field: string) => required.includes(field) || group.includes(field)
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, shape]) =>
      values[field] === undefined
        ? []
        : [[field, readField(whose, field, shape, values[field], isNeeded(field))]],
    ),
  )
}

function readField(
  whose: string,
  field: string,
  shape: FieldShape<unknown>,
  value: unknown,
  isNeeded: boolean,
) {
  try {
    return shape.read(nodeOf(value), { file: WHERE, field })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    if (error.field !== field) throw wrong(`"${error.field}": ${error.what} ${error.remedy}`)
    if (typeof value === "string" && value.trim() === "") throw wrong(`"${field}" is empty`)
    throw wrong(isNeeded ? `"${whose}" needs "${field}", ${shape.expects}` : `"${field}" is ${shape.expects}`)
  }
}

/** Makes the JSON schema of what `readFields` accepts. */
export function schemaOf({ fields, required, oneOf: group = [], aliases = {} }: FieldTable): JsonSchema {
  const also = (field: string) => Object.keys(aliases).filter((alias) => aliases[alias] === field)
  const other = Object.entries(aliases).flatMap(([alias, field]) => {
    const shape = fields[field]
    return shape === undefined ? [] : [[alias, { ...shape.schema, deprecated: true }]]
  })
  const properties = Object.entries(fields).map(([field, { schema }]) => [field, schema])
  const choices = [group, ...required.map((field) => [field, ...also(field)])].filter(
    ({ length }) => length > 1,
  )
  const always = required.filter((field) => also(field).length === 0)
  return {
    type: "object",
    properties: Object.fromEntries([...properties, ...other]),
    ...(always.length > 0 && { required: always }),
    ...(choices.length > 0 && {
      allOf: choices.map((names) => ({ oneOf: names.map((field) => ({ required: [field] })) })),
    }),
    additionalProperties: false,
  }
}

function renamed(aliases: Readonly<Record<string, string>>, given: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(given).map(([field, value]): [string, unknown] => {
    const known = Object.hasOwn(aliases, field) ? aliases[field] : undefined
    if (known === undefined) return [field, value]
    if (given[known] !== undefined) throw wrong(`use "${known}" or "${field}", not both`)
    return [known, value]
  })
  return Object.fromEntries(entries)
}

function onlyKnown(given: readonly string[], known: readonly string[], whose: string): void {
  const unknown = given.find((field) => !known.includes(field))
  if (unknown === undefined) return
  const fields = known.length === 0 ? "no fields" : `the fields ${known.join(", ")}`
  throw wrong(`unknown field ${JSON.stringify(unknown)}, so nothing was done; ${whose} has ${fields}`)
}

function wrong(message: string): CommandError {
  return new CommandError("bad-command", message)
}

function quoted(names: readonly string[], between: string): string {
  return names.map((one) => `"${one}"`).join(between)
}

function nodeOf(value: unknown, depth = 0): Node {
  if (depth > DEEPEST) throw wrong("the values are nested too deeply")
  if (Array.isArray(value))
    return { is: "list", line: 0, items: value.map((item) => nodeOf(item, depth + 1)) }
  if (value === null || typeof value !== "object")
    return { is: "scalar", line: 0, value: value as string | number | boolean | null }
  const entries = Object.entries(value).map(
    ([key, item]) => [key, { line: 0, value: nodeOf(item, depth + 1) }] as const,
  )
  return { is: "map", line: 0, entries: new Map(entries) }
}

interface Variant {
  readonly fields: CommandFields
  readonly required: readonly string[]
}

/**
 * Makes a field for an object whose field `tag` says which other fields it has. `whose` is what errors call the object.
 */
function tagged(tag: string, whose: string, variants: Readonly<Record<string, Variant>>): FieldShape<object> {
  const kinds = Object.keys(variants)
  const shapes = new Map(
    Object.entries(variants).map(([kind, { fields, required }]) => [
      kind,
      object({ [tag]: oneOf(kind), ...fields }, tag, ...required),
    ]),
  )
  const expects = `an object with "${tag}": ${quoted(kinds, ", ")}`
  return {
    expects,
    schema: { anyOf: [...shapes.values()].map(({ schema }) => schema) },
    read: (node, at) => {
      const found = node.is === "map" ? node.entries.get(tag)?.value : undefined
      const kind = found?.is === "scalar" ? String(found.value) : ""
      const variant = Object.hasOwn(variants, kind) ? variants[kind] : undefined
      if (node.is !== "map" || variant === undefined) throw mismatch(node, at, expects)
      onlyKnown([...node.entries.keys()], [tag, ...Object.keys(variant.fields)], `${whose} "${kind}"`)
      return (shapes.get(kind) as FieldShape<object>).read(node, at)
    },
  }
}

export const messageId = scalar(
  "a text of 1 to 200 characters",
  { type: "string", minLength: 1, maxLength: 200 },
  (value): value is string => typeof value === "string" && value !== "" && value.length <= 200,
)

export const delivery = oneOf("next-step", "after-turn", "now", "passive")

const bare = { fields: {}, required: [] }
const longOrigin = tagged("kind", "an origin of kind", {
  human: bare,
  "task-notification": bare,
  coordinator: bare,
  channel: { fields: { server: name }, required: ["server"] },
})
const shortOrigin = oneOf("human", "task-notification", "coordinator")

/** Written as `{"kind":"channel","server":"ci"}`, or only the kind where that is all. */
export const origin: FieldShape<Origin> = {
  expects: `${shortOrigin.expects}, or ${longOrigin.expects}`,
  schema: { anyOf: [shortOrigin.schema, longOrigin.schema] },
  read: (node, at) =>
    node.is === "scalar" ? { kind: shortOrigin.read(node, at) } : (longOrigin.read(node, at) as Origin),
}

const media = {
  fields: { mediaType: name, data: name, name, ignored: flag },
  required: ["mediaType", "data"],
}
const part = tagged("type", "a part of type", {
  text: { fields: { text, ignored: flag }, required: ["text"] },
  image: media,
  file: media,
}) as FieldShape<ContentPart>
const someParts = list(part)

/** The parts of a message. At least one is for the model: without words it would be woken with nothing to answer. */
export const parts: FieldShape<readonly ContentPart[]> = {
  ...someParts,
  expects: "a list of parts, of which at least one is not blank and not ignored",
  schema: { ...someParts.schema, minItems: 1 },
  read: (node, at) => {
    const read = someParts.read(node, at)
    const isForModel = (one: ContentPart) =>
      one.ignored !== true && (one.type !== "text" || one.text.trim() !== "")
    if (!read.some(isForModel)) throw mismatch(node, at, parts.expects)
    return read
  },
}
