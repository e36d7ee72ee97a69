import { priceAt } from "@sotto/core/prices"
import {
  type Config,
  type Environment,
  loadConfig,
  type ModelFacts,
  priceIn,
  readUpdate,
} from "@sotto/harness"
import type { Prices } from "@sotto/lens"

/** Loads the user's own prices. A mistake in the configuration does not keep the user from looking at traffic. */
export async function ownModels(env: Environment): Promise<Pick<Config, "models" | "update">> {
  try {
    const { models, update } = await loadConfig({ cwd: process.cwd(), env })
    return { models, ...(update && { update }) }
  } catch {
    const { update } = readUpdate(env)
    return { models: {}, ...(update && { update }) }
  }
}

/** Gives the prices of today. */
export function pricesIn(settings: ModelFacts): Prices {
  return (model) => {
    const price = priceIn(settings, fullName(settings, model))
    return price && priceAt(price, Date.now())
  }
}

/** Finds a model by its bare name, as traffic has it; the configuration has "provider/model". */
export function fullName({ models }: ModelFacts, model: string): string {
  return Object.keys(models).find((name) => name === model || name.endsWith(`/${model}`)) ?? model
}
