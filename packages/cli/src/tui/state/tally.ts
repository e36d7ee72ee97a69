import type { Usage } from "@sotto/core"
import { costOf, type Price } from "@sotto/harness"

/** What the conversation has used up. */
export interface UsageTally {
  /** Tokens of the newest request and its answer: what the next one begins with. */
  readonly context: number
  /** Of the model's window, if it is known. */
  readonly window: number | undefined
  /** Tokens of the newest request that were read from the cache. */
  readonly cacheRead: number
  readonly price: Price | undefined
  /** Dollars, where prices were known from the beginning. */
  readonly cost: number | undefined
}

export const NOTHING_USED: UsageTally = {
  context: 0,
  window: undefined,
  cacheRead: 0,
  price: undefined,
  cost: undefined,
}

export function used(tally: UsageTally, usage: Usage): UsageTally {
  const { input, output, cacheRead, cacheWrite } = usage
  const cost = costOf(usage, tally.price)
  return {
    ...tally,
    context: input + output + cacheRead + cacheWrite,
    cacheRead,
    cost: cost === undefined ? tally.cost : (tally.cost ?? 0) + cost,
  }
}

/** Writes 950, 12.3k, 1.2M. */
export function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  const [value, unit] = tokens < 1e6 ? [tokens / 1e3, "k"] : [tokens / 1e6, "M"]
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`
}

export function dollars(cost: number): string {
  return `$${cost < 0.1 ? cost.toFixed(3) : cost.toFixed(2)}`
}
