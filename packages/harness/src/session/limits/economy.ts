import type { Economy } from "@sotto/core"
import { breakEven } from "@sotto/core/economy"
import { priceIn } from "../../models/model-facts.js"
import type { Config } from "../../settings/load.js"

/** Gives the session's economy, as the user has settled it; undefined if it is off. */
export function economyIn({
  economy = "break-even",
  ...settings
}: Pick<Config, "economy" | "models" | "update">): Economy | undefined {
  if (economy === "off") return undefined
  // A compaction closes an open turn too: a turn of a hundred steps is where the most can be saved.
  return breakEven({
    reasoning: "close",
    ...(economy !== "break-even" && economy),
    prices: (model) => priceIn(settings, model),
  })
}

/** True if the cache is to be kept while the session waits. */
export function keepsWarm({ economy }: Pick<Config, "economy">): boolean {
  return typeof economy === "object" && economy.keepWarm === true
}
