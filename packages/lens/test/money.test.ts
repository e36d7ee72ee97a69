import { cacheModel } from "@sotto/core/testing"
import { describe, expect, it } from "vitest"
import { type Call, type CallResponse, check } from "../src/index.js"
import { createPages } from "../src/pages/index.js"
import { type Body, bodiesOf, callsOf, MODELS, ordinary } from "./support/history.js"

const bodies = bodiesOf(ordinary("anthropic", "claude-sonnet-4-5", 4))

/** A response as each API reports how much of a prompt of 5,000 tokens came from its cache. */
const RESPONSES: readonly (readonly [string, string, (read: number) => CallResponse])[] = [
  [
    "anthropic",
    "claude-sonnet-4-5",
    (read) => ({
      body: {
        usage: { input_tokens: 10, cache_read_input_tokens: read, cache_creation_input_tokens: 4_990 - read },
      },
    }),
  ],
  [
    "anthropic",
    "claude-sonnet-4-5",
    (read) => ({
      text: [
        "event: message_start",
        `data: {"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":10,"cache_read_input_tokens":${read},"cache_creation_input_tokens":${4_990 - read},"output_tokens":1}}}`,
        "",
        'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":80}}',
        "",
      ].join("\n"),
    }),
  ],
  [
    "openai",
    "gpt-5.6",
    (read) => ({
      body: { id: "r", usage: { input_tokens: 5_000, input_tokens_details: { cached_tokens: read } } },
    }),
  ],
  [
    "openai",
    "gpt-5.6",
    (read) => ({
      text: `data: {"type":"response.completed","response":{"id":"r","usage":{"input_tokens":5000,"input_tokens_details":{"cached_tokens":${read}}}}}\n\n`,
    }),
  ],
  [
    "openai-chat",
    "gpt-5.6",
    (read) => ({ body: { usage: { prompt_tokens: 5_000, prompt_tokens_details: { cached_tokens: read } } } }),
  ],
  [
    "openai-chat",
    "gpt-5.6",
    (read) => ({
      text: `data: {"choices":[]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":5000,"prompt_tokens_details":{"cached_tokens":${read}}}}\n\ndata: [DONE]\n\n`,
    }),
  ],
  [
    "gemini",
    "gemini-3-pro",
    (read) => ({ body: { usageMetadata: { promptTokenCount: 5_000, cachedContentTokenCount: read } } }),
  ],
  [
    "gemini",
    "gemini-3-pro",
    (read) => ({ text: `[{"usageMetadata":{"promptTokenCount":5000,"cachedContentTokenCount":${read}}}]` }),
  ],
]

/** How a request of a dialect asks for a lifetime of an hour or more. */
const LONGER: Readonly<Record<string, object>> = {
  anthropic: { cache_control: { type: "ephemeral", ttl: "1h" } },
  openai: { prompt_cache_options: { ttl: "12h" } },
  "openai-chat": { prompt_cache_retention: "24h" },
}

describe.each(RESPONSES)("what %s reports (%s)", (dialect, model, response) => {
  const [, found] = MODELS.find(([name, id]) => name === dialect && id === model) ?? []
  const calls = callsOf(bodiesOf(ordinary(dialect as "gemini", found ?? model, 3)), { model })
  const at = (minutes: readonly number[], reads: readonly number[]): readonly Call[] =>
    calls.map((call, i) => ({
      ...call,
      at: (minutes[i] ?? 0) * 60_000,
      ms: 1_000,
      response: { status: 200, ...response(reads[i] ?? 0) },
    }))

  it("is what the thread's tokens are", () => {
    const { threads, findings } = check(at([0, 1, 2], [0, 4_990, 4_990]))
    expect(threads).toMatchObject([
      { tokens: { sent: 15_000, read: 9_980, missed: 0, reported: true }, breaks: [] },
    ])
    expect(findings).toEqual([])
  })

  it("shows a cache that expired, with the time that had passed", () => {
    const { threads } = check(at([0, 1, 47], [0, 4_990, 0]))
    expect(threads.flatMap(({ breaks }) => breaks)).toMatchObject([
      { call: 3, cause: "expired", detail: expect.stringContaining("46 minutes after the last call") },
    ])
    expect(threads[0]?.tokens.missed).toBeGreaterThan(4_900)
  })

  it("does not call a miss expired when the lifetime had not passed, or the time is not known", () => {
    const causes = (made: readonly Call[]) =>
      check(made).threads.flatMap(({ breaks }) => breaks.map(({ cause }) => cause))
    expect(causes(at([0, 1, 1.2], [0, 4_990, 0]))).toEqual(["not-cached"])
    const timeless = at([0, 1, 47], [0, 4_990, 0]).map(({ at: _, ...call }) => call)
    expect(causes(timeless)).toEqual(["not-cached"])
  })

  it("goes by the lifetime that the request asked for", () => {
    const asking = at([0, 1, 47], [0, 4_990, 0]).map((call) => ({
      ...call,
      body: { ...(call.body as object), ...LONGER[call.dialect ?? dialect] },
    }))
    const [found] = check(asking).threads.flatMap(({ breaks }) => breaks)
    expect(found?.cause).toBe(dialect === "gemini" ? "expired" : "not-cached")
  })
})

describe("a thread whose usage nobody reported", () => {
  it.each(MODELS)("is predicted as core's cache model predicts it: %s, %s", (dialect, model) => {
    const sent = bodiesOf(ordinary(dialect, model, 8))
    const { tokens } = check(callsOf(sent, { model })).threads[0] ?? {}
    const cache = cacheModel(dialect, { breakpointsOnly: model === "gpt-5.6" })
    const uses = sent.map((body) => cache.request(body))
    const total = (name: "total" | "read" | "written") => uses.reduce((sum, use) => sum + use[name], 0)
    expect(tokens?.reported).toBe(false)
    // The lens takes messages apart a little further, and an image for what it costs: tokens are counted differently.
    const ratio = (a: number | undefined, b: number) => Math.abs((a ?? 0) / b - 1)
    expect(ratio(tokens?.sent, total("total"))).toBeLessThan(0.1)
    expect(ratio(tokens?.read, total("read"))).toBeLessThan(0.1)
    if (total("written") > 0) expect(ratio(tokens?.written, total("written"))).toBeLessThan(0.1)
  })
})

describe("what breaks cost", () => {
  const broken = bodies.map(
    (body, i): Body => (i < 2 ? body : JSON.parse(JSON.stringify(body).replace("2026-11-16", "2026-11-17"))),
  )

  it("is told in tokens of plain input, and in money where the price is known", () => {
    const plain = check(callsOf(broken)).findings
    expect(plain.map(({ id }) => id)).toEqual(["system-changed", "avoidable-cost"])
    expect(plain[0]?.tokens).toBeGreaterThan(200)
    expect(plain[0]).not.toHaveProperty("money")
    expect(plain[1]?.message).toMatch(
      /cost as much as [\d,]+ tokens of plain input. Without its breaks it would have been [\d,]+\./,
    )
    const prices = (model: string) =>
      model === "claude-sonnet-4-5" ? { input: 3, cacheRead: 0.3, cacheWrite: 3.75 } : undefined
    const [priced] = check(callsOf(broken), { prices }).findings
    expect(priced?.money).toBeCloseTo(((priced?.tokens ?? 0) * 3.45) / 1e6, 9)
    expect(priced).not.toHaveProperty("assumed")
  })

  it("says whose price was taken where the model's own is not known", () => {
    const prices = () => ({ input: 3, cacheRead: 0.3, cacheWrite: 3.75, assumed: "claude-sonnet-4-4" })
    const { findings } = check(callsOf(broken), { prices })
    expect(findings).toMatchObject([{ assumed: "claude-sonnet-4-4" }, { assumed: "claude-sonnet-4-4" }])
    const pages = createPages({ prices })
    for (const call of callsOf(broken)) pages.push(call)
    expect(pages.totals()).toMatchObject({ assumed: { "claude-sonnet-4-5": "claude-sonnet-4-4" } })
    expect(pages.rows(1, 1)).toMatchObject([{ assumed: "claude-sonnet-4-4" }])
  })
})

it("passes on what Anthropic's own diagnostics say", () => {
  const [first, second] = callsOf(bodies)
  if (!first || !second) throw new Error("no call")
  const usage = { input_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 900 }
  const diagnostics = { cache_miss_reason: { type: "system_changed", cache_missed_input_tokens: 812 } }
  const { findings } = check([first, { ...second, response: { status: 200, body: { usage, diagnostics } } }])
  expect(findings).toContainEqual(
    expect.objectContaining({
      id: "provider-diagnosis",
      message: expect.stringContaining("system_changed, 812 tokens"),
    }),
  )
})

it("says so when the provider reads far less than its rules predict", () => {
  const [first, second, third] = callsOf(bodiesOf(ordinary("anthropic", "claude-sonnet-4-5", 8)).slice(-3))
  if (!first || !second || !third) throw new Error("no call")
  const usage = { input_tokens: 3_000, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  const { findings } = check([first, { ...second, response: { status: 200, body: { usage } } }])
  expect(findings).toContainEqual(expect.objectContaining({ id: "cache-disagreement" }))
})
