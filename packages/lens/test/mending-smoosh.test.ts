import { expectAppendOnly, validateAnthropic } from "@sotto/core/testing"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createMender, type MendingPolicy } from "../src/index.js"
import { elementsOf, locate } from "../src/segments/locate.js"
import type { Body } from "./support/history.js"
import {
  assistant,
  calling,
  claude,
  heldAll,
  reminder,
  request,
  result,
  send,
  sendAll,
  user,
  words,
} from "./support/mending.js"
import { blocksOf, messagesOf, siblingsIn, textsIn } from "./support/siblings.js"

const TODO = (n: number) => reminder(`The TodoWrite tool has not been used: ${n} are open.`)
const NOTE = reminder("Note: a.ts was modified by the user.")
const [u1, u2] = [words(1), words(2)]
const text = (words: string, more: object = {}) => ({ type: "text", text: words, ...more })
const block = (id: string, content: unknown, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
})
const said = (...content: readonly unknown[]) => ({ role: "user", content })
const MARK = { cache_control: { type: "ephemeral" } }
const SMOOSH = { smoosh: true } as const

/** A tool loop in which each result brings a reminder along, and keeps it. */
const loop = (steps: number, more: object = {}): Body =>
  claude(
    [
      user(u1),
      ...Array.from({ length: steps }, (_, n) => [
        calling(`c${n}`),
        result(`c${n}`, words(20 + n), TODO(n)),
      ]).flat(),
    ],
    more,
  )

/** The content of the newest message, once it went through a mender. */
function newest(content: readonly unknown[], calls: readonly unknown[] = [calling("a")]): unknown {
  const [sent] = sendAll([claude([user(u1), ...calls, { role: "user", content }])], SMOOSH)
  expect(sent?.fellBack).toBeUndefined()
  return messagesOf(sent?.json ?? {}).at(-1)?.content
}

describe("a reminder behind tool results", () => {
  it("goes out inside the last of them, behind its own content, in order", () => {
    const both = { role: "assistant", content: [...calling("a").content, ...calling("b").content.slice(1)] }
    const content = [block("a", "one"), block("b", "two"), text(TODO(1)), text(u2), text(NOTE)]
    expect(newest(content, [both])).toEqual([
      block("a", "one"),
      block("b", [text("two"), text(TODO(1)), text(NOTE)]),
      text(u2),
    ])
  })

  it.each([
    ["a list", [text("one")], [text("one"), text(NOTE)]],
    ["an empty list", [], [text(NOTE)]],
    ["an empty text", "", [text(NOTE)]],
    ["nothing", undefined, [text(NOTE)]],
  ])("goes behind %s", (_, content, moved) => {
    expect(newest([block("a", content), text(NOTE)])).toEqual([block("a", moved)])
  })

  it.each([
    ["a user's words", [text(u2)]],
    ["a user's words with a reminder in the same text", [text(`${u2}\n${NOTE}`)]],
    ["what a user typed as a command", [text("<command-args>Look at b.ts</command-args>")]],
    ["other tags, which would read like the tool's inside of a result", [text("<notes_of>x</notes_of>")]],
    ["a note that has no tags", [text("[Request interrupted by user for tool use]")]],
    ["an image", [{ type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } }]],
  ])("is not mistaken for %s", (_, behind) => {
    const content = [block("a", "one"), ...behind]
    expect(newest(content)).toEqual(content)
  })

  it("stays where it is in a message of its own, and behind a result that refers to tools", () => {
    const reference = block("a", [{ type: "tool_reference", tool_name: "read" }])
    const bodies = [
      claude([user(u1), calling("a"), said(block("a", "one")), user(NOTE)]),
      claude([user(u1), calling("a"), said(reference, text(NOTE))]),
      claude([user(u1, NOTE)]),
    ]
    for (const body of bodies) expect(sendAll([body], SMOOSH)[0]?.body).toBe(JSON.stringify(body))
  })

  it("is left alone on other APIs, which have no such shape or no place for it", () => {
    const parts = [{ functionResponse: { name: "read", response: { output: "one" } } }, { text: NOTE }]
    const body = { contents: [{ role: "user", parts }] }
    expect(sendAll([body], SMOOSH, "gemini")[0]?.body).toBe(JSON.stringify(body))
    expect(sendAll([loop(1)], SMOOSH, "openai-chat")[0]?.body).toBe(JSON.stringify(loop(1)))
  })
})

describe("the cache marker of a reminder that moves", () => {
  it.each([
    ["the result", [block("a", "one"), text(NOTE, MARK)], [block("a", [text("one"), text(NOTE)], MARK)]],
    [
      "the words before it",
      [block("a", "one"), text(u2), text(NOTE, MARK)],
      [block("a", [text("one"), text(NOTE)]), text(u2, MARK)],
    ],
    [
      "no second place if one is there",
      [block("a", "one", { cache_control: { type: "ephemeral", ttl: "1h" } }), text(NOTE, MARK)],
      [block("a", [text("one"), text(NOTE)], { cache_control: { type: "ephemeral", ttl: "1h" } })],
    ],
  ])("goes to %s", (_, content, sent) => {
    expect(newest(content)).toEqual(sent)
  })
})

describe("a conversation", () => {
  it("only grows, and each message is mended the same way in every later request", () => {
    const all = sendAll(
      Array.from({ length: 6 }, (_, n) => loop(n)),
      SMOOSH,
    )
    expectAppendOnly(all.map(({ json }) => json))
    for (const [n, { json, mends }] of all.entries()) {
      expect(siblingsIn(json)).toEqual([])
      expect(mends.map(({ policy, path }) => [policy, path])).toEqual(
        Array.from({ length: n }, (_, i) => ["smoosh", `messages[${2 + 2 * i}]`]),
      )
    }
  })

  it("that began before the mender keeps what was sent as it was sent", () => {
    const all = sendAll([loop(3), loop(4), loop(5)], SMOOSH)
    expectAppendOnly([loop(2), ...all.map(({ json }) => json)])
    expect(all.map(({ json }) => siblingsIn(json))).toEqual(all.map(() => [TODO(0), TODO(1)]))
  })

  it("keeps a reminder beside the results that the harness adds to a message that was sent", () => {
    const before = [user(u1), calling("a")]
    const all = sendAll(
      [
        claude([...before, said(block("a", "one"))]),
        claude([...before, said(block("a", "one"), text(NOTE))]),
        claude([...before, said(block("a", "one"), text(NOTE)), assistant("Yes."), user(u2)]),
      ],
      SMOOSH,
    )
    expectAppendOnly(all.map(({ json }) => json))
    expect(siblingsIn(all.at(-1)?.json ?? {})).toEqual([NOTE])
  })

  it.each([SMOOSH, { smoosh: true, hold: true }] as const)("that grows within a message: %o", (policy) => {
    const before = [user(u1), calling("a")]
    const first = [block("a", "one"), text(TODO(1))]
    const all = sendAll(
      [
        claude([...before, said(...first)]),
        claude([...before, said(...first, text(u2), text(NOTE))]),
        claude([...before, said(...first, text(u2), text(NOTE)), assistant("Yes."), user("c")]),
      ],
      policy,
    )
    expectAppendOnly(all.map(({ json }) => json))
    for (const { json } of all.slice(1)) expect(textsIn(json)).toContain(NOTE)
  })

  it("that grows within a message by a reminder that is muted, while it is held", () => {
    const first = [block("a", "one"), text(TODO(1))]
    const all = sendAll(
      [
        claude([user(u1), calling("a"), said(...first)]),
        claude([user(u1), calling("a"), said(...first, text(u2), text(NOTE))]),
      ],
      { smoosh: true, hold: true, mute: ["edited_text_file"] },
    )
    expectAppendOnly(all.map(({ json }) => json))
    expect(messagesOf(all[1]?.json ?? {})[2]?.content).toEqual([
      block("a", [text("one"), text(TODO(1))]),
      text(u2),
    ])
  })

  it("goes back a step with the bytes that were sent, also where thinking is tied to them", () => {
    const model = { model: "claude-opus-5-5" }
    const thought = (n: number, words: string) => ({
      role: "assistant",
      content: [
        { type: "thinking", thinking: `thought ${n}`, signature: "c2ln" },
        { type: "text", text: words },
      ],
    })
    const start = [...(loop(2).messages as unknown[]), thought(1, "Done.")]
    const bodies = [
      loop(1, model),
      loop(2, model),
      claude([...start, user(u2), thought(2, "More."), user("c")], model),
      claude([...start, user("Something else.")], model),
    ]
    const [, , before, after] = sendAll(bodies, SMOOSH)
    const shared = messagesOf(before?.json ?? {}).slice(0, start.length)
    expect(siblingsIn({ messages: shared })).toEqual([])
    expect(messagesOf(after?.json ?? {}).slice(0, start.length)).toEqual(shared)
    expect(after?.mends.map(({ policy }) => policy)).not.toContain("thinking")
  })

  it("leaves thinking out that was produced under other bytes when the state is lost", () => {
    const thinking = { type: "thinking", thinking: "thought", signature: "c2ln" }
    const done = { role: "assistant", content: [thinking, text("Done.")] }
    const body = claude([...(loop(2).messages as unknown[]), done, user(u2)], { model: "claude-opus-5-5" })
    const [sent] = sendAll([body], SMOOSH)
    expect(sent?.body).not.toContain("thought")
    expect(sent?.mends.map(({ policy }) => policy)).toEqual(["thinking"])
    // Nothing in this one could ever have moved, so its thinking fits.
    const plain = claude([user(u1, NOTE), done, user(u2)], { model: "claude-opus-5-5" })
    expect(sendAll([plain], SMOOSH)[0]?.body).toBe(JSON.stringify(plain))
  })

  it("goes out as the harness wrote it once the provider has refused it", () => {
    const mender = createMender(SMOOSH)
    send(mender, loop(1))
    expect(send(mender, loop(2)).body).not.toBe(JSON.stringify(loop(2)))
    mender.refused?.(request(loop(2)))
    for (const n of [2, 3]) expect(send(mender, loop(n)).body).toBe(JSON.stringify(loop(n)))
  })

  it("keeps its bytes: numbers, escapes, white space and the order of keys", () => {
    const item = (behind: string) =>
      `{ "content" : [ {"tool_use_id":"c\\u0030", "type":"tool_result","content":"h\\u00e9","is_error":false}${behind} ],"role":"user" }`
    const written = (content: string) =>
      `{ "max_tokens": 1e2, "tools":[{"name":"read","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"h\\u00e9"},{"role":"assistant","content":[{"type":"tool_use","id":"c0","name":"read","input":{"n":1.0}}]},${content}], "model":"claude-sonnet-4-5" , "temperature":0.10 }`
    const block = '{"text":"<system-reminder>\\u0041</system-reminder>", "type":"text"}'
    const { body } = createMender(SMOOSH).mend(request(written(item(`, ${block} `))))
    const inner = `"content":[{"type":"text","text":"h\\u00e9"},${block}]`
    expect(body).toBe(
      written(
        `{ "content" : [{"tool_use_id":"c\\u0030", "type":"tool_result",${inner},"is_error":false}],"role":"user" }`,
      ),
    )
  })
})

describe("together with other policies", () => {
  const policies: readonly MendingPolicy[] = [
    { smoosh: true, mute: ["todo_reminder"] },
    { smoosh: true, throttle: { todo_reminder: 2 } },
    { smoosh: true, breakpoints: true },
    {
      smoosh: true,
      hold: true,
      mute: ["edited_text_file"],
      throttle: { todo_reminder: 3 },
      breakpoints: true,
    },
  ]

  it.each(policies)("%o only adds to what was sent, and restarts with the same bytes", (policy) => {
    const bodies = Array.from({ length: 7 }, (_, n) => {
      const { messages, ...rest } = loop(n)
      const list = messagesOf({ messages })
      return {
        ...rest,
        messages: list.map((message, i) =>
          i % 4 === 2 ? { ...message, content: [...blocksOf(message), text(u2), text(NOTE)] } : message,
        ),
      }
    })
    const whole = createMender(policy)
    let stopped = createMender(policy)
    const all = bodies.map((body) => {
      const expected = send(whole, body)
      expect(send(stopped, body).body).toBe(expected.body)
      stopped = createMender(policy, { saved: stopped.save() })
      expect(send(stopped, body).body).toBe(expected.body)
      return expected
    })
    expectAppendOnly(all.map(({ json }) => json))
    for (const { json } of all) {
      expect(siblingsIn(json)).toEqual([])
      expect(validateAnthropic(json)).toEqual([])
    }
  })

  it("hold: a reminder that moves on with every request stays inside the result that it was first sent with", () => {
    const context = reminder(`# claudeMd\nContents of CLAUDE.md: ${words(12, 400)}`)
    const bodies = Array.from({ length: 4 }, (_, n) =>
      claude([
        user(u1),
        ...Array.from({ length: n + 1 }, (_, i) => [
          calling(`c${i}`),
          result(`c${i}`, words(20 + i), ...(i === n ? [context, TODO(n)] : [])),
        ]).flat(),
      ]),
    )
    const all = heldAll(bodies, "anthropic", { hold: true, smoosh: true })
    for (const { json, body } of all) {
      expect(siblingsIn(json)).toEqual([])
      expect(body.split(words(12, 400))).toHaveLength(2)
    }
  })

  it("hold: a result that is masked later keeps the reminders that moved into it", () => {
    const masked = "[Old tool result content cleared]"
    const body = (first: unknown, behind: readonly string[], ...more: readonly unknown[]) =>
      claude([user(u1), calling("a"), said(block("a", first), ...behind.map((one) => text(one))), ...more], {
        system: `You are an agent.\nToday's date: 2026-11-${more.length === 0 ? 16 : 17}`,
      })
    const second = [calling("b"), result("b", words(31, 300))]
    const bodies = [
      body(words(30, 300), [NOTE, TODO(1)]),
      body(words(30, 300), [NOTE], ...second),
      body(masked, [NOTE], ...second, calling("c"), result("c", "three")),
    ]
    const all = sendAll(bodies, { hold: true, smoosh: true })
    const last = all.at(-1)
    expect(blocksOf(messagesOf(last?.json ?? {})[2] ?? { role: "", content: [] })).toEqual([
      block("a", [text(masked), text(NOTE), text(TODO(1))]),
    ])
    // Everything else is still held.
    expect(last?.json.system).toContain("2026-11-16")
  })
})

/** One message with tool results: the contents of these, and what the harness puts behind them. */
interface Step {
  readonly contents: readonly unknown[]
  readonly behind: readonly unknown[]
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    contents: fc.array(
      fc.constantFrom<unknown>("out", "", "a \\u0041 \u2028 é", [], [text("one"), text("two")], undefined),
      { minLength: 1, maxLength: 3 },
    ),
    behind: fc.array(
      fc.constantFrom<unknown>(
        text(TODO(1)),
        text(NOTE),
        text(`${NOTE}\n${TODO(2)}`),
        text(u2),
        text(`${u2}\n${NOTE}`),
        text("<command-args>Look at b.ts</command-args>"),
        { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
      ),
      { maxLength: 4 },
    ),
  }),
  { minLength: 1, maxLength: 7 },
)

/** The requests of a tool loop as text. The newest message ends with a cache marker, as the one before it did. */
function written(all: readonly Step[], indent: number, model: string): readonly string[] {
  const turn = ({ contents, behind }: Step, n: number) => {
    const calls = contents.map((_, i) => calling(`c${n}_${i}`).content[1])
    const thinking = { type: "thinking", thinking: `thought ${n}`, signature: "c2ln" }
    const results = contents.map((content, i) => block(`c${n}_${i}`, content))
    return [
      { role: "assistant", content: [thinking, text(`Step ${n}.`), ...calls] },
      { role: "user", content: [...results, ...behind] },
    ]
  }
  const marked = (message: { readonly role: string; readonly content: readonly object[] }) => ({
    ...message,
    content: message.content.map((one, i) => (i === message.content.length - 1 ? { ...one, ...MARK } : one)),
  })
  const everything = [user(u1), ...all.flatMap(turn)] as { role: string; content: object[] }[]
  return Array.from({ length: all.length + 1 }, (_, n) => {
    const messages = everything.slice(0, 1 + 2 * n)
    const isNew = (i: number) => i >= messages.length - 3 && messages[i]?.role === "user"
    const body = claude(
      messages.map((message, i) => (isNew(i) ? marked(message) : message)),
      { model },
    )
    return JSON.stringify(body, undefined, indent)
  })
}

const RUNS = {
  seed: Number(process.env.SOTTO_SEED ?? 20261118),
  numRuns: Number(process.env.SOTTO_RUNS ?? 150),
}

const itemsIn = (body: string) => {
  const list = locate(body, "messages") ?? { start: 0, end: 0 }
  const items = elementsOf(body, list.start).map(({ start, end }) => body.slice(start, end))
  return { items, before: body.slice(0, list.start), after: body.slice(list.end) }
}

const isMovable = (one: unknown) =>
  /^<system-reminder>[\s\S]*<\/system-reminder>$/.test((one as Body).text as string)
const unmarked = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner)))

/** What holds for every mended request, whatever was sent before it. */
function expectSmooshed(original: string, sent: string): void {
  const [was, is]: readonly [Body, Body] = [JSON.parse(original), JSON.parse(sent)]
  expect(validateAnthropic(is)).toEqual([])
  expect(siblingsIn(is).filter((one) => isMovable({ text: one }))).toEqual([])
  expect(textsIn(is)).toEqual(textsIn(was))
  const [a, b] = [itemsIn(original), itemsIn(sent)]
  expect([b.before, b.after, b.items.length]).toEqual([a.before, a.after, a.items.length])
  const markers = (text: string) => text.split('"cache_control"').length - 1
  expect(markers(sent)).toBeLessThanOrEqual(markers(original))
  for (const [i, item] of a.items.entries()) {
    const now = b.items[i] ?? ""
    const blocks = blocksOf(JSON.parse(item))
    const kept = blocks.filter((one) => one.type === "tool_result" || !isMovable(one))
    if (kept.length === blocks.length || !item.includes("tool_result")) {
      expect(now).toBe(item)
      continue
    }
    // Whatever stays has its place and its words, and its bytes if no marker came to it.
    const host = kept.findLastIndex(({ type }) => type === "tool_result")
    const left = blocksOf(JSON.parse(now))
    expect(left).toHaveLength(kept.length)
    const rest = (list: readonly unknown[]) => unmarked(list.filter((_, j) => j !== host))
    expect(rest(left)).toEqual(rest(kept))
    if (!item.includes("cache_control"))
      for (const { start, end } of elementsOf(item, locate(item, "content")?.start ?? 0)) {
        const bytes = item.slice(start, end)
        if (JSON.stringify(JSON.parse(bytes)) !== JSON.stringify(kept[host])) expect(now).toContain(bytes)
      }
    expect(now.includes("cache_control")).toBe(item.includes("cache_control"))
    if (item.includes("cache_control")) expect(left.at(-1)).toHaveProperty("cache_control")
  }
}

it("any history of tool results and what follows them: valid, append-only, complete and untouched where nothing moves", () => {
  fc.assert(
    fc.property(
      steps,
      fc.constantFrom(0, 1),
      fc.constantFrom("claude-sonnet-4-5", "claude-opus-5-5"),
      fc.array(fc.constantFrom("go on", "retry", "restart", "crash")),
      (all, indent, model, events) => {
        const bodies = written(all, indent, model)
        const whole = createMender(SMOOSH)
        const expected = bodies.map((body) => whole.mend(request(body)))
        expectAppendOnly(expected.map(({ body }) => JSON.parse(body)))
        expected.forEach(({ body, fellBack, mends }, i) => {
          expect(fellBack).toBeUndefined()
          expect(mends.every(({ policy }) => policy === "smoosh")).toBe(true)
          expectSmooshed(bodies[i] ?? "", body)
        })
        // Another mender is stopped in between. After a crash the state of the newest requests is lost.
        let mender = createMender(SMOOSH)
        let saved = mender.save()
        bodies.forEach((body, i) => {
          const event = events[i]
          expect(mender.mend(request(body)).body).toBe(expected[i]?.body)
          if (event === "retry") expect(mender.mend(request(body)).body).toBe(expected[i]?.body)
          if (i === 0 || event !== "crash") saved = mender.save()
          if (event === "restart" || event === "crash") mender = createMender(SMOOSH, { saved })
        })
      },
    ),
    RUNS,
  )
})
