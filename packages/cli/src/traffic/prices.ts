import { type Config, type Environment, loadConfig, priceIn } from "@sotto/harness"
import type { Prices } from "@sotto/lens"

export type ConfiguredModels = Config["models"]

/** Loads the user's own prices. A mistake in the configuration does not keep the user from looking at traffic. */
export async function ownModels(env: Environment): Promise<ConfiguredModels> {
  try {
    return (await loadConfig({ cwd: process.cwd(), env })).models
  } catch {
    return {}
  }
}

export function pricesIn(models: ConfiguredModels): Prices {
  return (model) => priceIn({ models }, nameIn(models, model))
}

/** Finds a model by its bare name, as traffic has it; the configuration has "provider/model". */
function nameIn(models: ConfiguredModels, model: string): string {
  return Object.keys(models).find((name) => name === model || name.endsWith(`/${model}`)) ?? model
}
