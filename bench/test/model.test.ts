import { afterEach, describe, expect, it } from "vitest"
import { type Api, apiOf, blocksOf, toolsOf } from "../src/model/api.js"
import { type ScriptedServer, scriptedServer } from "../src/model/server.js"

const PATHS: Readonly<Record<Api, string>> = {
  anthropic: "/v1/messages",
  responses: "/v1/responses",
  gemini: "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
}
const TOOLS: Readonly<Record<Api, readonly object[]>> = {
  anthropic: [{ name: "read" }],
  responses: [{ type: "function", name: "read" }, { type: "web_search" }],
  gemini: [{ functionDeclarations: [{ name: "read" }, { name: "write" }] }],
}

let server: ScriptedServer | undefined
afterEach(() => server?.close())

async function post(path: string, body: object): Promise<string> {
  const response = await fetch(`${server?.url}${path}`, { method: "POST", body: JSON.stringify(body) })
  return response.text()
}

describe("the scripted server", () => {
  it.each(Object.keys(PATHS) as Api[])(
    "tells a request in %s by its path and plays the script",
    async (api) => {
      expect(apiOf(PATHS[api])).toBe(api)
      server = await scriptedServer((n) =>
        n === 1 ? { call: { name: "read", input: { path: "a.txt" } } } : { text: "That is all." },
      )
      expect(await post(PATHS[api], { tools: TOOLS[api] })).toContain("a.txt")
      expect(await post(PATHS[api], { tools: TOOLS[api] })).toContain("That is all.")
      expect(server.exchanges).toHaveLength(2)
    },
  )

  it("answers what is asked beside the conversation, and keeps it out", async () => {
    server = await scriptedServer(() => ({ text: "Never said." }))
    expect(await post(PATHS.anthropic, { messages: [] })).toContain("A title")
    const schema = { type: "object", properties: { sure: { type: "number" }, why: { type: "string" } } }
    const check = await post("/v1beta/models/flash:generateContent", {
      generationConfig: { responseJsonSchema: schema },
    })
    const { candidates } = JSON.parse(check)
    expect(JSON.parse(candidates[0].content.parts[0].text)).toEqual({ sure: 0, why: "Nothing." })
    expect(server.exchanges).toEqual([])
    expect(server.others).toHaveLength(2)
  })
})

describe("the tools that a request offers", () => {
  it("are found where each API has them", () => {
    expect(toolsOf({ tools: TOOLS.anthropic })).toEqual(["read"])
    expect(toolsOf({ tools: TOOLS.responses })).toEqual(["read", "web_search"])
    expect(toolsOf({ tools: TOOLS.gemini })).toEqual(["read", "write"])
    expect(toolsOf({})).toEqual([])
  })
})

describe("the texts of a request", () => {
  it.each([
    [
      "anthropic",
      {
        system: "Be brief.",
        messages: [
          { role: "user", content: "Go." },
          { role: "user", content: [{ type: "tool_result", content: [{ type: "text", text: "note" }] }] },
          { role: "user", content: [{ type: "text", text: "More." }] },
        ],
      },
      ["user: Go.", "user: note", "user: More."],
    ],
    [
      "responses",
      {
        instructions: "Be brief.",
        input: [
          { role: "developer", content: [{ type: "input_text", text: "<mode>" }] },
          { type: "function_call", arguments: "{}" },
          { type: "function_call_output", output: "note" },
        ],
      },
      ["developer: <mode>", "function_call_output: note"],
    ],
    ["gemini", { contents: [{ role: "model", parts: [{ text: "Yes." }, {}] }] }, ["model: Yes."]],
  ])("are found where %s has them, with who says them", (_, body, expected) => {
    expect(blocksOf(body).map(({ role, text }) => `${role}: ${text}`)).toEqual(expected)
  })
})
