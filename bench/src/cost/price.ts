import type { HttpDialectName } from "@sotto/core"
import { cacheModel } from "@sotto/core/cache"
import { ratesOf } from "@sotto/core/economy"
import { priceOf } from "@sotto/core/prices"

/** A request that an agent sent, and when, in minutes of the scenario. */
export interface Sent {
  readonly body: unknown
  readonly minute: number
}

/** What requests cost, in input-token equivalents, and in dollars where a price is known. */
export interface Cost {
  readonly tokens: number
  readonly dollars?: number
}

/** One price for all, in multiples of an input token: what the cache has, what it is given for 5 minutes, or for an hour. */
export const ONE_PRICE = { read: 0.1, write: 1.25, writeHour: 2 } as const

/**
 * The same cache for everybody: what an earlier request began with in the same blocks is read, the rest is written. It
 * lasts 5 minutes after its last use, or an hour where the request asks for that.
 */
export function costAtOnePrice(sent: readonly Sent[]): Cost {
  const uses = cacheUses(sent, () => cacheModel("gemini", { minimum: 0 }), 5)
  const tokens = uses.reduce((sum, { total, read, isLong }) => {
    return sum + ONE_PRICE.read * read + (isLong ? ONE_PRICE.writeHour : ONE_PRICE.write) * (total - read)
  }, 0)
  return { tokens }
}

/** The rules of a provider's cache, and the price of a model, as published. */
export function costAtOwnPrice(sent: readonly Sent[], dialect: HttpDialectName, model: string): Cost {
  const minutes = dialect === "anthropic" ? 5 : 60
  const input = priceOf(model)?.input
  const uses = cacheUses(sent, () => cacheModel(dialect), minutes)
  const tokens = uses.reduce((sum, { total, read, written, isLong }) => {
    const rates = ratesOf(model, total)
    const fresh = total - read - written
    // Beyond a length every token may cost more: that is part of the price of this request.
    const dearer = (priceOf(model)?.long?.over ?? Number.POSITIVE_INFINITY) < total ? surcharge(model) : 1
    return sum + dearer * (rates.read * read + (isLong ? rates.writeHour : rates.write) * written + fresh)
  }, 0)
  return { tokens, ...(input !== undefined && { dollars: (tokens * input) / 1e6 }) }
}

function surcharge(model: string): number {
  const price = priceOf(model)
  return price?.long === undefined ? 1 : price.long.input / price.input
}

function cacheUses(sent: readonly Sent[], fresh: () => ReturnType<typeof cacheModel>, lasts: number) {
  let cache = fresh()
  let until = Number.POSITIVE_INFINITY
  return sent.map(({ body, minute }) => {
    if (minute > until) cache = fresh()
    const isLong = JSON.stringify(body).includes('"ttl":"1h"')
    until = minute + (isLong ? 60 : lasts)
    return { ...cache.request(body), isLong }
  })
}
