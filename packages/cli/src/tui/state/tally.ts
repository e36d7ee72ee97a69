import type { Usage } from "@sotto/core"
import type { AccountFigures } from "@sotto/harness"

/** What the conversation has used up. */
export interface UsageTally {
  /** Tokens of the newest request and its answer: what the next one begins with. */
  readonly context: number
  /** Of the model's window, if it is known. */
  readonly window: number | undefined
  /** Tokens of the newest request that were read from the cache. */
  readonly cacheRead: number
  /** What the session and its subagents have cost; undefined before the first reply. */
  readonly account: AccountFigures | undefined
}

export const NOTHING_USED: UsageTally = {
  context: 0,
  window: undefined,
  cacheRead: 0,
  account: undefined,
}

export function used(tally: UsageTally, usage: Usage): UsageTally {
  const { input, output, cacheRead, cacheWrite } = usage
  return { ...tally, context: input + output + cacheRead + cacheWrite, cacheRead }
}

/**
 * Writes what an account comes to: "$0.12", "about $0.12" if the price of a model is assumed, or "over $0.12" if that of a
 * request is not known.
 */
export function costIn({ requests, cost, costAtLeast = 0, assumed }: AccountFigures): string | undefined {
  if (requests === 0) return undefined
  if (cost !== undefined) return assumed ? `about ${dollars(cost)}` : dollars(cost)
  return costAtLeast > 0 ? `over ${dollars(costAtLeast)}` : "cost unknown"
}

/** Writes 950, 12.3k, 1.2M. */
export function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  const [value, unit] = tokens < 1e6 ? [tokens / 1e3, "k"] : [tokens / 1e6, "M"]
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`
}

function dollars(cost: number): string {
  return `$${cost < 0.1 ? cost.toFixed(3) : cost.toFixed(2)}`
}
