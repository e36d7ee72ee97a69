import type { HttpDialectName } from "../call.js"
import { chargesWrites } from "./prediction.js"

/** Dollars for a million tokens of a model's input. */
export interface InputPrice {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Of what the model writes, where it is known. */
  readonly output?: number
  /** The model whose price it is, if the model's own is not known. */
  readonly assumed?: string
}

/** Undefined for a model whose price is not known. */
export type Prices = (model: string) => InputPrice | undefined

/** Gives what a token read or written costs, where one of plain input costs 1. */
export function ratesOf(dialect: HttpDialectName, model: string): InputPrice {
  const isCharged = dialect === "anthropic" || chargesWrites(model)
  return { input: 1, cacheRead: 0.1, cacheWrite: isCharged ? 1.25 : 1 }
}

/** Computes what it costs more to process tokens anew than to read them from the cache. */
export function extraCost(tokens: number, { cacheRead, cacheWrite }: InputPrice): number {
  return tokens * (cacheWrite - cacheRead)
}

/** Gives that in dollars, and whose price was taken for it. */
export function moneyFor(tokens: number, price: InputPrice) {
  return { money: extraCost(tokens, price) / 1e6, ...assumedIn(price) }
}

/** Says whose price it is, if the model's own is not known. */
export function assumedIn({ assumed }: InputPrice) {
  return { ...(assumed !== undefined && { assumed }) }
}
