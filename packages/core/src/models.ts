/** The models that Sotto knows by name: what they cost, how much they take, and what they can do. */

import { limitsOf } from "./dialects/anthropic/limits.js"
import { thinkingConfigOf } from "./dialects/gemini/think-levels.js"
import { effortsOf } from "./dialects/openai/family.js"
import { PRICES, type PriceRow } from "./prices/table.js"
import { capabilitiesOf } from "./vocabulary/capabilities.js"

export { CAPABILITIES_AS_OF, CAPABILITIES_SOURCE } from "./vocabulary/capabilities.js"

/** A model of the catalogue. */
export interface KnownModel extends PriceRow {
  /** The model's name without its provider: "claude-opus-5-5". */
  readonly id: string
  /** Who serves it. */
  readonly provider: "anthropic" | "openai" | "google"
  /** Tokens that a request and its answer may have together. */
  readonly contextWindow: number
  /** Takes images. */
  readonly images: boolean
  /** Takes PDF documents. */
  readonly documents: boolean
  /** Takes a thinking level. */
  readonly thinks: boolean
}

/** Lists every model that the price table names, in its order: by provider, the newest first. */
export function knownModels(): readonly KnownModel[] {
  return [...PRICES].map(([id, row]) => {
    const { contextWindow, images, documents } = capabilitiesOf(id)
    return {
      id,
      provider: makerOf(id) ?? "openai",
      contextWindow,
      images,
      documents,
      thinks: takesLevels(id),
      ...row,
    }
  })
}

/** True if a thinking level changes what is sent to a model. Its name may have the provider before it. */
export function takesLevels(model: string): boolean {
  const id = model.toLowerCase()
  if (id.includes("claude")) return limitsOf(id).thinks
  if (/gemini|gemma/.test(id)) return thinkingConfigOf("high", id) !== undefined
  if (id.includes("deepseek")) return !/deepseek-(chat|coder|reasoner|r1)/.test(id)
  return effortsOf(id).length > 1
}

/** Names the provider that makes a model, by the model's own name; undefined for any other one. */
export function makerOf(id: string): KnownModel["provider"] | undefined {
  if (id.startsWith("claude-")) return "anthropic"
  if (id.startsWith("gemini-")) return "google"
  return /^(gpt-(?!oss)|o\d)/.test(id) ? "openai" : undefined
}
