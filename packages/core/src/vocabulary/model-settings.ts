import { SottoError } from "./errors.js"
import type { Json } from "./json.js"

/**
 * How much a model thinks before it answers. Every dialect spells it as its provider does, with the nearest value that
 * the model takes; a model that cannot stop thinking thinks as little as it can for "off".
 */
export type ThinkLevel = "off" | "low" | "medium" | "high" | "max"

/** Every thinking level, from the least to the most. */
export const THINK_LEVELS: readonly ThinkLevel[] = ["off", "low", "medium", "high", "max"]

/** How a model chooses its words. No provider keys its cache on it, so that each step has its agent's own. */
export interface SamplingSettings {
  /** How freely the model chooses, from 0 to 2. */
  readonly temperature?: number
  /** From which share of the likeliest words the model chooses, from 0 to 1. */
  readonly topP?: number
}

/** What an agent, a model or one of its variants says about how the model is asked. */
export interface ModelSettings extends SamplingSettings {
  /** How much the model thinks. */
  readonly think?: ThinkLevel
  /** Further fields of the provider's body, as they are: `{ service_tier: "flex" }`. */
  readonly options?: { readonly [field: string]: Json }
}

/** Tuning that may also name a variant. */
export interface Tunable extends ModelSettings {
  /** One of the model's `variants`; else, if it is a thinking level, that level; else nothing. */
  readonly variant?: string
}

/** A model's own tuning, and the variants of it that agents can name. */
export interface TunableModel extends Tunable {
  readonly variants?: Readonly<Record<string, ModelSettings>>
  /** What the user has chosen for this model by hand. It holds whatever the agent says. */
  readonly override?: ModelSettings
}

/** Gives the settings of a request: the user's own choice, then the agent's word, its variant's, and the model's. */
export function tuningOf(agent: Tunable, model: TunableModel): ModelSettings {
  const variant = variantOf(agent.variant ?? model.variant, model)
  const layers: readonly ModelSettings[] = [model, variant, agent, model.override ?? {}]
  const last = <K extends keyof ModelSettings>(name: K): Pick<ModelSettings, K> | object => {
    const value = layers.findLast((layer) => layer[name] !== undefined)?.[name]
    return value === undefined ? {} : { [name]: value }
  }
  const options = Object.assign({}, ...layers.map((layer) => layer.options))
  return {
    ...last("temperature"),
    ...last("topP"),
    ...last("think"),
    ...(Object.keys(options).length > 0 && { options }),
  }
}

function variantOf(name: string | undefined, { variants = {} }: TunableModel): ModelSettings {
  if (name === undefined) return {}
  if (Object.hasOwn(variants, name)) return variants[name] ?? {}
  return isThinkLevel(name) ? { think: name } : {}
}

function isThinkLevel(word: unknown): word is ThinkLevel {
  return THINK_LEVELS.some((level) => level === word)
}

/** Refuses values that no provider takes, where they are given and not where they would be sent. */
export function checkTuning(tuning: ModelSettings & Pick<TunableModel, "override">, whose: string): void {
  const { temperature, topP, think, override } = tuning
  if (override) checkTuning(override, `${whose}'s override`)
  const isWithin = (value: unknown, most: number) =>
    value === undefined || (typeof value === "number" && value >= 0 && value <= most)
  const isRight =
    isWithin(temperature, 2) && isWithin(topP, 1) && (think === undefined || isThinkLevel(think))
  if (isRight) return
  throw new SottoError(
    "bad-options",
    `${whose} has ${JSON.stringify({ temperature, topP, think })}.`,
    `Use a temperature up to 2, a topP up to 1, and for think: ${THINK_LEVELS.join(", ")}.`,
  )
}
