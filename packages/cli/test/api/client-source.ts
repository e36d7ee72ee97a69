import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { description } from "../support/described.js"
import { REF, type TypeSchema } from "./type-schemas.js"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly required: boolean
  readonly schema: TypeSchema
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

type Content = Readonly<Record<string, { readonly schema: TypeSchema }>>

const HEAD =
  "// Written by `npm run docs` from the description of the server; a test says when it is not current."

/** Writes two files of the client: the types of all schemas, and a method for every operation of the description. */
export function clientSource(answers: Readonly<Record<string, object>>) {
  const { paths, components } = description(answers)
  const schemas = Object.entries(components.schemas as Readonly<Record<string, TypeSchema>>)
  const declared = schemas.map(
    ([name, schema]) => `${comment(schema)}type ${name} = ${typeOf(schema, plain)}\n`,
  )
  const fields = schemas.map(([name]) => `readonly ${name}: ${name}`)
  const methods = Object.entries(paths).flatMap(([path, found]) =>
    Object.entries(found).map(([method, one]) => methodOf(method.toUpperCase(), path, one as Operation)),
  )
  const types = `${HEAD}

${declared.join("\n")}
/** The types of everything that the server takes and gives, by name: \`Schemas["SessionDetail"]\`. */
export interface Schemas {
${fields.join("\n")}
}
`
  const operations = `${HEAD}
import type { Schemas } from "./schemas.js"
import type { NumberedItem, SendOptions, Transport } from "./transport.js"

/** A method for every operation of the server, under its operationId. */
export class ServerOperations {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

${methods.join("\n\n")}
}
`
  return { "schemas.ts": formatted(types), "operations.ts": formatted(operations) }
}

/** Formats a source as the repository's are. */
function formatted(text: string): string {
  const biome = join(root, "node_modules/.bin/biome")
  return execFileSync(biome, ["format", "--stdin-file-path=packages/client/src/operations.ts"], {
    cwd: root,
    input: text,
    encoding: "utf8",
  })
}

function methodOf(method: string, path: string, one: Operation): string {
  const { operationId, summary, parameters = [], requestBody, responses } = one
  const inPath = parameters.filter((given) => given.in === "path")
  const inQuery = parameters.filter((given) => given.in === "query")
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? []
  const [[media, { schema }] = ["", { schema: {} }]] = Object.entries(answer?.content ?? {})
  const isStream = media === "text/event-stream"
  const mayLackQuery = inQuery.every(({ required }) => !required)
  const input = Object.values(requestBody?.content ?? {})[0]?.schema
  const fields = inQuery.map(
    ({ name, required, schema: of }) =>
      `readonly ${name}${required ? "" : "?"}: ${typeOf(of)}${required ? "" : " | undefined"}`,
  )
  const query = `{ ${fields.join("; ")} }`
  const given = [
    ...inPath.map(({ name, schema: of }) => `${name}: ${typeOf(of)}`),
    ...(input ? [`input${requestBody?.required ? "" : "?"}: ${typeOf(input)}`] : []),
    ...(inQuery.length > 0 && !isStream ? [`query${mayLackQuery ? "?" : ""}: ${query}`] : []),
    isStream ? `options: SendOptions & ${query} = {}` : "options: SendOptions = {}",
  ]
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name) => `\${encodeURIComponent(${name})}`)
  const sent = [
    `method: "${method}"`,
    `path: ${address === path ? JSON.stringify(path) : `\`${address}\``}`,
    ...(input ? [requestBody?.required ? "input" : "input: input ?? {}"] : []),
    ...(inQuery.length > 0
      ? [
          isStream
            ? `query: { ${inQuery.map(({ name }) => `${name}: options.${name}`).join(", ")} }`
            : "query",
        ]
      : []),
    "signal: options.signal",
  ]
  const of = typeOf(schema)
  const doc = `/** ${method} ${path}: ${summary}. */`
  if (!isStream)
    return `${doc}
  ${operationId}(${given.join(", ")}): Promise<${of}> {
    return this.#transport.call({ ${sent.join(", ")} })
  }`
  // A trace tells when there is no more. A session never ends.
  const last = path.startsWith("/traces") ? ', "end"' : ""
  return `${doc}
  ${operationId}(${given.join(", ")}): AsyncGenerator<NumberedItem<${of}>, void, undefined> {
    return this.#transport.stream({ ${sent.join(", ")} }${last})
  }`
}

function comment({ description: text }: TypeSchema): string {
  return text === undefined ? "" : `/** ${text.replaceAll("*/", "* /")} */\n`
}

/** Says how a type that has a name is written. */
type Naming = (name: string) => string
const plain: Naming = (name) => name
const indexed: Naming = (name) => `Schemas["${name}"]`

/** Writes the type of what a schema describes. */
function typeOf(schema: TypeSchema, named: Naming = indexed): string {
  const { $ref, type, properties, additionalProperties: more, items, prefixItems } = schema
  const of = (part: TypeSchema) => typeOf(part, named)
  if ($ref !== undefined) return named($ref.slice(REF.length))
  if ("const" in schema) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(" | ")
  const union = schema.oneOf ?? schema.anyOf
  if (union !== undefined) return union.map((one) => `(${of(one)})`).join(" | ")
  if (prefixItems !== undefined) return `readonly [${prefixItems.map(of).join(", ")}]`
  if (type === "array") return `readonly (${of(items ?? {})})[]`
  if (type === "object" && Object.keys(properties ?? {}).length > 0) return objectOf(schema, of)
  if (type === "object" && (more === false || properties !== undefined))
    return "Readonly<Record<string, never>>"
  if (type === "object")
    return `{ readonly [field: string]: ${typeof more === "object" ? of(more) : "unknown"} }`
  if (type === "integer" || type === "number") return "number"
  return typeof type === "string" ? type : "unknown"
}

function objectOf({ properties = {}, required = [] }: TypeSchema, of: (part: TypeSchema) => string): string {
  const fields = Object.entries(properties).map(([name, field]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
    return `${comment(field)}readonly ${key}${required.includes(name) ? "" : "?"}: ${of(field)}`
  })
  return `{\n${fields.join("\n")}\n}`
}
