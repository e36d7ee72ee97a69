import type { Request } from "@sotto/core"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as chat from "@sotto/core/openai-chat"
import { cacheModel, expectAppendOnly, NotAppendOnly } from "@sotto/core/testing"
import { describe, expect, it } from "vitest"
import { calls, exchange, request, start, work } from "./support/session.js"

const DIALECTS = [
  ["anthropic", "claude-sonnet-4-5", anthropic.encode],
  ["openai", "gpt-5.6", openai.encode],
  ["openai-chat", "qwen3-coder", chat.encode],
  ["gemini", "gemini-3-pro", gemini.encode],
] as const

/** The requests of a turn with a steer in it; outputs are long enough to be cached. */
function turn(model: string, steps: number): readonly Request[] {
  const session = start({ model: { id: model } })
  session.say("go")
  return Array.from({ length: steps }, (_, i) => {
    if (i === 2) session.say("and the tests")
    return work(session, `c${i}`, `output ${i} ${"word ".repeat(2_000)}`)
  })
}

describe("expectAppendOnly", () => {
  it.each(DIALECTS)("accepts what %s is sent", (_, model, encode) => {
    const bodies = turn(model, 5).map((one) => encode(one))
    expect(() => expectAppendOnly(bodies)).not.toThrow()
  })

  it.each(DIALECTS)("names the body, the block and the byte of %s that changed", (_, model, encode) => {
    const bodies = turn(model, 4).map((one) => encode(one))
    const altered = JSON.parse(JSON.stringify(bodies[2]).replace("output 0", "output O"))
    const check = () => expectAppendOnly([...bodies.slice(0, 2), altered, ...bodies.slice(3)])
    expect(check).toThrow(NotAppendOnly)
    expect(check).toThrow(
      /Request 2 is not an extension of request 1: (messages|input|contents)\.\d.* changed at byte \d+/,
    )
    expect(check).toThrow(/was: .*output 0[\s\S]*is: .*output O/)
  })

  const body = (rest: object = {}) => ({
    system: "s",
    tools: [{ name: "a" }],
    messages: [{ role: "user", content: "hi" }],
    ...rest,
  })

  it.each([
    ["the system", { system: "S" }, "system"],
    ["a tool", { tools: [{ name: "b" }] }, "tools.0"],
    ["another tool", { tools: [{ name: "a" }, { name: "b" }] }, "tools.1"],
    ["a message that is gone", { messages: [] }, "messages.0.content.0"],
    ["the role of a message", { messages: [{ role: "assistant", content: "hi" }] }, "messages.0.content.0"],
  ])("sees %s", (_, change, path) => {
    expect(() => expectAppendOnly([body(), body(change)])).toThrow(expect.objectContaining({ path, body: 1 }))
  })

  it("passes over cache markers, merged messages and the two ways to write a text", () => {
    const marked = { type: "text", text: "hi", cache_control: { type: "ephemeral" } }
    const more = { type: "text", text: "more" }
    expectAppendOnly([
      body(),
      body({ messages: [{ role: "user", content: [marked] }] }),
      body({
        messages: [
          { role: "user", content: "hi" },
          { role: "user", content: [more] },
        ],
      }),
      body({ messages: [{ role: "user", content: [marked, more] }] }),
    ])
  })
})

describe("cacheModel", () => {
  it.each(DIALECTS)("finds that %s reads all it was sent before", (dialect, model, encode) => {
    const cache = cacheModel(dialect)
    const uses = turn(model, 6).map((one) => cache.request(encode(one)))
    expect(uses.map(({ missed }) => missed)).toEqual([0, 0, 0, 0, 0, 0])
    expect(uses[0]?.read).toBe(0)
    for (const { read, total } of uses.slice(2)) expect(read / total).toBeGreaterThan(0.4)
  })

  it.each(DIALECTS)("finds what a changed byte costs on %s", (dialect, model, encode) => {
    const cache = cacheModel(dialect)
    const [first, second, third] = turn(model, 3).map((one) => encode(one))
    cache.request(first)
    cache.request(second)
    const { read, missed } = cache.request(JSON.parse(JSON.stringify(third).replace("go", "Go")))
    expect(read).toBeLessThan(1_000)
    expect(missed).toBe(0)
    const late = JSON.parse(JSON.stringify(third).replace("output 1", "output I"))
    expect(cache.request(late).read).toBeLessThan(cache.request(third).total)
  })

  it("names what Anthropic invalidates by itself when tool_choice changes", () => {
    const cache = cacheModel("anthropic")
    const session = start({ agent: "brief" })
    session.say("go")
    for (const id of ["a", "b"]) cache.request(anthropic.encode(work(session, id, "word ".repeat(3_000))))
    const last = cache.request(anthropic.encode(request(session)))
    expect(last).toMatchObject({ because: "tool_choice" })
    expect(last.missed).toBeGreaterThan(0)
  })

  it("needs the breakpoint where the previous request ended once a step adds more blocks than the look-back", () => {
    const session = start()
    session.say("go")
    const ids = Array.from({ length: 26 }, (_, i) => `parallel-${i}`)
    const first = anthropic.encode(work(session, "first", "word ".repeat(3_000)))
    const second = anthropic.encode(exchange(session, calls(...ids)))
    for (const id of ids) session.result(id, "output")
    const third = anthropic.encode(request(session))
    const uses = (bodies: readonly object[]) => {
      const cache = cacheModel("anthropic")
      return bodies.map((one) => cache.request(one))
    }
    expect(uses([first, second, third])[2]?.missed).toBe(0)
    const onlyNewest = JSON.parse(
      JSON.stringify(third).replace(
        ',"cache_control":{"type":"ephemeral"}}]},{"role":"assistant"',
        '}]},{"role":"assistant"',
      ),
    )
    expect(uses([first, second, onlyNewest])[2]?.missed).toBeGreaterThan(0)
  })

  it("caches nothing below the minimum", () => {
    const small = anthropic.encode(turn("claude-sonnet-4-5", 1)[0] as Request)
    const cache = cacheModel("anthropic", { minimum: 100_000 })
    expect([cache.request(small), cache.request(small)]).toMatchObject([
      { written: 0 },
      { read: 0, written: 0, missed: 0 },
    ])
  })

  it("counts writes only where OpenAI charges them, and reads in whole steps before that", () => {
    const bodies = turn("gpt-5.6", 3).map((one) => openai.encode(one))
    const [older, newer] = [cacheModel("openai"), cacheModel("openai", { breakpointsOnly: true })]
    for (const one of bodies) {
      const [before, since] = [older.request(one), newer.request(one)]
      expect(before.written).toBe(0)
      expect(before.read % 128).toBe(0)
      expect(since.read + since.written).toBe(since.total < 1_024 ? 0 : since.total)
    }
  })
})

describe("Anthropic's cache", () => {
  const long = "Read the manual first. ".repeat(400)
  const first = { model: "claude-opus-5", messages: [{ role: "user", content: long }] }
  const second = {
    ...first,
    messages: [
      ...first.messages,
      { role: "assistant", content: "Read." },
      { role: "user", content: "And now?" },
    ],
  }

  it("takes a marker of the whole request as one on its last block", () => {
    const whole = { cache_control: { type: "ephemeral" } }
    const cache = cacheModel("anthropic")
    expect(cache.request(first)).toMatchObject({ read: 0, written: 0 })
    expect(cache.request({ ...first, ...whole }).written).toBeGreaterThan(1_024)
    expect(cache.request({ ...second, ...whole })).toMatchObject({ missed: 0 })
    expect(cache.request({ ...second, ...whole }).read).toBeGreaterThan(1_024)
  })

  it("forgets the conversation when the effort changes", () => {
    const cache = cacheModel("anthropic")
    const at = (effort: string) => ({
      ...second,
      cache_control: { type: "ephemeral" },
      output_config: { effort },
    })
    cache.request(at("low"))
    expect(cache.request(at("low"))).toMatchObject({ missed: 0 })
    expect(cache.request(at("high"))).toMatchObject({ read: 0, because: "effort" })
  })
})
