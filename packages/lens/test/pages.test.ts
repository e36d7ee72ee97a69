import { describe, expect, it } from "vitest"
import type { Call } from "../src/index.js"
import { compareSegments, createPages, type Pages } from "../src/pages/index.js"

const LONG = "Mind the manual. ".repeat(400)
const marker = { cache_control: { type: "ephemeral" } }

/** Calls of a conversation that grows by two messages each; `change` may spoil a body. */
function pagesOf(count: number, change: (body: Body, n: number) => Body = (body) => body): Pages {
  const pages = createPages({ prices: () => ({ input: 5, cacheRead: 0.5, cacheWrite: 6.25, output: 25 }) })
  for (let n = 1; n <= count; n++) pages.push(callOf(n, change(bodyOf(n), n)))
  return pages
}

type Body = ReturnType<typeof bodyOf>

function bodyOf(n: number) {
  return {
    model: "claude-opus-5-5",
    max_tokens: 100,
    tools: [{ name: "read", description: "Reads a file.", input_schema: { type: "object" } }],
    system: [{ type: "text", text: `${LONG}Today is the 16th.`, ...marker }],
    messages: Array.from({ length: 2 * n - 1 }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: [
        { type: "text", text: `Message ${i}`, ...(i === 2 * n - 2 && marker) },
        ...(i === 2
          ? [{ type: "text", text: "<system-reminder>\nThe todo list is stale.\n</system-reminder>" }]
          : []),
      ],
    })),
  }
}

function callOf(n: number, body: unknown, sent?: unknown): Call {
  const text = JSON.stringify(body)
  return {
    source: "a",
    number: n,
    at: n * 1_000,
    ms: 500,
    body,
    text,
    response: { body: { ...ANSWER, content: [{ type: "text", text: `Answer ${n}` }] } },
    ...(sent !== undefined && { sent: { body: sent, text: JSON.stringify(sent) } }),
  }
}

const ANSWER = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-5-5",
  stop_reason: "end_turn",
  usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
}

describe("pages of a trace", () => {
  it("gives a row for each call: its thread, tokens, kinds, reminders, and what was asked and said", () => {
    const pages = pagesOf(3)
    expect(pages.length).toBe(3)
    const [first, second] = pages.rows(1, 2)
    expect(first).toMatchObject({
      n: 1,
      thread: "1",
      call: 1,
      asked: "Message 0",
      said: "Answer 1",
      at: 1_000,
    })
    expect(second).toMatchObject({ n: 2, call: 2, reminders: [{ kind: expect.any(String) }] })
    expect(second?.tokens).toMatchObject({ sent: 10, output: 5, reported: true })
    expect(second?.money).toBeCloseTo((10 * 5 + 5 * 25) / 1e6)
    expect(Object.keys(second?.kinds ?? {}).sort()).toEqual([
      "assistant",
      "reminders",
      "system",
      "tools",
      "user",
    ])
    expect(pages.rows(3, 10).map(({ n }) => n)).toEqual([3])
  })

  it("shows from the first new segment on, and proves that everything before is the same", () => {
    const page = pagesOf(3).page(3)
    expect(page?.segments.map(({ text, isNew }) => [text, isNew])).toEqual([
      ["Message 3", true],
      ["Message 4", true],
    ])
    expect(page).toMatchObject({
      from: 6,
      total: 8,
      previous: 2,
      unchanged: { since: 2, segments: 6, of: 6 },
    })
    expect(page?.unchanged?.before).toBe(page?.unchanged?.now)
    expect(page?.unchanged?.bytes).toBeGreaterThan(LONG.length)
  })

  it("marks where a reminder stands, and gives any part of the segments", () => {
    const page = pagesOf(3).page(3, { from: 0, limit: 6 })
    expect(page?.segments.map(({ section }) => section)).toEqual([
      "tools",
      "system",
      ...Array(4).fill("messages"),
    ])
    const told = page?.segments.find(({ reminders }) => reminders.length > 0)
    expect(told?.text.slice(told.reminders[0]?.start, told.reminders[0]?.end)).toContain("todo list")
  })

  it("cuts a long text, and gives all of it when asked", () => {
    const pages = pagesOf(1, (body) => ({
      ...body,
      system: [{ type: "text", text: LONG.repeat(3), ...marker }],
    }))
    expect(pages.page(1)?.segments[1]).toMatchObject({ cut: true })
    const whole = pages.page(1, { whole: "system.0" })?.segments
    expect(whole).toHaveLength(1)
    expect(whole?.[0]?.text).toHaveLength(LONG.length * 3)
  })

  it("shows a break with both texts, its cost and the remedy", () => {
    const pages = pagesOf(4, (body, n) =>
      n < 3 ? body : { ...body, system: [{ type: "text", text: `${LONG}Today is the 17th.`, ...marker }] },
    )
    const [found, ...others] = pages.breaks()
    expect(others.map((one) => [one.n, one.cause, one.detail])).toEqual([])
    expect(found).toMatchObject({ n: 3, thread: "1", call: 3, cause: "system-changed", severity: "warning" })
    const page = pages.page(3)
    expect(page?.break?.before).toContain("16th")
    expect(page?.break?.after).toContain("17th")
    expect(page?.break?.remedy).toContain("Keep the system prompt fixed")
    // The segments behind the change are the same, and are processed again.
    expect(page?.unchanged).toMatchObject({ segments: 1, of: 6 })
    expect(page?.segments.filter(({ isNew }) => isNew).map(({ text }) => text.slice(-9))).toEqual([
      "the 17th.",
      "Message 3",
      "Message 4",
    ])
  })

  it("shows what the proxy withheld and what it told instead", () => {
    const pages = createPages()
    pages.push(callOf(1, bodyOf(1)))
    const original = {
      ...bodyOf(2),
      system: [{ type: "text", text: `${LONG}Today is the 17th.`, ...marker }],
    }
    const tail = { role: "user", content: [{ type: "text", text: "The date is now the 17th." }] }
    const sent = { ...bodyOf(2), messages: [...bodyOf(2).messages, tail] }
    pages.push(callOf(2, original, sent))
    expect(pages.rows(2, 1)[0]?.mends).toBe(2)
    const [held, told] = pages.page(2)?.mends ?? []
    expect(held).toMatchObject({ path: "system.0", withheld: expect.stringContaining("17th") })
    expect(held?.told).toContain("16th")
    expect(told).toMatchObject({ told: "The date is now the 17th." })
  })

  it("shows a reminder that the proxy moved into a tool result as moved, not as withheld", () => {
    const pages = createPages()
    const call = { type: "tool_use", id: "toolu_1", name: "read", input: {} }
    const reminder = { type: "text", text: "<system-reminder>\nThe todo list is stale.\n</system-reminder>" }
    const result = (content: unknown) => ({ type: "tool_result", tool_use_id: "toolu_1", content })
    const withNewest = (...content: readonly unknown[]) => ({
      ...bodyOf(1),
      messages: [...bodyOf(1).messages, { role: "assistant", content: [call] }, { role: "user", content }],
    })
    const sent = withNewest(result([{ type: "text", text: "const a = 1" }, reminder]))
    pages.push(callOf(1, withNewest(result("const a = 1"), reminder), sent))
    expect(pages.page(1)?.mends).toMatchObject([
      { path: "messages.2.content.0", message: "went out with reminders inside" },
      { path: "messages.2.content.1", message: "went out inside a tool result" },
    ])
  })

  it("names the tool that is called and the one that answers", () => {
    const pages = createPages()
    const { messages, ...rest } = bodyOf(1)
    const call = { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a.ts" } }
    const result = { type: "tool_result", tool_use_id: "toolu_1", content: "const a = 1" }
    const turns = [
      { role: "assistant", content: [call] },
      { role: "user", content: [result] },
    ]
    pages.push(callOf(1, { ...rest, messages: [...messages, ...turns] }))
    const [called, answered] = pages.page(1)?.segments.slice(-2) ?? []
    expect(called).toMatchObject({ kind: "call", name: "read", text: '{\n  "path": "a.ts"\n}' })
    expect(answered).toMatchObject({ kind: "result", name: "read", text: "const a = 1" })
  })

  it("finds a text in the call that brought it", () => {
    expect(pagesOf(4).search("MESSAGE 4", 10)).toMatchObject([{ n: 3, path: "messages.4.content.0" }])
    expect(pagesOf(4).search("", 10)).toEqual([])
  })

  it("redacts secrets", () => {
    const key = `sk-ant-api03-${"a1B2".repeat(24)}-AA`
    const pages = pagesOf(1, (body) => ({
      ...body,
      system: [{ type: "text", text: `key ${key}`, ...marker }],
    }))
    expect(JSON.stringify([pages.page(1), pages.rows(1, 1)])).not.toContain(key)
  })

  it("keeps what is shared once: the segments of a long trace cost no more than what is new", () => {
    const pages = pagesOf(200)
    const page = pages.page(200, { from: 0, limit: 400 })
    expect(page?.total).toBe(402)
    expect(page?.segments.slice(2, 5).map(({ text }) => text)).toEqual([
      "Message 0",
      "Message 1",
      "Message 2",
    ])
    expect(page?.segments.at(-1)?.text).toBe("Message 396")
  })
})

describe("the tools of a call", () => {
  const ask = { role: "user", content: "Go." }
  const uses = [
    {
      type: "tool_use",
      id: "u1",
      name: "Edit",
      input: { file_path: "a.ts", old_string: "x", new_string: "y" },
    },
    {
      type: "tool_use",
      id: "u2",
      name: "Write",
      input: { file_path: "b.ts", content: "long ".repeat(3_000) },
    },
    { type: "tool_use", id: "u3", name: "Bash", input: { command: "ls" } },
  ]
  const results = [
    { type: "tool_result", tool_use_id: "u1", content: "Edited." },
    { type: "tool_result", tool_use_id: "u2", content: [{ type: "text", text: "out ".repeat(1_000) }] },
    { type: "tool_result", tool_use_id: "u3", content: "no", is_error: true },
  ]
  const body = (messages: readonly object[]) => ({ model: "claude-opus-5-5", max_tokens: 100, messages })
  const pages = createPages()
  const first = callOf(1, body([ask]))
  pages.push({ ...first, response: { body: { ...ANSWER, content: uses } } })
  pages.push(callOf(2, body([ask, { role: "assistant", content: uses }, { role: "user", content: results }])))

  it("come with arguments, results and the changes that they make, long ones cut", () => {
    const [edit, write, bash] = pages.tools(1) ?? []
    expect(edit).toMatchObject({
      name: "Edit",
      changes: [{ path: "a.ts", before: "x", after: "y" }],
      result: { text: "Edited." },
    })
    expect(write?.changes).toMatchObject([{ path: "b.ts", cut: true }])
    expect(write?.changes[0]).not.toHaveProperty("before")
    expect(write?.result).toMatchObject({ cut: true })
    expect(write?.result?.text).toHaveLength(2_000)
    expect(bash).toMatchObject({ changes: [], result: { text: "no", error: true } })
  })

  it("come whole, one at a time", () => {
    const [write, ...others] = pages.tools(1, "u2") ?? []
    expect(others).toEqual([])
    expect(write?.changes[0]?.after).toBe("long ".repeat(3_000))
    expect(write?.result).toEqual({ text: "out ".repeat(1_000) })
    expect([pages.tools(2), pages.tools(3)]).toEqual([[], undefined])
  })

  it("add up to the totals of the trace", () => {
    expect(pagesOf(3).totals()).toEqual({
      tokens: { sent: 30, read: 0, output: 15 },
      cost: expect.closeTo((30 * 5 + 15 * 25) / 1e6),
      breaks: 0,
      startedAt: 1_000,
      endedAt: 3_500,
    })
  })
})

describe("two requests", () => {
  const sides = (a: number, b: number, change?: Parameters<typeof pagesOf>[1]) =>
    compareSegments(pagesOf(a).segments(a) ?? [], pagesOf(b, change).segments(b) ?? [])

  it("that are the same have no difference", () => {
    expect(sides(3, 3)).toMatchObject({ changes: [], left: 0, onlyTokens: { a: 0, b: 0 } })
  })

  it("differ by what the second adds", () => {
    const { same, segments, changes } = sides(2, 3)
    expect(same.segments).toBe(segments.a)
    expect(changes.map(({ a, b }) => [a?.text, b?.text])).toEqual([
      [undefined, "Message 3"],
      [undefined, "Message 4"],
    ])
  })

  it("differ by a tool of the same name, a word in the system prompt, and a message in between", () => {
    const { same, changes } = sides(3, 3, (one) => ({
      ...one,
      tools: one.tools.map((tool) => ({ ...tool, description: "Reads any file." })),
      system: one.system.map((part) => ({ ...part, text: part.text.replace("16th", "17th") })),
      messages: one.messages.toSpliced(1, 1),
    }))
    expect(same.segments).toBe(0)
    expect(changes.map(({ a, b }) => [a?.section, b?.section, a?.name])).toEqual([
      ["tools", "tools", "read"],
      ["system", "system", undefined],
      ["messages", undefined, undefined],
    ])
    expect(changes[2]?.a?.text).toBe("Message 1")
  })
})
