import { PRICES_AS_OF, priceOf, ratesFor } from "@sotto/core/prices"
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
    "claude-opus-9",
    "gpt-5.6-sol:free",
    "gpt-5-pro",
    "gpt-oss-120b",
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
})
