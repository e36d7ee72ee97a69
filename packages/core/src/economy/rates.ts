import { type GivenPrice, type Price, priceAt, priceOf, ratesFor } from "../prices/index.js"
import type { EconomyRates } from "../vocabulary/economy.js"

/** What most providers ask, for models whose price is not known. */
export const USUAL_RATES: EconomyRates = { read: 0.1, write: 1.25, writeHour: 2, output: 5 }

/** Says what a model costs; undefined where that is not known. */
export type PriceLookup = (model: string) => Price | undefined

/**
 * Prices by the model's id, in dollars for a million tokens, which count more than the built-in table; or a function that
 * says what a model costs and is asked in the place of the table.
 */
export type OwnPrices = Readonly<Record<string, GivenPrice | undefined>> | PriceLookup

/** Finds what a model costs at a moment, in milliseconds since 1970. */
export function priceNow(model: string, own: OwnPrices, at: number): Price | undefined {
  const price = typeof own === "function" ? own(model) : priceOf(model, own[model])
  return price && priceAt(price, at)
}

/**
 * Gives what a model asks for reading and writing its cache, as multiples of its input.
 * @param at when, in milliseconds since 1970: a promotion ends
 */
export function ratesOf(model: string, promptTokens: number, own: OwnPrices = {}, at = 0): EconomyRates {
  const price = priceNow(model, own, at)
  if (price === undefined) return USUAL_RATES
  const { input, output, cacheRead, cacheWrite, cacheWriteHour } = ratesFor(price, promptTokens)
  if (!(input > 0)) return USUAL_RATES
  return {
    read: share(cacheRead, input),
    write: share(cacheWrite, input),
    writeHour: share(cacheWriteHour, input),
    output: share(output, input),
  }
}

/** Rounds a rate, because people read the log too. */
function share(rate: number, input: number): number {
  return Math.round((rate / input) * 10_000) / 10_000
}
