import type { ToolDefinition } from "@sotto/core"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as openaiChat from "@sotto/core/openai-chat"
import { describe, expect, it } from "vitest"
import { request, start } from "./support/session.js"

const DIALECTS = [
  [anthropic, "claude-sonnet-4-5"],
  [anthropic, "claude-opus-5-5"],
  [openai, "gpt-5.6"],
  [openaiChat, "gpt-5.6"],
  [gemini, "gemini-3-pro"],
] as const

type Schema = ToolDefinition["inputSchema"]

/** Schemas that a server of tools may offer, and that one provider or the other refuses. */
const ODD: Readonly<Record<string, Schema>> = {
  "oneOf at the top": {
    type: "object",
    oneOf: [
      { properties: { id: { type: "number" } }, required: ["id"] },
      { properties: { name: { type: "string" } }, required: ["name"] },
    ],
  },
  "anyOf beside properties": {
    type: "object",
    properties: { route: { type: "string" }, file: { type: "string" } },
    anyOf: [{ required: ["route"] }, { required: ["file"] }],
  },
  "allOf of a reference": { allOf: [{ $ref: "#/$defs/a" }], $defs: { a: { type: "object" } } },
  "enum and not at the top": { type: "object", enum: [{}], not: { required: ["a"] } },
  "a list as properties": { type: "object", properties: [{ name: "path" }] },
  "properties that are null": { type: "object", properties: null },
  "a list as the schema of items": {
    type: "object",
    properties: { pair: { type: "array", items: [{ type: "string" }, { type: "number" }] } },
  },
  "a type that there is not": { type: "object", properties: { path: { type: "path" } } },
  "required as a flag": { type: "object", properties: { path: { type: "string", required: true } } },
  "names that no property may have": {
    type: "object",
    properties: { "filter[id]": { type: "string" }, path: { type: "string" } },
    required: ["filter[id]", "path"],
  },
  "no type": { properties: { path: { type: "string" } } },
}

const withTool = (inputSchema: Schema, model: string) => {
  const session = start({ model: { id: model }, tools: [{ name: "t", description: "A tool.", inputSchema }] })
  session.say("Go")
  return request(session)
}

describe.each(DIALECTS)("$name", (dialect, model) => {
  it.each(Object.entries(ODD))(`${model}: a tool with %s can be offered`, (_, schema) => {
    const body = dialect.encode(withTool(schema, model))
    expect(dialect.validate(body).filter(({ severity }) => severity === "error")).toEqual([])
  })

  it(`${model}: a schema that the provider takes is sent as it is`, () => {
    const schema = { type: "object", properties: { path: { oneOf: [{ type: "string" }] } }, title: "Path" }
    expect(JSON.stringify(dialect.encode(withTool(schema, model)))).toContain(
      '"path":{"oneOf":[{"type":"string"}]}',
    )
  })
})

it("keeps the properties of a union's members, and demands only what all of them demand", () => {
  const body = anthropic.encode(withTool(ODD["oneOf at the top"] as Schema, "claude-sonnet-4-5"))
  expect(body.tools?.[0]).toHaveProperty("input_schema", {
    type: "object",
    properties: { id: { type: "number" }, name: { type: "string" } },
  })
})
