import { usualLifetime } from "../economy/lifetime.js"
import { type OwnPrices, priceNow, ratesOf } from "../economy/rates.js"
import { headTokens, messageTokens } from "../epoch/epoch.js"
import { estimateTokens } from "../text/tokens.js"
import type { Request } from "../vocabulary/request.js"
import type { SidePrices } from "../vocabulary/side.js"

/** What the comparison goes by, beside the side request itself. */
export interface SideComparison {
  /** Milliseconds, by the harness's clock. */
  readonly at: number
  /** When the session's cache was last used: `session.cacheUsedAt`. */
  readonly usedAt: number
  /** Tokens of a transcript that asks the same, and the model that would read it. */
  readonly transcript: { readonly tokens: number; readonly model: string }
  /** Prices by the model's id, where the built-in table is wrong or silent. */
  readonly prices?: OwnPrices
}

/** Tokens below which most providers cache nothing. */
const SHORTEST = 1_024

/**
 * Says what a question costs as a side request and as a transcript, in input-token equivalents of the session's model.
 * What the model writes costs the same both ways, and is left out.
 */
export function sidePrices(
  request: Request,
  { at, usedAt, transcript, prices = {} }: SideComparison,
): Required<SidePrices> {
  const { pins, messages, previous, cacheLifetime = usualLifetime({ dialect: undefined, ...pins }) } = request
  const fresh = messageTokens(messages.slice(previous))
  const sent = headTokens(pins, estimateTokens) + messageTokens(messages) - fresh
  const rates = ratesOf(pins.model, sent, prices, at)
  const isWarm = previous > 0 && at - usedAt <= cacheLifetime * 1_000
  const rate = sent < SHORTEST ? 1 : isWarm ? rates.read : rates.write
  const inputOf = (model: string) => priceNow(model, prices, at)?.input
  const [own, other] = [inputOf(pins.model), inputOf(transcript.model)]
  const isComparable = own !== undefined && own > 0 && other !== undefined
  return {
    side: Math.round(sent * rate + fresh),
    transcript: Math.round(transcript.tokens * (isComparable ? other / own : 1)),
  }
}
