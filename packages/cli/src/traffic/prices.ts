import { type Config, type Environment, loadConfig, priceIn } from "@sotto/harness"
import type { Prices } from "@sotto/lens"

export type ConfiguredModels = Config["models"]

/** The user's own words about prices. A configuration with a mistake is no reason not to look at traffic. */
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

/** Traffic has the bare name of a model, the configuration "provider/model". */
function nameIn(models: ConfiguredModels, model: string): string {
  return Object.keys(models).find((name) => name === model || name.endsWith(`/${model}`)) ?? model
}
