import { describe, expect, it } from "vitest"
import { changedBytes } from "../src/changed.js"

const user = (...texts: readonly string[]) => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text })),
})
const request = (system: string, ...messages: readonly object[]) => ({
  tools: [{ name: "read" }],
  system: [{ type: "text", text: system }],
  messages,
})

describe("bytes already sent that changed", () => {
  it("are none where requests only add", () => {
    const first = request("Be brief.", user("Go."))
    const second = request("Be brief.", user("Go."), { role: "assistant", content: "Gone." })
    expect(
      changedBytes([first, second, request("Be brief.", user("Go."), second.messages[1] ?? {}, user("On."))]),
    ).toBe(0)
  })

  it("do not count cache markers, nor whether a text stands in a list, nor how messages of a role are divided", () => {
    const marked = {
      role: "user",
      content: [{ type: "text", text: "Go.", cache_control: { type: "ephemeral" } }],
    }
    expect(
      changedBytes([request("Brief.", marked), request("Brief.", { role: "user", content: "Go." })]),
    ).toBe(0)
    expect(changedBytes([request("Brief.", user("a"), user("b")), request("Brief.", user("a", "b"))])).toBe(0)
  })

  it("are all those from the first byte that differs on", () => {
    const tail = 'b"}'
    expect(changedBytes([request("Brief.", user("ab")), request("Brief.", user("ac"))])).toBe(tail.length)
    const all = changedBytes([request("Brief.", user("ab")), request("Long.", user("ab"))])
    expect(all).toBeGreaterThan(changedBytes([request("Brief.", user("ab")), request("Brief.", user("xb"))]))
  })

  it("are everything after the tools when one is added", () => {
    const one = request("Brief.", user("Go."))
    const two = { ...one, tools: [...one.tools, { name: "write" }] }
    expect(changedBytes([one, two])).toBeGreaterThan(0)
    expect(changedBytes([one, two])).toBe(changedBytes([two, one]) - '{"name":"write"}'.length)
  })

  it("counts in Gemini's and OpenAI's shapes too", () => {
    const gemini = (text: string) => ({
      systemInstruction: { parts: [{ text: "Brief." }] },
      contents: [{ role: "user", parts: [{ text }] }],
    })
    expect(changedBytes([gemini("ab"), gemini("ac")])).toBe('b"}'.length)
    const openai = (text: string) => ({
      input: [{ type: "function_call_output", call_id: "1", output: text }],
    })
    expect(changedBytes([openai("ab"), openai("ab")])).toBe(0)
    expect(changedBytes([openai("ab"), openai("ac")])).toBe('b"}'.length)
  })
})
