import type { Economy } from "@sotto/core"
import { breakEven, type OwnPrices } from "@sotto/core/economy"
import type { Config } from "../../settings/load.js"

/** Gives the session's economy, as the user has settled it; undefined if it is off. */
export function economyIn({
  economy = "break-even",
  models,
}: Pick<Config, "economy" | "models">): Economy | undefined {
  if (economy === "off") return undefined
  // A compaction closes an open turn too: a turn of a hundred steps is where the most can be saved.
  return breakEven({
    reasoning: "close",
    ...(economy !== "break-even" && economy),
    prices: pricesIn({ models }),
  })
}

/** True if the cache is to be kept while the session waits. */
export function keepsWarm({ economy }: Pick<Config, "economy">): boolean {
  return typeof economy === "object" && economy.keepWarm === true
}

/** Lists the user's own prices, by model. */
export function pricesIn({ models }: Pick<Config, "models">): OwnPrices {
  return Object.fromEntries(Object.entries(models).map(([model, { price }]) => [model, price]))
}
