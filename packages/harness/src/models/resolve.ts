import { knownModels, makerOf } from "@sotto/core/models"
import type { Script } from "@sotto/rehearsal"
import { proxySettings } from "../platform/network/proxy-settings.js"
import { closest } from "../platform/text/text.js"
import type { Environment } from "../platform/workspace/folders.js"
import { ModelSetupError } from "./error.js"
import { isProviderName, PROVIDERS, type Provider, type ProviderName, SILENCE } from "./providers.js"
import { rehearsalTarget } from "./rehearsal.js"
import type { ModelTarget } from "./target.js"

export interface ResolveOptions {
  /** What the rehearsal plays, instead of the tour. */
  readonly script?: Script
  /** Milliseconds before each of its words, for a person who watches. */
  readonly tokenDelay?: number
  /** Milliseconds without a byte after which a model is given up, where the user has set it. */
  silence?(model: string): number | undefined
}

const REHEARSAL = "rehearsal"
const TOUR = `${REHEARSAL}/tour`

/** True if no model is asked, and the stand-in plays. */
export function isRehearsal(model: string): boolean {
  return model.startsWith(`${REHEARSAL}/`)
}

/** Adds the provider to a name that leaves no doubt about it: "claude-opus-5-5", "gpt-5.6", "rehearsal". */
export function fullModelName(name: string): string {
  if (name.includes("/")) return name
  if (name === REHEARSAL) return TOUR
  const maker = makerOf(name)
  return maker === undefined ? name : `${maker}/${name}`
}

/** Finds a model by its name. Nothing is contacted, started or loaded before the first call. */
export function resolveModel(name: string, env: Environment, options: ResolveOptions = {}): ModelTarget {
  const slash = name.indexOf("/")
  const provider = slash < 0 ? name : name.slice(0, slash)
  const model = slash < 0 ? "" : name.slice(slash + 1)
  if (provider !== REHEARSAL && !isProviderName(provider)) throw unknownProvider(name, provider, model)
  if (model === "") throw noModel(name, provider)
  if (provider === REHEARSAL) return rehearsalTarget(name, model, options)
  return targetOf(name, model, PROVIDERS[provider], env, options.silence?.(name))
}

/**
 * Chooses the model to use when the user names none: the configured one, one that there is a key for, or the rehearsal.
 */
export function defaultModel(env: Environment, config: { readonly model?: string | undefined } = {}): string {
  if (config.model) return config.model
  const has = (given: (provider: Provider) => boolean) =>
    (Object.keys(PROVIDERS) as ProviderName[]).find((name) => given(PROVIDERS[name]))
  const found =
    has((provider) => keyOf(provider, env) !== undefined) ?? has((provider) => isHere(provider, env))
  return found ? `${found}/${PROVIDERS[found].defaultModel}` : TOUR
}

/** True if there is a key for a provider's models, or they are on this machine. */
export function canReach(provider: Provider, env: Environment): boolean {
  return keyOf(provider, env) !== undefined || isHere(provider, env)
}

function isHere(provider: Provider, env: Environment): boolean {
  return Boolean(env[provider.base]) && isLoopback(baseOf(provider, env))
}

function targetOf(
  name: string,
  model: string,
  provider: Provider,
  env: Environment,
  silence: number | undefined,
): ModelTarget {
  const base = baseOf(provider, env)
  const isOwn = base.origin === new URL(provider.defaultBase).origin
  const key = keyOf(provider, env)
  if (key === undefined && !isLoopback(base)) throw noKey(name, provider)
  const url = provider.url(base.href.replace(/\/+$/, ""), model)
  const proxies = proxySettings(env)
  return {
    name,
    dialect: provider.dialect,
    silence: silence ?? (isOwn ? SILENCE.own : SILENCE.other),
    headers: { ...provider.fixedHeaders, ...(key !== undefined && provider.headers(key)) },
    ...(proxies && { proxies }),
    url: async () => url,
    close: async () => {},
  }
}

export function keyOf(provider: Provider, env: Environment): string | undefined {
  return provider.keys.map((variable) => env[variable]?.trim()).find(Boolean)
}

/** Gives the address that the provider's variable names, or its own. */
export function baseOf(provider: Pick<Provider, "base" | "defaultBase">, env: Environment): URL {
  const given = env[provider.base]?.trim() || provider.defaultBase
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol === "http:" || url?.protocol === "https:") return url
  throw new ModelSetupError(
    "bad-url",
    `${provider.base} is "${given}", which is not an address.`,
    `Set it to one like ${provider.defaultBase}, or unset it.`,
  )
}

function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

function unknownProvider(name: string, provider: string, model: string): ModelSetupError {
  const providers = [...Object.keys(PROVIDERS), REHEARSAL]
  const known = providers.map((one) => `${one}/…`)
  const meant = model === "" ? nearestModel(name) : closest(provider, providers)
  const full = model === "" ? meant : `${meant}/${model}`
  return new ModelSetupError(
    "unknown-provider",
    `The model "${name}" names no known provider ("${provider}").${meant === undefined ? "" : ` Did you mean ${full}?`}`,
    `Models are named ${known.slice(0, -1).join(", ")} or ${known.at(-1)}.`,
  )
}

/** Finds the model, of those that Sotto knows, whose name is most like a given one; undefined if none is. */
export function nearestModel(given: string, provider?: string): string | undefined {
  const models = knownModels().filter((one) => provider === undefined || one.provider === provider)
  const id = closest(
    given,
    models.map((one) => one.id),
  )
  const found = models.find((one) => one.id === id)
  return found && `${found.provider}/${found.id}`
}

/** Throws unless a model is named or can be reached: the stand-in answers only where it is asked for. */
export function mustHaveModel(env: Environment, config: { readonly model?: string | undefined }): void {
  if (config.model || defaultModel(env) !== TOUR) return
  const keys = [...new Set(Object.values(PROVIDERS).map((one) => one.keys[0]))].join(", ")
  throw new ModelSetupError(
    "no-key",
    "There is no key for any model.",
    `Run \`sotto login\`, set one of ${keys}, or use --model rehearsal: a stand-in that needs no key, and is no AI.`,
  )
}

function noModel(name: string, provider: ProviderName | typeof REHEARSAL): ModelSetupError {
  const example = provider === REHEARSAL ? TOUR : `${provider}/${PROVIDERS[provider].defaultModel}`
  return new ModelSetupError(
    "no-model",
    `"${name}" names a provider but no model.`,
    `Say, as in ${example}, which.`,
  )
}

function noKey(name: string, { keys, base }: Provider): ModelSetupError {
  return new ModelSetupError(
    "no-key",
    `There is no key for ${name}.`,
    `Set ${keys.join(" or ")}, run \`sotto login\`, point ${base} at a server on this machine, or use ${TOUR}, which needs none.`,
  )
}
