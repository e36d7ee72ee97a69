import type { HttpDialectName } from "../call.js"
import { chargesWrites } from "./prediction.js"

/** Dollars for a million tokens of a model's input. */
export interface InputPrice {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Of what the model writes, where it is known. */
  readonly output?: number
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
