import {
  type Config,
  defaultModel,
  isRehearsal,
  KEY_VARIABLES,
  type KeyTrial,
  keyPlace,
  PROVIDERS,
  type ProviderName,
  providerOf,
  proxyNames,
  proxySettings,
  readKeys,
  reasonOf,
  resolveModel,
  tryKey,
  withStoredKeys,
} from "@sotto/harness"
import { type CheckResult, failed, ok, warning } from "./check-result.js"

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Checks the model that would be asked, what its provider says of the key, and where the provider is if it is not where
 * it is said to be.
 */
export async function model(config: Config): Promise<CheckResult> {
  const kept = readKeys(process.env)
  if (kept.problem !== undefined) return failed(kept.problem)
  const env = withStoredKeys(process.env, kept)
  const name = defaultModel(env, config)
  const provider = providerOf(name)
  const advice =
    "no key found, so the rehearsal serves; run `sotto login`, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY"
  if (provider === undefined) return ok(isRehearsal(name) ? `${name}: ${advice}` : name)
  // Says what to do where the key is missing or the address does not exist.
  resolveModel(name, env)
  const trial = await tryKey(provider, env)
  const key = keyPlace(PROVIDERS[provider], env)
  if (trial.is === "taken") return ok(`${name}: ${trial.at} takes ${key}`)
  if (trial.is === "refused")
    return failed(`${name}: ${trial.at} refuses ${key}: ${trial.answer}.`, refusedRemedy(provider, env))
  const elsewhere = await foundElsewhere(provider, env)
  if (elsewhere !== undefined) {
    const { base } = PROVIDERS[provider]
    return failed(
      `${name}: ${trial.at} was asked for its models: ${trial.answer}. ${elsewhere} answers as it should.`,
      `Set ${base}=${elsewhere}`,
    )
  }
  if (trial.is === "untried")
    return ok(`${name}: ${trial.at} was reached, and ${key} could not be tried: ${trial.answer}`)
  return failed(
    `${name}: ${trial.at} was asked for its models: ${trial.answer}.`,
    unreachedRemedy(provider, trial),
  )
}

/** Beginnings of keys, and the variable that such a key belongs into. */
const BEGINNINGS: readonly (readonly [RegExp, ProviderName])[] = [
  [/^sk-ant-/, "anthropic"],
  [/^AIza/, "google"],
  [/^sk-(?!ant-)/, "openai"],
]

function refusedRemedy(provider: ProviderName, env: Variables): string {
  const { keys } = PROVIDERS[provider]
  const key = keys.map((variable: string) => env[variable]?.trim()).find(Boolean) ?? ""
  const owner = BEGINNINGS.find(([pattern]) => pattern.test(key))?.[1]
  if (/^["'].*["']$/.test(key)) return "The key has quotes around it. Remove them."
  if (owner !== undefined && PROVIDERS[owner].keys[0] !== keys[0])
    return `It looks like a key for ${owner}: put it into ${PROVIDERS[owner].keys[0]}.`
  return "`sotto login` stores another."
}

function unreachedRemedy(provider: ProviderName, { answer }: KeyTrial): string {
  const { base } = PROVIDERS[provider]
  if (/certificate|self.signed|unable to (?:get|verify)/i.test(answer))
    return "If your network has a certificate of its own, name its file in NODE_EXTRA_CA_CERTS."
  const used = proxyVariables().join(" and ")
  const proxied =
    used === "" ? "" : ` Requests go through the proxy of ${used}; NO_PROXY lists hosts that do not.`
  return `Check the connection, and the address (${base} sets another).${proxied}`
}

/**
 * Finds where a provider answers if not at the address of its variable: with the other protocol, with or without the
 * version, or without the path of a request. The key is sent to none of them: that a server asks for one is enough.
 */
async function foundElsewhere(provider: ProviderName, env: Variables): Promise<string | undefined> {
  const { base } = PROVIDERS[provider]
  const given = env[base]?.trim()
  if (!given) return undefined
  const keyless = Object.fromEntries(Object.entries(env).filter(([variable]) => !KEY_VARIABLES.has(variable)))
  for (const address of variantsOf(given, provider)) {
    const { is } = await tryKey(provider, { ...keyless, [base]: address })
    if (is === "taken" || is === "refused") return address
  }
  return undefined
}

/** Ends of addresses that belong to a request and not to the base. */
const ENDS = /\/(?:chat\/completions|completions|responses|messages|models)\/?$/

function variantsOf(given: string, provider: ProviderName): readonly string[] {
  const url = new URL(given)
  const version = provider === "anthropic" || provider === "google" ? "" : "/v1"
  const bare = url.pathname
    .replace(ENDS, "")
    .replace(/\/+$/, "")
    .replace(/\/v1(?:beta)?$/, "")
  const paths = [`${bare}${version}`, version, bare]
  const protocols = [url.protocol, url.protocol === "https:" ? "http:" : "https:"]
  const all = protocols.flatMap((protocol) => paths.map((path) => `${protocol}//${url.host}${path}`))
  return [...new Set(all)].filter((one) => one !== given.replace(/\/+$/, ""))
}

function proxyVariables(): readonly string[] {
  const { https, http } = proxySettings(process.env) ?? {}
  return [https, http].flatMap((one) => (one === undefined ? [] : [one.variable]))
}

/** Says which proxies are gone through, and whether they are addresses of proxies at all. */
export async function proxies(): Promise<CheckResult> {
  const settings = proxySettings(process.env)
  if (settings === undefined) {
    const other = ["ALL_PROXY", "all_proxy"].find((variable) => process.env[variable])
    if (other === undefined) return ok("no proxy is set")
    return warning(
      `${other} is set, and Sotto does not use it.`,
      "Set HTTPS_PROXY to a proxy that speaks HTTP.",
    )
  }
  try {
    const called = await proxyNames(settings)
    const except = settings.except === "" ? "" : `, except for ${settings.except} (NO_PROXY)`
    return ok(`requests go through ${called.join(" and ")}${except}`)
  } catch (error) {
    return failed(reasonOf(error))
  }
}
