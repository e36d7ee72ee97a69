import { createSession, type Reply } from "@sotto/core"
import { encode } from "@sotto/core/anthropic"
import { UnknownSource } from "@sotto/lens/sources"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { jsonl, read, readInPieces } from "./support/reading.js"

const body = {
  model: "claude-opus-5",
  max_tokens: 9,
  messages: [{ role: "user", content: 'Hello "you" \\ ✓' }],
}
const raw = JSON.stringify(body, null, 1)

describe("JSONL of bodies", () => {
  it.each([
    ["the line itself", body],
    ["under body", { body }],
    ["under body, as text", { body: raw }],
    ["under request", { request: body }],
    ["under request, as text", { request: raw }],
    ["under request.body", { request: { body } }],
    ["under request.body, as text", { request: { body: raw } }],
  ])("%s", async (_, line) => {
    const { format, calls, damage } = await read(jsonl(line))
    expect({ format, damage }).toEqual({ format: "bodies", damage: [] })
    expect(calls).toMatchObject([{ source: "test", number: 1, body }])
    expect(calls[0]?.text).toBe(JSON.stringify(line).includes("\\n") ? raw : undefined)
  })

  it("takes bodies of every API, a list of them, and one that is written over several lines", async () => {
    const all = [body, { model: "gpt-5.5", input: "Hello" }, { contents: [{ parts: [{ text: "Hello" }] }] }]
    for (const text of [jsonl(...all), JSON.stringify(all), JSON.stringify(all, null, 2)])
      expect((await read(text)).calls.map((call) => call.body)).toEqual(all)
    const { format, calls } = await read(raw)
    expect([format, calls.length]).toEqual(["bodies", 1])
  })

  it("says which line is damaged and reads the rest", async () => {
    const { calls, damage } = await read(`\uFEFF${jsonl(body, '{"model": "cut', "", "7", { a: 1 }, body)}`)
    expect(calls.map(({ number }) => number)).toEqual([1, 6])
    expect(damage).toEqual([
      { source: "test", number: 2, message: "It is not JSON." },
      { source: "test", number: 4, message: "It is not an object." },
      { source: "test", number: 5, message: "It holds no request body." },
    ])
  })

  it("recognises a file whose first lines are damaged or whose last line was cut", async () => {
    const { format, calls, damage } = await read(
      `garbage\n${jsonl(body)}${JSON.stringify(body).slice(0, 30)}`,
    )
    expect([format, calls.length, damage.length]).toEqual(["bodies", 1, 2])
  })
})

describe("recordings of calls", () => {
  const line = {
    at: 1_700_000_000_000,
    ms: 12,
    request: {
      method: "POST",
      path: "/v1/messages?beta=true",
      headers: { "Anthropic-Beta": "one, two" },
      body: raw,
    },
    response: { status: 200, headers: {}, body: 'event: message_start\ndata: {"type":"message_start"}\n\n' },
    sent: { body: JSON.stringify({ ...body, max_tokens: 10 }) },
  }

  it("have the response, the time, the betas, and what the proxy sent instead", async () => {
    const { format, calls } = await read(jsonl(line))
    expect(format).toBe("calls")
    expect(calls).toEqual([
      {
        source: "test",
        number: 1,
        at: line.at,
        ms: 12,
        dialect: "anthropic",
        path: "/v1/messages?beta=true",
        betas: ["one", "two"],
        body,
        text: raw,
        response: { status: 200, text: line.response.body },
        sent: { body: { ...body, max_tokens: 10 }, text: line.sent.body },
      },
    ])
  })

  it.each([
    ["/v1/responses", { model: "m", input: "x" }, { dialect: "openai" }],
    ["/openai/deployments/x/chat/completions?api-version=1", { messages: [] }, { dialect: "openai-chat" }],
    ["/v1/messages/count_tokens", body, { dialect: "anthropic" }],
    [
      "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
      { contents: [] },
      { dialect: "gemini", model: "gemini-3-pro" },
    ],
    [
      "/model/us.anthropic.claude-opus-5%3A0/invoke-with-response-stream",
      body,
      { dialect: "anthropic", model: "us.anthropic.claude-opus-5:0" },
    ],
  ])("know the API by its path: %s", async (path, sent, known) => {
    const { calls } = await read(jsonl({ request: { method: "POST", path, body: sent } }))
    expect(calls).toMatchObject([known])
  })

  it("leave out calls to anything but a model, and keep why there is no response", async () => {
    const other = { request: { method: "POST", path: "/v1/embeddings", body: { input: "x" } } }
    const failed = { ...line, response: undefined, error: "The connection was reset." }
    const { calls, damage } = await read(jsonl(line, other, failed))
    expect(damage).toEqual([])
    expect(calls.map(({ number, error }) => [number, error])).toEqual([
      [1, undefined],
      [3, "The connection was reset."],
    ])
  })
})

describe("HAR", () => {
  const entry = (url: string, text: string, more: object = {}) => ({
    startedDateTime: "2026-11-16T10:00:00.000Z",
    time: 7,
    request: {
      method: "POST",
      url,
      headers: [{ name: "anthropic-beta", value: "one" }],
      postData: { mimeType: "application/json", text, ...more },
    },
    response: { status: 200, content: { text: "e30=", encoding: "base64" } },
  })
  const har = (entries: readonly object[], before: object = {}) => ({
    log: { version: "1.2", creator: { name: '"entries":[', entries: [1] }, ...before, entries, comment: "x" },
  })
  const base64 = Buffer.from(raw).toString("base64")

  it.each([
    ["on one line", 0],
    ["over many", 2],
  ])("%s: has the calls to models, from text and base64", async (_, indent) => {
    const url = "https://api.anthropic.com/v1/messages"
    const text = JSON.stringify(
      har([
        { request: { method: "GET", url: "https://example.com/" }, response: {} },
        entry(url, raw),
        entry("https://example.com/track", "{}"),
        entry(url, base64, { encoding: "base64" }),
      ]),
      null,
      indent,
    )
    const { format, calls, damage } = await read(text)
    expect({ format, damage }).toEqual({ format: "har", damage: [] })
    const known = { body, text: raw, dialect: "anthropic", path: "/v1/messages", betas: ["one"], ms: 7 }
    expect(calls).toMatchObject([
      { number: 2, ...known, at: Date.UTC(2026, 10, 16, 10), response: { status: 200, text: "{}" } },
      { number: 4, ...known },
    ])
  })

  it("says which entry is damaged, also where the file ends too soon", async () => {
    const url = "https://api.openai.com/v1/responses"
    const whole = JSON.stringify(har([entry(url, "not JSON"), entry(url, '{"input":"x"}'), entry(url, "{}")]))
    const { calls, damage } = await read(whole.slice(0, -60))
    expect(calls).toHaveLength(1)
    expect(damage.map(({ number, message }) => [number, message])).toEqual([
      [1, "It has a request body that is not JSON."],
      [3, "It is damaged."],
    ])
  })

  it("hides the key that Google's addresses may carry", async () => {
    const url =
      "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:generateContent?key=abc&x=1"
    const { calls } = await read(JSON.stringify(har([entry(url, '{"contents":[]}')])))
    expect(calls[0]?.path).toBe("/v1beta/models/gemini-3-pro:generateContent?key=…&x=1")
  })
})

describe("a log of Sotto", () => {
  it("gives the requests that were sent, made again from the log", async () => {
    let ids = 0
    const session = createSession({
      agents: [{ name: "build", mode: "primary" }],
      model: { id: "anthropic/claude-opus-5-5" },
      tools: [{ name: "read", description: "Reads.", inputSchema: { type: "object" }, safeToRepeat: true }],
      now: () => 1_000 * ids,
      newId: () => `id-${ids++}`,
    })
    const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }
    const replies: Reply[] = [
      { parts: [{ type: "tool-call", id: "c1", name: "read", input: {} }], stop: "tool-calls", usage },
      { parts: [{ type: "text", text: "Done." }], stop: "end" },
    ]
    const sent: unknown[] = []
    session.say("Hello")
    for (let next = session.next(); next.is !== "idle"; next = session.next()) {
      if (next.is === "request") {
        sent.push(encode(next.request))
        session.reply(next.request.id, replies[sent.length - 1] ?? { parts: [] })
      } else session.result("c1", "It is empty.")
    }
    const header = { sotto: "session", version: 1, id: "s", cwd: "/", created: 0 }
    const { format, calls, damage } = await read(jsonl(header, ...session.log))
    expect({ format, damage }).toEqual({ format: "sotto", damage: [] })
    expect(sent).toHaveLength(2)
    expect(calls.map((call) => call.body)).toEqual(sent)
    expect(calls[0]).toMatchObject({
      dialect: "anthropic",
      model: "claude-opus-5-5",
      response: { body: { usage: { input_tokens: 1, cache_read_input_tokens: 3 } } },
    })
    const cut = await read(
      `${jsonl(...session.log)
        .trimEnd()
        .slice(0, -9)}`,
    )
    expect([cut.calls.length, cut.damage.length]).toEqual([2, 1])
  })
})

describe("any source", () => {
  const sources = [
    jsonl({ body: raw }, "broken", body, { request: { method: "POST", path: "/v1/messages", body: raw } }),
    JSON.stringify({ log: { pages: [{ id: "[{" }], entries: [{ a: '"}]' }, {}, { b: "\\\\" }] } }),
    JSON.stringify([body, { ...body, system: 'x\\"]' }], null, 3),
  ]

  it("is read the same in pieces of any size", async () => {
    const wholes = await Promise.all(sources.map((text) => read(text)))
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: sources.length - 1 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
        async (which, sizes) => {
          expect(await readInPieces(sources[which] ?? "", sizes)).toEqual(wholes[which])
        },
      ),
    )
  })

  it.each([
    ["", /is empty/],
    ["\n \n", /is empty/],
    ["hello there\n", /no format that Sotto can read/],
    ['{"name":"a package","version":"1.0.0"}', /no format that Sotto can read/],
    ["[1,2,3]", /no format that Sotto can read/],
    ["\u0000\u0001\u0002", /no format that Sotto can read/],
  ])("%j is refused with what is read", async (text, message) => {
    await expect(read(text)).rejects.toThrow(UnknownSource)
    await expect(read(text)).rejects.toThrow(message)
  })
})
