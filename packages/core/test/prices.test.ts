import { PRICES_AS_OF, type PriceList, priceAt, priceOf, ratesFor, sourcedPrice } from "@sotto/core/prices"
import { describe, expect, it } from "vitest"

describe("the table of prices", () => {
  it("says on which day it was compared with its sources", () => {
    expect(PRICES_AS_OF).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect(Number.isNaN(Date.parse(PRICES_AS_OF))).toBe(false)
  })

  it("knows a model by its own name", () => {
    expect(priceOf("claude-opus-5-5")).toEqual({
      input: 4,
      output: 20,
      cacheRead: 0.2,
      cacheWrite: 5,
      cacheWriteHour: 8,
    })
    expect(priceOf("gpt-5.5")).toMatchObject({ input: 5, output: 30, cacheRead: 0.5, cacheWrite: 5 })
    expect(priceOf("gemini-2.5-pro")).toMatchObject({ input: 1.25, output: 10, cacheRead: 0.125 })
  })

  it.each([
    ["claude-fable-5-2", { input: 8, output: 40, cacheRead: 0.2, cacheWrite: 10, cacheWriteHour: 16 }],
    ["claude-mythos-5-2", { input: 8, output: 40, cacheRead: 0.2, cacheWrite: 10, cacheWriteHour: 16 }],
    ["gpt-6.1-terra", { input: 1, output: 5, cacheRead: 0.05, cacheWrite: 1.25 }],
  ])("knows the models of this autumn: %s", (id, rates) => {
    expect(priceOf(id)).toMatchObject(rates)
  })

  it("knows that a long prompt costs more on gpt-6.1-terra", () => {
    const price = priceOf("gpt-6.1-terra")
    expect(price && ratesFor(price, 300_000)).toMatchObject({ input: 2, output: 7.5, cacheRead: 0.1 })
  })

  it.each([
    ["anthropic/claude-opus-4-5", "claude-opus-4-5"],
    ["openrouter/anthropic/claude-opus-4.5", "claude-opus-4-5"],
    ["claude-opus-4-5-20251101", "claude-opus-4-5"],
    ["us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"],
    ["claude-opus-4@20250514", "claude-opus-4"],
    ["claude-sonnet-4-20250514", "claude-sonnet-4"],
    ["claude-sonnet-4-0", "claude-sonnet-4"],
    ["claude-sonnet-4-5[1m]", "claude-sonnet-4-5"],
    ["claude-3-5-sonnet-latest", "claude-3-5-sonnet"],
    ["gpt-5-2025-08-07", "gpt-5"],
    ["openai-chat/gpt-5.2", "gpt-5.2"],
    ["models/gemini-3-pro-preview", "gemini-3-pro"],
    ["gemini-2.5-pro-preview-06-05", "gemini-2.5-pro"],
    ["gemini-2.5-flash-001", "gemini-2.5-flash"],
  ])("takes %s for %s", (served, own) => {
    expect(priceOf(own)).toBeDefined()
    expect(priceOf(served)).toEqual(priceOf(own))
  })

  it.each([
    "claude-opus-9:free",
    "gpt-5.6-sol:free",
    "gpt-5-pro",
    "gpt-oss-120b",
    "openai-chat/gpt-oss-6",
    "openai-chat/my-claude-clone",
    "openai-chat/my-claude-opus-6",
    "claudette",
    "claude-opus-6-tuned",
    "claude-verse-6",
    "gemini-4-pro-image",
    "gpt-4",
    "claude-3-sonnet",
    "qwen3-coder",
    "scripted",
    "constructor",
    "",
  ])("does not guess the price of %j", (id) => {
    expect(priceOf(id)).toBeUndefined()
  })

  it("lets the user say what an unknown model costs", () => {
    expect(priceOf("local/qwen", { input: 1 })).toBeUndefined()
    expect(priceOf("local/qwen", { input: 1, output: 2 })).toEqual({
      input: 1,
      output: 2,
      cacheRead: 1,
      cacheWrite: 1,
      cacheWriteHour: 1,
    })
  })

  it("puts the user's figures before its own, and scales the rest with the input", () => {
    expect(priceOf("claude-opus-5", { cacheRead: 0.1 })).toMatchObject({ input: 5, cacheRead: 0.1 })
    expect(priceOf("claude-opus-5", { input: 10 })).toMatchObject({
      input: 10,
      output: 25,
      cacheRead: 1,
      cacheWrite: 12.5,
      cacheWriteHour: 20,
    })
  })

  it("charges a long prompt by the long rates, from the first token beyond the limit", () => {
    const price = priceOf("gpt-5.5")
    if (price === undefined) throw new Error("gpt-5.5 has no price.")
    expect(ratesFor(price, 272_000).input).toBe(5)
    expect(ratesFor(price, 272_001)).toMatchObject({ input: 10, output: 45, cacheRead: 1 })
  })

  it("says of every row when it was compared, and with what", () => {
    expect(sourcedPrice("claude-opus-5")).toMatchObject({
      ...{ from: "table", asOf: PRICES_AS_OF, source: "platform.claude.com, Pricing" },
    })
    expect(sourcedPrice("gpt-4.1")).toMatchObject({ asOf: "2026-11-16" })
    expect(sourcedPrice("gemini-2.5-pro")).toMatchObject({
      ...{ asOf: "2026-11-16", source: "ai.google.dev, Pricing" },
    })
  })
})

describe("a model that the table does not know", () => {
  it.each([
    ["claude-opus-6", "claude-opus-5-5"],
    ["anthropic/claude-opus-6", "claude-opus-5-5"],
    ["openrouter/anthropic/claude-opus-6.1", "claude-opus-5-5"],
    ["us.anthropic.claude-haiku-7-20270101-v1:0", "claude-haiku-5-5"],
    ["claude-sonnet-6-1-20270101", "claude-sonnet-5-5"],
    ["claude-opus-4-3", "claude-opus-5-5"],
    ["claude-mythos-6", "claude-mythos-5-2"],
    ["claude-fable-5-10", "claude-fable-5-2"],
    ["gpt-5.7", "gpt-5.6"],
    ["gpt-7-sol", "gpt-6.1-sol"],
    ["gpt-7-luna", "gpt-6-luna"],
    ["gpt-7-mini", "gpt-5.4-mini"],
    ["gpt-5.10-nano", "gpt-5.4-nano"],
    ["gpt-6-codex", "gpt-5.3-codex"],
    ["gemini-4-pro", "gemini-3.1-pro"],
    ["google/gemini-4-flash-preview", "gemini-3.8-flash"],
    ["gemini-4-flash-lite", "gemini-3.5-flash-lite"],
  ])("takes the price of its family: %s that of %s", (model, relative) => {
    expect(priceOf(model)).toEqual({ ...priceOf(relative), assumed: relative })
  })

  it("is assumed no longer once its user has named what input and output cost", () => {
    expect(priceOf("claude-opus-6", { input: 3, output: 9 })).toEqual({
      ...{ input: 3, output: 9, cacheRead: 0.15000000000000002, cacheWrite: 3.75, cacheWriteHour: 6 },
    })
    expect(priceOf("claude-opus-6", { input: 3 })).toMatchObject({ output: 20, assumed: "claude-opus-5-5" })
    expect(priceOf("claude-opus-6", { cacheRead: 1 })).toMatchObject({
      ...{ input: 4, cacheRead: 1, assumed: "claude-opus-5-5" },
    })
  })
})

describe("a price that ends on a day", () => {
  const at = (time: string) => Date.parse(time)

  it.each([
    ["gpt-5.6", "2026-11-21T23:59:59Z", "2026-11-22T00:00:00Z", [4, 20], [5, 30]],
    ["gemini-3.8-flash", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z", [0.75, 3.75], [1.5, 7.5]],
  ])("holds through its last day: %s", (model, last, next, before, after) => {
    const price = priceOf(model)
    if (price === undefined) throw new Error(`${model} has no price.`)
    const rates = (time: string) => [priceAt(price, at(time)).input, priceAt(price, at(time)).output]
    expect(rates(last)).toEqual(before)
    expect(rates(next)).toEqual(after)
  })

  it("ends for a model that takes it from its family too, which stays marked", () => {
    const price = priceOf("gemini-4-flash")
    expect(price && priceAt(price, at("2027-01-01"))).toMatchObject({
      input: 1.5,
      assumed: "gemini-3.8-flash",
    })
  })

  it("keeps what its user has said of it, before and after", () => {
    const price = priceOf("gemini-3.8-flash", { cacheRead: 0.01 })
    expect(price).toMatchObject({ input: 0.75, cacheRead: 0.01 })
    expect(price && priceAt(price, at("2027-01-01"))).toMatchObject({ input: 1.5, cacheRead: 0.01 })
  })
})

describe("a list of prices from elsewhere", () => {
  const list: PriceList = {
    asOf: "2027-03-01",
    source: "a test",
    models: {
      "claude-opus-5": { price: { input: 1, output: 2 } },
      "claude-opus-6": { price: { input: 7, output: 8, long: { over: 1_000, input: 14 } } },
      "openai-chat/claude-opus-5": { price: { input: 9, output: 9 } },
      "openai-chat/gpt-9": { price: { input: 9, output: 9 } },
      "no-price": {},
    },
  }

  it("counts more than a row of the table that is older, by the full name first", () => {
    expect(sourcedPrice("anthropic/claude-opus-5", {}, list)).toEqual({
      price: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25, cacheWriteHour: 2 },
      ...{ from: "list", asOf: "2027-03-01", source: "a test" },
    })
    expect(priceOf("openai-chat/claude-opus-5", {}, list)).toMatchObject({ input: 9 })
  })

  it("counts less than a row of the table that was compared later", () => {
    const older = { ...list, asOf: "2026-11-17" }
    expect(sourcedPrice("claude-opus-5", {}, older)).toMatchObject({ from: "table", price: { input: 5 } })
    expect(sourcedPrice("claude-opus-6", {}, older)).toMatchObject({ from: "list", price: { input: 7 } })
  })

  it("counts less than its user's own word", () => {
    expect(sourcedPrice("claude-opus-5", { input: 3 }, list)).toMatchObject({
      ...{ from: "own", price: { input: 3, output: 2 } },
    })
  })

  it("fills in rates for long prompts, and is a family's newest", () => {
    const price = priceOf("claude-opus-7", {}, list)
    expect(price).toMatchObject({ input: 7, cacheRead: expect.closeTo(0.35), assumed: "claude-opus-6" })
    expect(price && ratesFor(price, 1_001)).toMatchObject({
      input: 14,
      output: 8,
      cacheRead: expect.closeTo(0.7),
    })
  })

  it("says nothing of other names", () => {
    expect(priceOf("gpt-9", {}, list)).toMatchObject({ assumed: "gpt-5.6" })
    expect(priceOf("no-price", {}, list)).toBeUndefined()
    expect(priceOf("constructor", {}, list)).toBeUndefined()
  })
})
