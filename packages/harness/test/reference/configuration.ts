import { configSchema } from "../../src/settings/config/fields.js"
import type { JsonSchema } from "../../src/settings/config/shape.js"
import { folderMaySet } from "../../src/settings/trust/fields.js"

/** One line of the reference: a field, wherever it stands. */
export interface Field {
  readonly path: string
  readonly schema: JsonSchema
}

/** The fields of `sotto.json` itself. */
export function topFields(): readonly Field[] {
  return Object.entries(asRecord(configSchema().properties)).map(([path, schema]) => ({
    path,
    schema: asRecord(schema),
  }))
}

/** What can be written inside a field. Permission rules are described once, under `permission`. */
export function innerFields({ path, schema }: Field): readonly Field[] {
  const inside = (name: string, one: unknown): readonly Field[] => {
    const field = { path: `${path}.${name}`, schema: asRecord(one) }
    return [field, ...(name === "permission" && path !== "permission[]" ? [] : innerFields(field))]
  }
  const named = Object.entries(asRecord(schema.properties)).flatMap(([name, one]) => inside(name, one))
  const any = asRecord(schema.additionalProperties)
  const values = Object.keys(any).length === 0 ? [] : innerFields({ path: `${path}.NAME`, schema: any })
  const items = innerOf(schema.items).flatMap((one) => innerFields({ path: `${path}[]`, schema: one }))
  const either = listOf(schema.anyOf).flatMap((one) => innerFields({ path, schema: asRecord(one) }))
  return [...named, ...values, ...items, ...either]
}

/** `docs/reference/configuration.md`. */
export function configurationPage(): string {
  const fields = topFields()
  return [
    "# Configuration",
    "",
    "<!-- Written by `npm run docs` from packages/harness/src/settings/config; a test says when it is not current. -->",
    "",
    "Every field of `sotto.json`. The file is read from your settings folder (`$SOTTO_HOME`, else `~/.config/sotto`) and from the",
    "folder you work in; the nearer word counts. Comments are allowed. An unknown field is an error that names the file, the line",
    "and what it could have been. `sotto init` writes a file to start from, and `sotto doctor` says whether yours is right.",
    "",
    "**In a project's file** says whether the `sotto.json` of a folder may set the field:",
    "",
    ...Object.entries(PROJECT).map(([, { word, means }]) => `- *${word}*: ${means}`),
    "",
    "[Trust](../trust.md) says how a folder becomes trusted.",
    "",
    ...table([
      ["field", "type", "unless set", "in a project's file"],
      ...fields.map((field) => [
        `[\`${field.path}\`](#${field.path.toLowerCase().replace("$", "")})`,
        typeOf(field.schema),
        usualOf(field.schema),
        projectOf(field.path).word,
      ]),
    ]),
    ...fields.flatMap(sectionOf),
    "",
  ].join("\n")
}

const PROJECT = {
  trusted: { word: "if trusted", means: "counts once you trust the folder." },
  tightening: {
    word: "to tighten",
    means: "counts always where it is stricter than yours; the rest once you trust the folder.",
  },
  never: { word: "no", means: "counts in your own file only. A folder that sets it gets a notice." },
}

function projectOf(path: string): { readonly word: string; readonly means: string } {
  if (path === "$schema") return { word: "yes", means: "changes nothing." }
  return PROJECT[folderMaySet(path as Parameters<typeof folderMaySet>[0])]
}

function sectionOf(field: Field): readonly string[] {
  const { path, schema } = field
  const inner = innerFields(field)
  const usual = usualOf(schema) === "" ? "" : `Unless set: ${usualOf(schema)}. `
  const example = JSON.stringify({ [path]: listOf(schema.examples)[0] }, undefined, 2)
  return [
    "",
    `## ${path}`,
    "",
    String(schema.description),
    "",
    `Type: ${typeOf(schema)}. ${usual}In a project's file: ${projectOf(path).word}.`,
    "",
    "```json",
    example,
    "```",
    ...(inner.length === 0
      ? []
      : [
          "",
          ...table([
            ["field", "type", "unless set", "what it says"],
            ...inner.map((one) => [
              `\`${one.path}\``,
              typeOf(one.schema),
              usualOf(one.schema),
              String(one.schema.description),
            ]),
          ]),
        ]),
  ]
}

/** What may be written, in words. */
function typeOf(schema: JsonSchema): string {
  if (schema.anyOf !== undefined)
    return [...new Set(listOf(schema.anyOf).map((one) => typeOf(asRecord(one))))].join(", or ")
  if (schema.enum !== undefined)
    return listOf(schema.enum)
      .map((value) => `\`"${String(value)}"\``)
      .join(", ")
  const { minimum, maximum } = schema
  const range =
    minimum === undefined
      ? ""
      : maximum === undefined
        ? ` from ${grouped(minimum)}`
        : ` from ${grouped(minimum)} to ${grouped(maximum)}`
  switch (schema.type) {
    case "integer":
      return `whole number${range}`
    case "number":
      return `number${range}`
    case "string":
      return "text"
    case "boolean":
      return "`true` or `false`"
    case "array":
      return `list of ${many(typeOf(asRecord(schema.items)))}`
    case "object":
      return schema.properties === undefined ? "object by name" : "object"
    default:
      return "anything"
  }
}

function many(type: string): string {
  return type === "text" ? "texts" : type === "object" ? "objects" : type
}

function usualOf({ default: usual }: JsonSchema): string {
  if (usual === undefined) return ""
  return typeof usual === "number" ? grouped(usual) : `\`${JSON.stringify(usual)}\``
}

function grouped(value: unknown): string {
  return Number(value).toLocaleString("en")
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const [heading = [], ...rest] = rows
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  return [line(heading), line(heading.map(() => "---")), ...rest.map(line)]
}

function asRecord(value: unknown): JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function innerOf(items: unknown): readonly JsonSchema[] {
  return items === undefined ? [] : [asRecord(items)]
}
