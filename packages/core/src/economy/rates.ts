import { priceOf, type Rates, ratesFor } from "../prices/index.js"
import type { EconomyRates } from "../vocabulary/economy.js"

/** What most providers ask, for models whose price is not known. */
export const USUAL_RATES: EconomyRates = { read: 0.1, write: 1.25, writeHour: 2, output: 5 }

/** Prices by the model's id, in dollars for a million tokens: they count more than the built-in table. */
export type OwnPrices = Readonly<Record<string, Partial<Rates> | undefined>>

/** Gives what a model asks for reading and writing its cache, as multiples of its input. */
export function ratesOf(model: string, promptTokens: number, own: OwnPrices = {}): EconomyRates {
  const price = priceOf(model, own[model])
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
