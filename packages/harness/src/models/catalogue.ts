import { capabilitiesOf, type HttpDialectName } from "@sotto/core"
import { type KnownModel, knownModels, takesLevels } from "@sotto/core/models"
import { type Price, priceOf, type Rates } from "@sotto/core/prices"
import type { Environment } from "../platform/workspace/folders.js"
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
}

/** What the configuration says of single models, by their names with the provider. */
type ModelWords = Readonly<
  Record<
    string,
    {
      readonly contextWindow?: number
      readonly capabilities?: Partial<Pick<KnownModel, "contextWindow" | "images" | "documents">>
      readonly price?: Partial<Rates>
    }
  >
>

/**
 * Lists the models to choose from: those that are named, those of the configuration, and those of Sotto's own table.
 * Those that can be reached come first. The configuration's word on a model counts more than the table's.
 */
export function offeredModels(
  words: ModelWords,
  env: Environment,
  named: readonly string[] = [],
): readonly Offered[] {
  const known = knownModels().map(({ provider, id }) => `${provider}/${id}`)
  const names = [...new Set([...named, ...Object.keys(words), ...known])].filter((name) => name !== "")
  const all = names.map((name) => offered(name, words[name] ?? {}, env))
  const isFirst = ({ name, isReachable }: Offered) => isReachable || named.includes(name)
  return [...all.filter(isFirst), ...all.filter((one) => !isFirst(one))]
}

function offered(
  name: string,
  { capabilities, contextWindow, price }: ModelWords[string],
  env: Environment,
): Offered {
  const provider = providerOf(name)
  const dialect = provider && PROVIDERS[provider].dialect
  const taken = { ...capabilitiesOf({ id: name, ...(dialect && { dialect }) }), ...capabilities }
  return {
    name,
    dialect,
    contextWindow: contextWindow ?? taken.contextWindow,
    images: taken.images,
    documents: taken.documents,
    thinks: takesLevels(name),
    price: priceOf(name, price),
    isReachable: provider === undefined || canReach(PROVIDERS[provider], env),
  }
}
