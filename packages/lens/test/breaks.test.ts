import { estimateTokens } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { type Call, check, createLens } from "../src/index.js"
import { type Body, bodiesOf, callsOf, MODELS, ordinary } from "./support/history.js"
import { clone } from "./support/paths.js"

const breaksOf = (calls: Iterable<Call>) => check(calls).threads.flatMap(({ breaks }) => breaks)

describe.each(MODELS)("the byte of a break in the traffic of %s (%s)", (dialect, model) => {
  const bodies = bodiesOf(ordinary(dialect, model))
  const broken = bodies.map((body, i) =>
    i < 4 ? body : (JSON.parse(JSON.stringify(body).replace("Please begin", "Please begün")) as Body),
  )

  it.each([
    ["compact", (body: unknown) => JSON.stringify(body)],
    ["indented", (body: unknown) => JSON.stringify(body, undefined, 2)],
  ])("is where the %s request differs from what was sent", (_, write) => {
    const calls = callsOf(broken, { model }).map((call) => ({ ...call, text: write(call.body) }))
    const [found] = breaksOf(calls)
    const text = write(broken[4])
    expect(found).toMatchObject({ call: 5, cause: "message-edited" })
    const bytes = Buffer.from(text)
    expect(bytes.subarray(found?.byte, (found?.byte ?? 0) + 3).toString()).toBe("ün")
    expect(found?.before).toContain("Please begin")
    expect(found?.after).toContain("Please begün")
  })

  it("is left out for a session file", () => {
    const [found] = breaksOf(callsOf(broken, { model, partial: true }))
    expect(found).toMatchObject({ cause: "message-edited" })
    expect(found).not.toHaveProperty("byte")
  })
})

describe("the detail of a changed system prompt", () => {
  const system = (text: string) => ({
    model: "claude-sonnet-4-5",
    max_tokens: 10,
    system: `You help with code and answer in short sentences, always.\n${text}\nBe kind to everybody who asks.`,
    messages: [{ role: "user", content: "Hello" }],
  })

  it.each([
    ["Today is Monday, 16 November 2026.", "Today is Tuesday, 17 November 2026.", "a date or time"],
    ["Today is the 16th of November.", "Today is the 17th of November.", "a date or time"],
    ["Today's date: November 16, 2026", "Today's date: November 17, 2026", "a date or time"],
    ["It is 16 Nov 2026 now.", "It is 17 Nov 2026 now.", "a date or time"],
    ["The time is 09:15.", "The time is 09:16.", "a date or time"],
    ["Now: 1700000000000", "Now: 1700000060000", "a date or time"],
    ["Requests so far: 17", "Requests so far: 18", "a counter"],
    [
      "Session 3f2a9c1e-77aa-4b1c-9d7e-0a1b2c3d4e5f",
      "Session 9c1e3f2a-aa77-4b1c-9d7e-0a1b2c3d4e5f",
      "a random id",
    ],
    [
      "x-anthropic-billing-header: cc_version=2.1; cch=f00aa;",
      "x-anthropic-billing-header: cc_version=2.1; cch=1b2c3;",
      "a billing header",
    ],
    ["# Git status\n M src/a.ts", "# Git status\n M src/a.ts\n?? src/b.ts", "git status"],
    ["Current branch: main", "Current branch: fix/cache", "git status"],
    [
      "# Skills\n- pdf: reads documents",
      "# Skills\n- pdf: reads documents\n- sheet: reads tables",
      "a list of skills",
    ],
  ])("names what varies: %j", (before, after, name) => {
    const [found] = breaksOf(callsOf([system(before), system(after)]))
    expect(found).toMatchObject({ cause: "system-changed", detail: `${name} changed in the system prompt` })
  })

  it("says so when nothing in it is known to vary", () => {
    const [found] = breaksOf(callsOf([system("Use tabs."), system("Use blanks.")]))
    expect(found).toMatchObject({ cause: "system-changed", detail: "the system prompt changed" })
  })
})

describe("cache markers", () => {
  const mark = { cache_control: { type: "ephemeral" } }
  const body = (blocks: number, marked: readonly number[]) => ({
    model: "claude-sonnet-4-5",
    max_tokens: 10,
    messages: Array.from({ length: blocks }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: [
        { type: "text", text: `Text number ${i} ${"word ".repeat(100)}`, ...(marked.includes(i) && mark) },
      ],
    })),
  })

  it("may move as the conversation grows", () => {
    expect(breaksOf(callsOf([body(5, [4]), body(15, [4, 14]), body(25, [14, 24])]))).toEqual([])
  })

  it("are out of reach more than 20 blocks after the last one", () => {
    const [found, ...more] = breaksOf(callsOf([body(5, [4]), body(27, [26])]))
    expect(found).toMatchObject({ cause: "markers-out-of-reach", call: 2, segment: "messages.26.content.0" })
    expect(found?.lostTokens).toBeGreaterThan(500)
    expect(found?.detail).toContain("22 blocks")
    expect(more).toEqual([])
    expect(breaksOf(callsOf([body(5, [4]), body(25, [24])]))).toEqual([])
  })

  it("that are gone leave the cache unread", () => {
    expect(breaksOf(callsOf([body(5, [4]), body(7, [])]))).toMatchObject([
      { cause: "markers-out-of-reach", detail: "the request has no cache marker any more" },
    ])
  })

  it("out of reach are no break if the provider read the cache all the same", () => {
    const usage = (read: number, written: number) => ({
      status: 200,
      body: {
        usage: { input_tokens: 3, cache_read_input_tokens: read, cache_creation_input_tokens: written },
      },
    })
    const [a, b] = callsOf([body(5, [4]), body(27, [26])])
    if (!a || !b) throw new Error("no call")
    expect(
      breaksOf([
        { ...a, response: usage(0, 2_000) },
        { ...b, response: usage(2_000, 9_000) },
      ]),
    ).toEqual([])
  })

  it("that are nowhere are one finding for the thread", () => {
    const { findings } = check(callsOf([body(21, []), body(23, []), body(25, [])]))
    expect(findings.map(({ id }) => id)).toEqual(["markers-missing"])
  })

  it("on a text that was a string before are no change", () => {
    const plain = {
      model: "claude-sonnet-4-5",
      max_tokens: 10,
      messages: [{ role: "user", content: "Hello" }],
    }
    const marked = clone({
      ...plain,
      messages: [{ role: "user", content: [{ type: "text", text: "Hello", ...mark }] }],
    })
    expect(breaksOf(callsOf([marked, plain]))).toMatchObject([{ cause: "markers-out-of-reach" }])
    expect(breaksOf(callsOf([plain, marked]))).toEqual([])
  })
})

describe("white space", () => {
  it("of the JSON alone is told as serialisation, and costs nothing", () => {
    const bodies = bodiesOf(ordinary("openai", "gpt-5.6", 4))
    const calls = callsOf(bodies).map((call, i) => ({
      ...call,
      text: i < 2 ? JSON.stringify(call.body) : JSON.stringify(call.body, undefined, 1),
    }))
    expect(breaksOf(calls)).toMatchObject([{ call: 3, cause: "serialisation", lostTokens: 0 }])
  })
})

it("returns a break when the call comes that makes it", () => {
  const bodies = bodiesOf(ordinary("gemini", "gemini-3-pro", 3))
  const lens = createLens()
  const changed = JSON.parse(JSON.stringify(bodies[2]).replace("2026-11-16", "2026-11-17"))
  const found = callsOf([bodies[0], bodies[1], changed]).map((call) => lens.push(call))
  expect(found).toMatchObject([[], [], [{ cause: "system-changed" }]])
})

it("shows no secret in its excerpts", () => {
  const body = (token: string) => ({
    model: "gpt-5.6",
    instructions: `Use the tool.\nAuthorization: Bearer ${token}\nBe short.`,
    input: "Hello",
  })
  const [found] = breaksOf(
    callsOf([
      body("ghp_0123456789abcdefghij0123456789abcdef"),
      body("ghp_9876543210abcdefghij0123456789abcdef"),
    ]),
  )
  expect(found).toMatchObject({ cause: "system-changed" })
  expect(JSON.stringify(found)).not.toContain("abcdefghij")
})

describe("the tokens that a changed system prompt loses", () => {
  const long = (seed: string) => `${seed} `.repeat(1_000)
  const mark = { cache_control: { type: "ephemeral" } }
  const body = (system: string, toolMark: object, messages: number) => ({
    model: "claude-sonnet-4-5",
    max_tokens: 10,
    tools: [{ name: "read", description: long("tool"), input_schema: { type: "object" }, ...toolMark }],
    system: [{ type: "text", text: `${long("system")}${system}`, ...mark }],
    messages: Array.from({ length: messages }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", text: long(`message${i}`), ...(i === messages - 1 && mark) }],
    })),
  })
  const lost = (toolMark: object) => {
    const [found] = breaksOf(callsOf([body("one", toolMark, 1), body("two", toolMark, 3)]))
    return found?.lostTokens ?? 0
  }
  const size = (value: unknown) => estimateTokens(JSON.stringify(value))

  it("are the system prompt, what was said, and the tools as well if no marker stands behind them", () => {
    const { tools, system, messages } = body("one", {}, 1)
    expect(lost({}) / size([tools, system, messages])).toBeCloseTo(1, 1)
    expect(lost(mark) / size([system, messages])).toBeCloseTo(1, 1)
  })

  it("are none if nothing was ever cached", () => {
    const bare = (system: string, messages: number) =>
      JSON.parse(JSON.stringify(body(system, {}, messages)).replaceAll(/,"cache_control":\{[^}]*\}/g, ""))
    expect(breaksOf(callsOf([bare("one", 1), bare("two", 3)]))).toMatchObject([
      { cause: "system-changed", lostTokens: 0 },
    ])
  })

  it("are only what follows the change where the provider caches from the start, not by blocks", () => {
    const request = (system: string, input: readonly string[]) => ({
      model: "gpt-5.6",
      instructions: `${long("system")}${system}`,
      input: input.map((text) => ({ role: "user", content: [{ type: "input_text", text }] })),
    })
    const said = long("said")
    const [found] = breaksOf(callsOf([request("one", [said]), request("two", [said, "And?"])]))
    expect((found?.lostTokens ?? 0) / size(said)).toBeCloseTo(1, 1)
  })
})

describe("a call that forbids tools", () => {
  const said = (role: string, text: string) => ({ role, content: [{ type: "text", text }] })
  const cache_control = { type: "ephemeral" }
  const body = (count: number, none: boolean, last = "And on.") => ({
    model: "claude-sonnet-4-5",
    max_tokens: 10,
    tools: [{ name: "read", input_schema: { type: "object" } }],
    system: [{ type: "text", text: "Be kind. ".repeat(500), cache_control }],
    ...(none && { tool_choice: { type: "none" } }),
    messages: [
      ...Array.from({ length: count }, (_, i) =>
        said(i % 2 === 0 ? "user" : "assistant", `Text ${i}`.repeat(99)),
      ),
      { role: "user", content: [{ type: "text", text: last, cache_control }] },
    ],
  })
  const LAST =
    "<system-reminder>\nThis is the last step of the turn: no tools can be called now.\n</system-reminder>"

  it("because it is the last of its turn is a note, and so is no break when the next turn begins", () => {
    const last = body(4, true, LAST)
    const next = {
      ...body(4, false),
      messages: [...last.messages, said("assistant", "Done."), said("user", "More.")],
    }
    const report = check(callsOf([body(4, false, LAST), last, next]))
    expect(report.threads).toMatchObject([{ calls: 3 }])
    expect(report.findings.filter(({ id }) => id === "parameter-changed")).toEqual([])
    expect(report.findings).toContainEqual(
      expect.objectContaining({ id: "last-call", severity: "note", call: 2 }),
    )
  })

  it("for no reason that it tells is a break", () => {
    const calls = callsOf([body(4, false, "Go on."), body(4, true, "Go on.")])
    expect(breaksOf(calls)).toMatchObject([{ call: 2, cause: "parameter-changed", segment: "tool_choice" }])
  })
})
