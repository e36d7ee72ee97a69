import { capabilitiesOf } from "@sotto/core"
import { CAPABILITIES_AS_OF, CAPABILITIES_SOURCE, knownModels } from "@sotto/core/models"
import { priceOf } from "@sotto/core/prices"
import { describe, expect, it } from "vitest"

describe("the catalogue of models", () => {
  const models = knownModels()

  it("names each model once, with its provider, its window and its price", () => {
    expect(new Set(models.map(({ id }) => id)).size).toBe(models.length)
    for (const { id, contextWindow, price } of models) {
      expect(price).toEqual(priceOf(id))
      expect(contextWindow).toBe(capabilitiesOf(id).contextWindow)
    }
    const providers = Object.fromEntries(models.map(({ id, provider }) => [id, provider]))
    expect(providers).toMatchObject({
      "claude-opus-5-5": "anthropic",
      "gpt-5.6": "openai",
      "o4-mini": "openai",
      "gemini-3-pro": "google",
    })
  })

  it("says of each model when its price was compared, and of all windows together", () => {
    for (const { asOf, source } of models) {
      expect(asOf).toMatch(/^20\d\d-\d\d-\d\d$/)
      expect(source).toMatch(/, Pricing$/)
    }
    expect(CAPABILITIES_AS_OF).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect(CAPABILITIES_SOURCE).not.toBe("")
  })

  it.each([
    ["claude-haiku-5-5", 1_000_000],
    ["claude-haiku-4-5", 200_000],
    ["claude-fable-5-2", 1_000_000],
    ["claude-sonnet-4-5", 200_000],
  ])("knows the window of %s", (id, window) => {
    expect(models.find((model) => model.id === id)?.contextWindow).toBe(window)
  })

  it("says what a model can do", () => {
    const named = (id: string) => models.find((model) => model.id === id)
    expect(named("claude-opus-5-5")).toMatchObject({ thinks: true, images: true, documents: true })
    expect(named("gpt-4.1")).toMatchObject({ thinks: false })
  })
})
