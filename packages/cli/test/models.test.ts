import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PRICES_AS_OF } from "@sotto/core/prices"
import type { Config } from "@sotto/harness"
import { describe, expect, it } from "vitest"
import { prices } from "../src/doctor/prices.js"
import { serving } from "./support/server.js"
import { type Bench, benchWith, finished, reaching, serverWith, sotto } from "./support/sotto.js"

const DAY = PRICES_AS_OF
const OPUS_6 = { price: { input: 6, output: 30 } }

const kept = (bench: Bench) => join(bench.home, "models.json")
const own = (models: object, more: object = {}) =>
  JSON.stringify({ asOf: DAY, source: "a colleague", ...more, models })

/** Invented models in the shape of LiteLLM's file. */
const LITELLM = {
  sample_spec: { litellm_provider: "one of many", input_cost_per_token: "a price" },
  "claude-opus-6": {
    ...{ litellm_provider: "anthropic", mode: "chat", max_input_tokens: 2_000_000 },
    ...{ input_cost_per_token: 6e-6, output_cost_per_token: 3e-5, cache_read_input_token_cost: 1.5e-7 },
    ...{ cache_creation_input_token_cost: 7.5e-6, cache_creation_input_token_cost_above_1hr: 1.2e-5 },
    ...{ input_cost_per_token_above_200k_tokens: 1.2e-5, output_cost_per_token_above_200k_tokens: 4.5e-5 },
    cache_read_input_token_cost_above_200k_tokens: 3e-7,
    ...{ supports_vision: true, supports_pdf_input: false },
  },
  "claude-opus-6-20270101": {
    ...{ litellm_provider: "anthropic", mode: "chat", input_cost_per_token: 9, output_cost_per_token: 9 },
  },
  "gemini/gemini-9-pro-preview": {
    ...{ litellm_provider: "gemini", mode: "chat", input_cost_per_token: 2e-6, output_cost_per_token: 1e-5 },
  },
  "gpt-9": {
    ...{ litellm_provider: "openai", mode: "responses", max_input_tokens: null },
    ...{ input_cost_per_token: 5e-6, output_cost_per_token: 4e-5 },
    input_cost_per_token_above_272k_tokens: 1e-5,
  },
  "us/claude-opus-6": {
    ...{ litellm_provider: "anthropic", mode: "chat", input_cost_per_token: 1, output_cost_per_token: 1 },
  },
  "gpt-image-9": { litellm_provider: "openai", mode: "image_generation", input_cost_per_token: 1 },
  "gpt-free": { litellm_provider: "openai", mode: "chat" },
  "acme/llama-9": {
    ...{ litellm_provider: "acme", mode: "chat", input_cost_per_token: 2e-7, output_cost_per_token: 3e-7 },
  },
}

/** Invented models in the shape of models.dev's file. */
const MODELS_DEV = {
  anthropic: {
    id: "anthropic",
    models: {
      "claude-opus-6": {
        id: "claude-opus-6",
        cost: {
          ...{ input: 6, output: 30, cache_read: 0.15, cache_write: 7.5 },
          context_over_200k: { input: 12, output: 45, cache_read: 0.3 },
        },
        limit: { context: 2_000_000, output: 128_000 },
        modalities: { input: ["text", "image"], output: ["text"] },
      },
    },
  },
  openai: {
    models: {
      "gpt-9": {
        cost: {
          ...{ input: 5, output: 40 },
          tiers: [{ input: 10, output: 40, tier: { type: "context", size: 272_000 } }],
          context_over_200k: { input: 99, output: 99 },
        },
        limit: { context: 400_000 },
      },
      "gpt-unpriced": { limit: { context: 400_000 } },
    },
  },
  acme: { models: { "maker/llama-9": { cost: { input: 0.2, output: 0.3 }, limit: { context: 64_000 } } } },
}

async function updated(file: object | string, ...args: readonly string[]) {
  const text = typeof file === "string" ? file : JSON.stringify(file, null, 1)
  const bench = benchWith({ "list.json": text })
  const ended = await finished(bench, ["models", "update", "list.json", ...args])
  return {
    bench,
    ...ended,
    file: existsSync(kept(bench)) ? JSON.parse(readFileSync(kept(bench), "utf8")) : undefined,
  }
}

async function listed(bench: Bench, ...args: readonly string[]) {
  const { out, code, err } = await finished(bench, ["models", "--json", ...args])
  expect([code, err]).toEqual([0, ""])
  return JSON.parse(out)
}

describe("sotto models", () => {
  it("lists every model with its window, its price, and the day and the source of it", async () => {
    const config = JSON.stringify({ models: { "openai-chat/qwen": { price: { input: 1, output: 2 } } } })
    const bench = benchWith()
    mkdirSync(bench.home, { recursive: true })
    writeFileSync(join(bench.home, "sotto.json"), config)
    const { models, asOf } = await listed(bench)
    expect(asOf).toBe(DAY)
    const named = (id: string) => models.find((one: { readonly id: string }) => one.id === id)
    expect(named("anthropic/claude-opus-5-5")).toEqual({
      ...{ id: "anthropic/claude-opus-5-5", window: 1_000_000, images: true, documents: true, thinks: true },
      price: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5, cacheWriteHour: 8 },
      ...{ from: "built in", asOf: DAY, source: "platform.claude.com, Pricing" },
    })
    expect(named("openai/gpt-4.1")).toMatchObject({ asOf: "2026-11-16" })
    expect(named("openai-chat/qwen")).toMatchObject({ from: "sotto.json", price: { input: 1 } })
    const { out } = await finished(bench, ["models"])
    expect(out).toMatch(
      /^anthropic\/claude-opus-5-5 +1,000,000 +images PDFs levels +4 +20 +0\.2 +5 +8 +2026-11-18 +built in$/m,
    )
    expect(out).toMatch(/^openai\/gpt-5\.5 .* built in +more beyond 272,000$/m)
  })

  it("shows one model in full, also one whose price is only assumed, or not known", async () => {
    const bench = benchWith()
    const assumed = await finished(bench, ["models", "claude-opus-6"])
    expect(assumed.out).toContain("it is priced like claude-opus-5-5")
    expect(await listed(bench, "anthropic/claude-opus-6")).toMatchObject({
      price: { assumed: "claude-opus-5-5" },
    })
    const ends = await finished(bench, ["models", "gemini-3.8-flash"])
    // Before its end and after.
    expect(ends.out).toMatch(/input +\$1\.5\b/)
    expect((await finished(bench, ["models", "openai-chat/unheard-of"])).out).toMatch(
      /price +unknown\. Say it/,
    )
  })

  it.each([
    [["lst"], /sotto models lst: Sotto knows no such model\. Use update FILE, reset, or a NAME/],
    [["updat", "x.json"], /sotto models updat: use one NAME, update FILE or reset/],
    [["update"], /Which file\? sotto models update FILE/],
    [["update", "a", "b"], /Which file\?/],
    [["update", "missing.json"], /There is no file missing\.json/],
    [["update", "."], /\. is a folder/],
    [["reset", "now"], /reset takes no arguments/],
    [["--all"], /There is no option --all/],
  ])("refuses %j, and says what to do", async (args, message) => {
    const { code, err } = await finished(benchWith(), ["models", ...args])
    expect(code).toBe(2)
    expect(err).toMatch(message)
  })
})

describe("sotto models update", () => {
  it("takes Sotto's own format, says what changes, and keeps it for the user only", async () => {
    const words = { ...OPUS_6, contextWindow: 2_000_000, capabilities: { documents: false } }
    const models = { "claude-opus-6": words, "claude-opus-5": { price: { input: 4, output: 25 } } }
    const { bench, code, out, file } = await updated(own(models))
    expect(code).toBe(0)
    expect(out).toMatch(
      /^added +claude-opus-6 +input \$6, output \$30, .*window 2,000,000, takes images levels$/m,
    )
    expect(out).toMatch(/^changed +claude-opus-5 +input \$5 → \$4, read from the cache \$0\.5 → \$0\.4, /m)
    expect(file).toEqual({ asOf: DAY, source: "a colleague", models })
    expect(statSync(kept(bench)).mode & 0o777).toBe(0o600)
    expect(await listed(bench, "claude-opus-6")).toMatchObject({
      ...{ from: "update", asOf: DAY, source: "a colleague", window: 2_000_000, documents: false },
    })
    const again = await finished(bench, ["models", "update", "list.json"])
    expect(again.out).toMatch(/^same +2 models$/m)
    const { out: list } = await finished(bench, ["models"])
    expect(list).toContain(`The update is of ${DAY}, from a colleague.`)
  })

  it("takes LiteLLM's list: the makers' own models, and one gateway's if it is named", async () => {
    const { out, code, file } = await updated(LITELLM, "--as-of", DAY, "--gateway", "acme")
    expect(code).toBe(0)
    expect(file).toEqual({
      ...{ asOf: DAY, source: "list.json" },
      models: {
        "claude-opus-6": {
          price: {
            ...{ input: 6, output: 30, cacheRead: 0.15, cacheWrite: 7.5, cacheWriteHour: 12 },
            long: { over: 200_000, input: 12, output: 45, cacheRead: 0.3 },
          },
          ...{ contextWindow: 2_000_000, capabilities: { images: true, documents: false } },
        },
        "gemini-9-pro": { price: { input: 2, output: 10 } },
        "gpt-9": { price: { input: 5, output: 40, long: { over: 272_000, input: 10 } } },
        "openai-chat/llama-9": { price: { input: 0.2, output: 0.3 } },
      },
    })
    expect(out).toContain(
      "1 row of a region or tier of its own, 1 row that nobody talks with, 1 row without a price",
    )
  })

  it("takes models.dev's list", async () => {
    const { out, code, file } = await updated(MODELS_DEV, "--as-of", DAY)
    expect(code).toBe(0)
    expect(file.models).toEqual({
      "claude-opus-6": {
        price: {
          ...{ input: 6, output: 30, cacheRead: 0.15, cacheWrite: 7.5 },
          long: { over: 200_000, input: 12, output: 45, cacheRead: 0.3 },
        },
        ...{ contextWindow: 2_000_000, capabilities: { images: true, documents: false } },
      },
      "gpt-9": {
        price: { input: 5, output: 40, long: { over: 272_000, input: 10, output: 40 } },
        contextWindow: 400_000,
      },
    })
    expect(out).toMatch(/left out 1 row without a price, 1 row of other sellers/)
    const gateway = await updated(MODELS_DEV, "--as-of", DAY, "--gateway", "acme")
    expect(gateway.file.models).toHaveProperty(["openai-chat/maker/llama-9"])
  })

  it("reads standard input, and gives a list without a day that of its file", async () => {
    const bench = benchWith({ "list.json": JSON.stringify(LITELLM) })
    utimesSync(bench.path("list.json"), new Date("2026-11-10"), new Date("2026-11-10"))
    await finished(bench, ["models", "update", "list.json"])
    expect(JSON.parse(readFileSync(kept(bench), "utf8"))).toMatchObject({ asOf: "2026-11-10" })
    const run = sotto(bench, ["models", "update", "-"])
    run.write(own({ "claude-opus-6": OPUS_6 }))
    run.end()
    expect((await run.ended).code).toBe(0)
    expect(JSON.parse(readFileSync(kept(bench), "utf8"))).toMatchObject({ source: "a colleague" })
  })

  it("says which of Sotto's own rows are newer than the list, and leaves them", async () => {
    const models = { "claude-opus-5": { price: { input: 1, output: 1 } }, "claude-opus-6": OPUS_6 }
    const { bench, out } = await updated(own(models, { asOf: "2026-11-01" }))
    expect(out).toMatch(/^kept +Sotto's own prices of claude-opus-5: they were compared after 2026-11-01$/m)
    expect(await listed(bench, "claude-opus-5")).toMatchObject({ from: "built in", price: { input: 5 } })
    expect(await listed(bench, "claude-opus-6")).toMatchObject({ from: "update", price: { input: 6 } })
  })

  const litellm = (row: object) => ({ ...LITELLM, "gpt-9": { ...LITELLM["gpt-9"], ...row } })
  const modelsDev = (row: object) => ({
    openai: { models: { "gpt-9": { cost: { input: 1, output: 1 }, ...row } } },
  })
  it.each([
    ["no JSON", "{", /list\.json:1: /],
    ["a list", "[]", /list\.json:1: This is no list of prices that Sotto knows\. Use Sotto's own format/],
    ["another object", '{"a":{"b":1}}', /This is no list of prices that Sotto knows/],
    ["no model", own({}), /It names no model/],
    ["only other sellers", { acme: MODELS_DEV.acme }, /It names no model.*1 row of other sellers/],
    [
      "a text as price",
      own({ a: { price: { input: "1", output: 1 } } }),
      /models\.a\.price\.input: This is string "1"/,
    ],
    ["no output", own({ a: { price: { input: 1 } } }), /models\.a\.price\.output: This is missing/],
    [
      "a negative price",
      own({ a: { price: { input: -1, output: 1 } } }),
      /models\.a\.price\.input: .*from 0/,
    ],
    ["an unknown field", own({ a: { prize: 1 } }), /models\.a\.prize: There is no such field/],
    ["a wrong window", own({ a: { contextWindow: 0 } }), /models\.a\.contextWindow: /],
    ["a wrong flag", own({ a: { capabilities: { images: 1 } } }), /models\.a\.capabilities\.images: /],
    ["no day", JSON.stringify({ models: { a: OPUS_6 } }), /asOf: This is missing/],
    ["a wrong day", own({ a: OPUS_6 }, { asOf: "18.11.2026" }), /asOf: .*a day such as "2026-11-18"/],
    ["a day to come", own({ a: OPUS_6 }, { asOf: "2999-01-01" }), /asOf: 2999-01-01 has not come yet/],
    [
      "a text in LiteLLM's",
      litellm({ output_cost_per_token: "3e-5" }),
      /list\.json:\d+: gpt-9\.output_cost_per_token: /,
    ],
    ["a flag in LiteLLM's", litellm({ supports_vision: "yes" }), /gpt-9\.supports_vision: .*true or false/],
    ["a row in LiteLLM's", { ...LITELLM, "gpt-10": 1 }, /gpt-10: This is not an object/],
    [
      "a cost in models.dev's",
      modelsDev({ cost: { input: null, output: [] } }),
      /openai\.models\.gpt-9\.cost\.output: /,
    ],
    [
      "a limit in models.dev's",
      modelsDev({ limit: { context: "big" } }),
      /openai\.models\.gpt-9\.limit\.context: /,
    ],
  ])("writes nothing if the file has %s, and names the place", async (_, file, message) => {
    const { code, err, file: found } = await updated(file)
    expect(err).toMatch(message)
    expect(code).toBe(2)
    expect(found).toBeUndefined()
  })

  it("leaves the update before it as it is if the next one is wrong", async () => {
    const { bench, file } = await updated(own({ "claude-opus-6": OPUS_6 }))
    writeFileSync(bench.path("list.json"), own({ a: OPUS_6, b: { price: { input: 1 } } }))
    expect((await finished(bench, ["models", "update", "list.json"])).code).toBe(2)
    expect(JSON.parse(readFileSync(kept(bench), "utf8"))).toEqual(file)
  })

  it("is forgotten by sotto models reset", async () => {
    const { bench } = await updated(own({ "claude-opus-6": OPUS_6 }))
    expect((await finished(bench, ["models", "reset"])).out).toMatch(
      /^Removed .*models\.json\. Sotto's own prices/,
    )
    expect(existsSync(kept(bench))).toBe(false)
    const again = await finished(bench, ["models", "reset"])
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("There is no update to forget")])
  })
})

describe("a price that is assumed", () => {
  it("is marked in JSONL and in the cost of a session, until an update says it", async () => {
    const server = await serverWith([{ text: "Done." }])
    const bench = benchWith()
    const args = ["run", "--model", "anthropic/claude-opus-6", "--output", "jsonl", "Go on."]
    const { out } = await finished(bench, args, reaching(server.url))
    const last = JSON.parse(out.trim().split("\n").at(-1) ?? "")
    expect(last).toMatchObject({
      account: { cost: expect.any(Number), assumed: { "anthropic/claude-opus-6": "claude-opus-5-5" } },
    })
    const id = /"type":"session","id":"([^"]+)"/.exec(out)?.[1] ?? ""
    const about = await finished(bench, ["show", id, "--cost"])
    expect(about.out).toMatch(
      /equivalents, about \$0\.\d+\. anthropic\/claude-opus-6 is priced like claude-opus-5-5\./,
    )
    writeFileSync(bench.path("list.json"), own({ "claude-opus-6": OPUS_6 }))
    await finished(bench, ["models", "update", "list.json"])
    const known = await finished(bench, ["show", id, "--cost"])
    expect(known.out).toMatch(/equivalents, \$0\.\d+\.\n/)
  })
})

describe("a server", () => {
  it("marks money of assumed prices, and takes the prices of an update", async () => {
    const server = await serverWith([{ text: "Done." }])
    const bench = benchWith({ "sotto.json": '{"titles":false}' })
    const { user } = await serving(bench, reaching(server.url))
    const id = await user.open(bench.cwd, { model: "anthropic/claude-opus-6" })
    const events = user.events(`/sessions/${id}/events`)
    await user.post(`/sessions/${id}/say`, { text: "Begin." })
    await events.wait("turn-end")
    await events.close()
    const assumed = { "anthropic/claude-opus-6": "claude-opus-5-5" }
    expect((await user.get(`/sessions/${id}`)).json).toMatchObject({ assumed, cost: expect.any(Number) })
    expect((await user.get("/sessions")).json).toMatchObject({ sessions: [{ assumed }] })
    expect((await user.get("/totals")).json).toMatchObject({ assumed, unpriced: [] })
  })

  it("lists the models of an update with its prices", async () => {
    const { bench } = await updated(own({ "claude-opus-6": OPUS_6 }))
    const { user } = await serving(bench, {})
    const { models } = (await user.get("/models")).json as {
      readonly models: readonly { readonly id: string; readonly price?: object }[]
    }
    const named = (id: string) => models.find((one) => one.id === id)
    expect(named("anthropic/claude-opus-6")?.price).toMatchObject({ input: 6, output: 30 })
    expect(named("google/gemini-3.8-flash")?.price).not.toHaveProperty("after")
  })
})

describe("what the doctor says of prices", () => {
  const config = (more: object = {}) =>
    ({ models: {}, model: "anthropic/claude-opus-5-5", ...more }) as unknown as Config
  const env = { HOME: benchWith().home, SOTTO_HOME: benchWith().home }
  const on = (day: string, more: object = {}) => prices(config(more), env, Date.parse(day))
  const update = (asOf: string) => ({ asOf, source: "a test", models: {} })

  it("is well while they are young, and warns once they are older than 90 days", async () => {
    expect(await on("2026-11-20")).toEqual({ state: "ok", text: `Sotto's own are of ${DAY}, 2 days ago` })
    expect(await on("2027-02-16")).toMatchObject({ state: "ok" })
    expect(await on("2027-02-17")).toMatchObject({
      ...{ state: "warning", text: expect.stringContaining("91 days ago, which is more than 90 days ago") },
      remedy: expect.stringContaining("sotto models update FILE"),
    })
  })

  it("goes by the update, where there is one", async () => {
    expect(await on("2027-03-10", { update: update("2027-03-01") })).toMatchObject({ state: "ok" })
    expect(await on("2027-07-10", { update: update("2027-03-01") })).toMatchObject({
      ...{ state: "warning", text: expect.stringContaining("the update is of 2027-03-01, 131 days ago") },
    })
  })

  it("tells that the promotion of the model has ended", async () => {
    const model = "google/gemini-3.8-flash"
    expect(await on("2026-12-31", { model })).toMatchObject({ state: "ok" })
    expect(await on("2027-01-01", { model })).toMatchObject({
      ...{
        state: "warning",
        text: expect.stringContaining("The promotion of google/gemini-3.8-flash ended on 2026-12-31"),
      },
    })
  })

  it.each([
    ["anthropic/claude-opus-6", "is not known, and that of claude-opus-5-5 is taken"],
    ["openai-chat/unheard-of", "is not known: limits in dollars do not stop it"],
  ])("warns of a model whose price is assumed or not known: %s", async (model, text) => {
    expect(await on("2026-11-20", { model })).toMatchObject({
      ...{ state: "warning", text: expect.stringContaining(text) },
      remedy: expect.stringContaining("models.NAME.price"),
    })
  })

  it("is among its checks", async () => {
    const { out } = await finished(benchWith(), ["doctor"])
    expect(out).toContain(`Sotto's own are of ${DAY}`)
  })
})
