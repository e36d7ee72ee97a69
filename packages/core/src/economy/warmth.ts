import type { EconomyAccount } from "../vocabulary/economy.js"

/** About what the question that keeps the cache warm adds, and the word that it gets for an answer. */
const QUESTION = 60

/** What it costs to keep the provider's cache for one more lifetime, and what that spares the next step. */
export interface WarmthPrices {
  /** In input-token equivalents. */
  readonly refresh: number
  /** In input-token equivalents: what writing everything anew costs more than reading it. */
  readonly spared: number
}

/**
 * Prices another lifetime of the cache, by the account of the newest step. A cache that has expired is not all loss: stale
 * results are dropped then, and need not be written again.
 */
export function warmthPrices({ tokens, stale, rates, extended }: EconomyAccount): WarmthPrices {
  const write = extended === true ? rates.writeHour : rates.write
  return {
    refresh: Math.round(rates.read * tokens + QUESTION + rates.output),
    spared: Math.max(0, Math.round(write * (tokens - stale) - rates.read * tokens)),
  }
}
