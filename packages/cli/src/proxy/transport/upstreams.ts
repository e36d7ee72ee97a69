import { baseOf, type Environment, PROVIDERS } from "@sotto/harness"
import { UsageError } from "../../usage.js"

export type UpstreamName = "anthropic" | "openai" | "google"

/** Where the requests of one provider go on to. */
export interface Upstream {
  readonly provider: UpstreamName
  /** The address, with the part of a path that it may have. */
  readonly base: URL
  /** True if the provider's variable named it: then nothing is added to the paths of requests. */
  readonly isGiven: boolean
}

export type Upstreams = Readonly<Record<UpstreamName, Upstream>> & {
  /** Where paths go that no provider is known by: what `--upstream` names. */
  readonly others?: URL
}

/** Where Codex sends requests if the user has logged in with ChatGPT and no address was given. */
const CHATGPT = new URL("https://chatgpt.com/backend-api/codex")

/**
 * Reads the addresses that the providers' variables name now, or the providers' own, and where all other paths go.
 * Throws for a value that is not an address.
 */
export function upstreamsIn(env: Environment, others?: string): Upstreams {
  const upstream = (provider: UpstreamName): Upstream => {
    const { base } = PROVIDERS[provider]
    return { provider, base: baseOf(PROVIDERS[provider], env), isGiven: Boolean(env[base]?.trim()) }
  }
  return {
    anthropic: upstream("anthropic"),
    openai: upstream("openai"),
    google: upstream("google"),
    ...(others !== undefined && { others: addressIn(others) }),
  }
}

function addressIn(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol === "http:" || url?.protocol === "https:") return url
  throw new UsageError(`--upstream ${given}: use an address such as https://gateway.example/api.`)
}

/** What a client uses as its base URL to reach the proxy, per provider, as that provider's SDK expects it. */
export type Bases = Readonly<Record<UpstreamName, string>>

export function basesAt(port: number): Bases {
  const origin = `http://127.0.0.1:${port}`
  return { anthropic: origin, openai: `${origin}/v1`, google: origin }
}

/** A server, and the path to ask it for, exactly as it is written on the wire. */
export interface UpstreamTarget {
  readonly base: URL
  readonly path: string
}

export function targetOf(upstream: Upstream, path: string, isChatGpt: boolean): UpstreamTarget {
  const { provider, base, isGiven } = upstream
  if (provider === "openai") return joined(isChatGpt && !isGiven ? CHATGPT : base, withoutVersion(path))
  // Some SDKs take the version as part of the base URL, which the proxy's has not.
  if (!isGiven && /^\/(messages|models|tunedModels)\b/.test(path))
    return joined(base, `${provider === "google" ? "/v1beta" : "/v1"}${path}`)
  const version = /\/v\d\w*$/.exec(trimmed(base.pathname))?.[0]
  const isDoubled = version !== undefined && path.startsWith(`${version}/`)
  return joined(base, isDoubled ? path.slice(version.length) : path)
}

/** Removes the version: OpenAI's SDKs have it in the base URL, and so has the one that the proxy gives them. */
function withoutVersion(path: string): string {
  return path.replace(/^\/v1(?=[/?]|$)/, "")
}

/** Joins a path to an address. */
export function joined(base: URL, path: string): UpstreamTarget {
  const whole = `${trimmed(base.pathname)}${path}`
  return { base, path: whole.startsWith("/") ? whole : `/${whole}` }
}

function trimmed(pathname: string): string {
  return pathname.replace(/\/+$/, "")
}
