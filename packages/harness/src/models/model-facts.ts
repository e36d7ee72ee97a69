import type { Capabilities } from "@sotto/core"
import { CAPABILITIES_AS_OF } from "@sotto/core/models"
import {
  familiarName,
  type GivenPrice,
  type Price,
  type PriceList,
  priceOf,
  type SourcedPrice,
  sourcedPrice,
} from "@sotto/core/prices"

export type { Price }

/** What somebody says of one model. */
interface ModelWords {
  readonly price?: GivenPrice
  readonly contextWindow?: number
  readonly capabilities?: Partial<Capabilities>
}

/** What the user says of models: by their full names in `sotto.json`, and by an update. */
export interface ModelFacts {
  readonly models: Readonly<Record<string, ModelWords>>
  readonly update?: PriceList & { readonly models: Readonly<Record<string, ModelWords>> }
}

/** Gives what a model costs: as `sotto.json` says, else by the update and the built-in table, whichever is newer. */
export function priceIn({ models, update }: ModelFacts, model: string): Price | undefined {
  return priceOf(model, models[model]?.price, update)
}

/** Gives the same, and says who says so. */
export function sourcedPriceIn({ models, update }: ModelFacts, model: string): SourcedPrice | undefined {
  return sourcedPrice(model, models[model]?.price, update)
}

/**
 * Gives what the user says that a model accepts: the word of `sotto.json` counts more than the update's. An update that is
 * older than Sotto's own table says nothing of models that the table knows.
 */
export function capabilitiesIn({ models, update }: ModelFacts, model: string): Partial<Capabilities> {
  return { ...flat(inUpdate(update, model)), ...flat(models[model]) }
}

function inUpdate(update: ModelFacts["update"], model: string): ModelWords | undefined {
  if (update === undefined) return undefined
  const found = [model, familiarName(model)].find((name) => Object.hasOwn(update.models, name))
  if (found === undefined || (CAPABILITIES_AS_OF > update.asOf && isInTable(model))) return undefined
  return update.models[found]
}

function isInTable(model: string): boolean {
  const found = sourcedPrice(model)
  return found !== undefined && found.price.assumed === undefined
}

function flat({ capabilities, contextWindow }: ModelWords = {}): Partial<Capabilities> {
  return { ...capabilities, ...(contextWindow !== undefined && { contextWindow }) }
}
