import type { Entry, Usage } from "@sotto/core"
import { type Price, priceOf, ratesFor } from "@sotto/core/prices"
import type { Limit, SpendLimits } from "../../settings/config/outside.js"
import type { Config } from "../../settings/load.js"

export type { Price }

/** Gives what a model costs: as the user says, else by the built-in table. */
export function priceIn({ models }: Pick<Config, "models">, model: string): Price | undefined {
  return priceOf(model, models[model]?.price)
}

/** What was used. */
export interface Spent {
  readonly steps: number
  readonly tokens: number
  /** Undefined where the price of a model is not known. */
  readonly cost: number | undefined
}

const NOTHING: Spent = { steps: 0, tokens: 0, cost: 0 }

/** Counts what a turn and the session use, and says when that is as much as the user allows. */
export class Meter {
  readonly #limits: SpendLimits
  readonly #priceOf: (model: string) => Price | undefined
  /** By model, once it was asked for: a session asks at every step, and mostly for the same one. */
  readonly #prices = new Map<string, Price | undefined>()
  #turn: Spent = NOTHING
  #session: Spent = NOTHING
  /** What the session may use now: as much again, each time the user goes on in spite of the limit. */
  #allowed = 1

  constructor(
    limits: SpendLimits,
    priceOf: (model: string) => Price | undefined,
    log: readonly Entry[] = [],
  ) {
    this.#limits = limits
    this.#priceOf = priceOf
    let model = ""
    let isLong = false
    for (const entry of log) {
      if (entry.type === "step") {
        model = entry.epoch?.pins.model ?? model
        isLong = entry.economy?.extended ?? false
      }
      if (entry.type === "replied") this.replied(model, entry.reply.usage, isLong)
    }
    this.#turn = NOTHING
  }

  get turn(): Spent {
    return this.#turn
  }

  get session(): Spent {
    return this.#session
  }

  /** Counts a reply. `isLong`: what is written to the cache is kept for an hour. */
  replied(model: string, usage: Usage | undefined, isLong = false): void {
    const more: Spent = {
      steps: 1,
      tokens: usage ? tokensOf(usage) : 0,
      cost: usage === undefined ? 0 : costOf(usage, this.#price(model), isLong),
    }
    this.#turn = sum(this.#turn, more)
    this.#session = sum(this.#session, more)
  }

  #price(model: string): Price | undefined {
    if (!this.#prices.has(model)) this.#prices.set(model, this.#priceOf(model))
    return this.#prices.get(model)
  }

  /** Begins a turn. A user who goes on after a limit of the session is given as much again. */
  turnBegins(): void {
    this.#turn = NOTHING
    while (over(this.#session, this.#limits.session, this.#allowed) !== undefined) this.#allowed++
  }

  /** Says in words which limit is reached; undefined below all limits. */
  reached(): string | undefined {
    const turn = over(this.#turn, this.#limits.turn, 1)
    if (turn !== undefined) return `${turn} (limits.turn). Say something to go on.`
    const session = over(this.#session, this.#limits.session, this.#allowed)
    if (session === undefined) return undefined
    return `${session} (limits.session). Say something to go on: as much again is allowed then.`
  }
}

export function tokensOf({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite
}

/**
 * Computes the cost in dollars; undefined where the model's price is not known. `isLong`: the cache is kept for an
 * hour.
 */
export function costOf(usage: Usage, price: Price | undefined, isLong = false): number | undefined {
  if (price === undefined) return undefined
  const { input, output, cacheRead, cacheWrite } = usage
  const rates = ratesFor(price, input + cacheRead + cacheWrite)
  const write = isLong ? rates.cacheWriteHour : rates.cacheWrite
  const dollars =
    input * rates.input + output * rates.output + cacheRead * rates.cacheRead + cacheWrite * write
  return dollars / 1_000_000
}

function sum(a: Spent, b: Spent): Spent {
  const cost = a.cost === undefined || b.cost === undefined ? undefined : a.cost + b.cost
  return { steps: a.steps + b.steps, tokens: a.tokens + b.tokens, cost }
}

function over(spent: Spent, limit: Limit | undefined, times: number): string | undefined {
  if (limit?.steps !== undefined && spent.steps >= limit.steps * times)
    return `The limit of ${limit.steps * times} steps is reached`
  if (limit?.tokens !== undefined && spent.tokens >= limit.tokens * times)
    return `The limit of ${limit.tokens * times} tokens is reached`
  if (limit?.cost !== undefined && (spent.cost ?? 0) >= limit.cost * times)
    return `The limit of $${limit.cost * times} is reached`
  return undefined
}
