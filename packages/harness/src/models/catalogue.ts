import { capabilitiesOf, type HttpDialectName } from "@sotto/core"
import { type KnownModel, knownModels, makerOf, takesLevels } from "@sotto/core/models"
import { type Price, priceAt } from "@sotto/core/prices"
import type { Environment } from "../platform/workspace/folders.js"
import { capabilitiesIn, type ModelFacts, priceIn } from "./model-facts.js"
import { PROVIDERS, providerOf } from "./providers.js"
import { canReach } from "./resolve.js"

/** A model as it can be chosen here. */
export interface Offered extends Pick<KnownModel, "contextWindow" | "images" | "documents" | "thinks"> {
  /** With the provider: "anthropic/claude-opus-5-5". */
  readonly name: string
  /** The API that it is asked by; undefined for a provider that is not known. */
  readonly dialect: HttpDialectName | undefined
  /** Undefined where it is not known. */
  readonly price: Price | undefined
  /** There is a key for it, or it is on this machine. */
  readonly isReachable: boolean
  /** False if no table and no setting knows it: window and abilities are what most of its maker's models have. */
  readonly isKnown: boolean
}

/**
 * Lists the models to choose from: those that are named, those of the configuration and of the update, and
 * those of Sotto's own table.
 * Those that can be reached come first. The configuration's word on a model counts more than the table's.
 */
export function offeredModels(
  settings: ModelFacts,
  env: Environment,
  named: readonly string[] = [],
): readonly Offered[] {
  const known = knownModels().map(({ provider, id }) => `${provider}/${id}`)
  const configured = Object.keys(settings.models)
  const names = [...new Set([...named, ...configured, ...updated(settings), ...known])].filter(
    (name) => name !== "",
  )
  const listed = new Set([...configured, ...updated(settings), ...known])
  const all = names.map((name) => ({ ...offered(name, settings, env), isKnown: listed.has(name) }))
  const isFirst = ({ name, isReachable }: Offered) => isReachable || named.includes(name)
  return [...all.filter(isFirst), ...all.filter((one) => !isFirst(one))]
}

/** Names the models of an update that can be asked for as they are called there, or by their makers' names. */
function updated({ update }: ModelFacts): readonly string[] {
  return Object.keys(update?.models ?? {}).flatMap((name) => {
    if (providerOf(name) !== undefined) return [name]
    const maker = makerOf(name)
    return maker === undefined ? [] : [`${maker}/${name}`]
  })
}

function offered(name: string, settings: ModelFacts, env: Environment): Omit<Offered, "isKnown"> {
  const provider = providerOf(name)
  const dialect = provider && PROVIDERS[provider].dialect
  const taken = {
    ...capabilitiesOf({ id: name, ...(dialect && { dialect }) }),
    ...capabilitiesIn(settings, name),
  }
  const price = priceIn(settings, name)
  return {
    name,
    dialect,
    contextWindow: taken.contextWindow,
    images: taken.images,
    documents: taken.documents,
    thinks: takesLevels(name),
    price: price && priceAt(price, Date.now()),
    isReachable: provider === undefined || canReach(PROVIDERS[provider], env),
  }
}
