import { expect, it } from "vitest"
import { createLens } from "../src/index.js"

const LONG = "Mind the manual. ".repeat(600)

function body(task: string, messages: number, system = LONG): object {
  return {
    model: "claude-opus-5-5",
    max_tokens: 100,
    system: [{ type: "text", text: system, cache_control: { type: "ephemeral" } }],
    messages: Array.from({ length: messages }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", text: `${task} ${i}` }],
    })),
  }
}

function usage(input_tokens: number, read = 0, written = 0): string {
  const counts = { input_tokens, cache_read_input_tokens: read, cache_creation_input_tokens: written }
  return JSON.stringify({ id: "m", usage: { ...counts, output_tokens: 1 } })
}

it("says of each call, as it is taken, its thread, its place there and its tokens", () => {
  const lens = createLens()
  let number = 0
  const push = (request: object, response: { status: number; text: string }) => {
    lens.push({ source: "s", number: ++number, at: number * 1_000, ms: 10, body: request, response })
    return lens.newest()
  }
  const one = push(body("first", 1), { status: 200, text: usage(10, 0, 2_500) })
  expect(one).toEqual({
    thread: "1",
    call: 1,
    model: "claude-opus-5-5",
    countsTokens: false,
    tokens: { sent: 2_510, read: 0, written: 2_500, missed: 0, reported: true },
  })
  expect(push(body("second", 1, "Other words."), { status: 200, text: usage(9) })).toMatchObject({
    thread: "2",
    call: 1,
  })
  const next = push(body("first", 3), { status: 200, text: usage(20, 2_500) })
  expect(next).toMatchObject({ thread: "1", call: 2, tokens: { sent: 2_520, read: 2_500 } })
  expect(push(body("first", 5), { status: 500, text: "{}" })).not.toHaveProperty("tokens")
  lens.push({ source: "s", number: 9, body: { nothing: true } })
  expect(lens.newest()).toBeUndefined()
})

it("takes a call that repeats another for no expired cache if nothing was cached", () => {
  const lens = createLens()
  const call = {
    source: "s",
    at: 1,
    ms: 1,
    body: body("short", 1, "Hi."),
    response: { status: 200, text: usage(8) },
  }
  expect(lens.push({ ...call, number: 1 })).toEqual([])
  expect(lens.push({ ...call, number: 2, at: 2_000 })).toEqual([])
})
