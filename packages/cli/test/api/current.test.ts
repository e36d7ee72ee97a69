import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { description } from "../support/described.js"
import { clientSource } from "./client-source.js"
import { type TypeSchema, typeSchemas } from "./type-schemas.js"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

const schemas = typeSchemas()

it("the schemas of answers are current (npm run docs writes them)", async () => {
  const lines = Object.entries(schemas).map(([name, schema]) => `  ${name}: ${JSON.stringify(schema)},`)
  const text = [
    "// Written by `npm run docs` from the types of answers.ts; a test says when it is not current.",
    "export const ANSWER_SCHEMAS = {",
    ...lines,
    "}",
    "",
  ].join("\n")
  await expect(text).toMatchFileSnapshot(join(root, "packages/cli/src/server/answer-schemas.ts"))
})

it("the client is current (npm run docs writes it)", async () => {
  for (const [file, text] of Object.entries(clientSource(schemas)))
    await expect(text).toMatchFileSnapshot(join(root, "packages/client/src", file))
})

it("the description names every operation once, and every schema that it refers to is there", () => {
  const { paths, components } = description()
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods)) as readonly {
    readonly operationId: string
    readonly responses: Readonly<Record<string, object>>
  }[]
  const ids = operations.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  const text = JSON.stringify({ paths, components })
  const wanted = [...text.matchAll(/"\$ref":"#\/components\/(schemas|responses)\/(\w+)"/g)]
  expect(wanted.length).toBeGreaterThan(300)
  expect(text.match(/"\$ref"/g)).toHaveLength(wanted.length)
  for (const [, kind = "schemas", name = ""] of wanted)
    expect(components[kind as "schemas" | "responses"]).toHaveProperty(name)
  for (const { responses } of operations)
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["403", "429", "503", "default"]))
})

it("the events of a session and of a trace are told apart by their type", () => {
  const { schemas } = description().components
  for (const [name, some] of [
    ["SessionStreamEvent", ["turn-end", "ask", "question-answered", "partial", "state"]],
    ["TraceEvent", ["call", "end"]],
  ] as const) {
    const { oneOf = [], discriminator } = schemas[name] as TypeSchema
    const { propertyName, mapping = {} } = discriminator ?? {}
    expect([propertyName, Object.keys(mapping).length]).toEqual(["type", oneOf.length])
    expect(Object.keys(mapping)).toEqual(expect.arrayContaining([...some]))
  }
})
