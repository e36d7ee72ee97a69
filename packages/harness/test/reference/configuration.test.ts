import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { configShape } from "../../src/settings/config/fields.js"
import { parseJsonc } from "../../src/settings/config/jsonc.js"
import { configurationPage, innerFields, topFields } from "./configuration.js"

const page = join(import.meta.dirname, "../../../../docs/reference/configuration.md")

describe("the reference of the configuration", () => {
  it("is current (npm run docs writes it)", async () => {
    await expect(configurationPage()).toMatchFileSnapshot(page)
  })

  it("says of every field what it is for", () => {
    const silent = topFields()
      .flatMap((field) => [field, ...innerFields(field)])
      .filter(({ schema }) => typeof schema.description !== "string")
    expect(silent.map(({ path }) => path)).toEqual([])
  })

  it.each(topFields().map((field) => [field.path, field.schema] as const))(
    "has an example and a usual value of %s that the reader takes",
    (path, schema) => {
      const [example] = Array.isArray(schema.examples) ? schema.examples : []
      expect(example).toBeDefined()
      for (const value of [example, schema.default].filter((one) => one !== undefined)) {
        const node = parseJsonc(JSON.stringify({ [path]: value }), "sotto.json")
        expect(configShape.read(node, { file: "sotto.json", field: "" })).toHaveProperty([path])
      }
    },
  )

  it("describes what stands inside lists, names and alternatives", () => {
    const paths = topFields()
      .flatMap(innerFields)
      .map(({ path }) => path)
    for (const path of [
      "agents.NAME.mode",
      "hooks.stop[].command",
      "mcp.NAME.url",
      "economy.keep",
      "permission[].action",
    ])
      expect(paths).toContain(path)
  })
})
