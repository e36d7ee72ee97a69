import { type Endpoint, endpointOf } from "@sotto/lens/sources"
import { headerOf } from "./headers.js"
import { type ProviderName, type Target, targetOf, type Upstreams } from "./upstreams.js"

/** What a request is, and where it goes on to. */
export interface Route {
  readonly provider: ProviderName
  readonly target: Target
  /** The model's API that it calls. Undefined for everything else, which is passed on and not looked at. */
  readonly endpoint: Endpoint | undefined
}

interface Head {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly rawHeaders: readonly string[]
}

/** Finds out whose a request is. Undefined if neither its path nor its headers tell. */
export function routeOf(head: Head, upstreams: Upstreams): Route | undefined {
  const endpoint = modelEndpoint(head.path)
  const provider = endpoint === undefined ? providerOf(head) : PROVIDER_OF[endpoint.dialect]
  if (provider === undefined) return undefined
  const isChatGpt = headerOf(head.rawHeaders, "chatgpt-account-id") !== undefined
  const target = targetOf(upstreams[provider], head.path, isChatGpt)
  return { provider, target, endpoint: head.method === "POST" ? endpoint : undefined }
}

const PROVIDER_OF = {
  anthropic: "anthropic",
  openai: "openai",
  "openai-chat": "openai",
  gemini: "google",
} as const satisfies Record<Endpoint["dialect"], ProviderName>

/**
 * The API of a model that a path names. Stricter than what the lens takes for one in a recording: an address such as
 * `/v1/threads/ID/messages` ends alike and is another API, and what is passed there is not to be recorded.
 */
export function modelEndpoint(path: string): Endpoint | undefined {
  const endpoint = endpointOf(path)
  if (endpoint === undefined) return undefined
  const [pathname = ""] = path.split("?")
  if (!/\/(messages|responses)(\/|$)/.test(pathname)) return endpoint
  return /(^|\/(v\d\w*|anthropic|openai|codex))\/(messages|responses)(\/\w+)?\/*$/.test(pathname)
    ? endpoint
    : undefined
}

/** By what only one provider's paths or headers have; a plain bearer token at `/v1/` is OpenAI's way. */
function providerOf({ path, rawHeaders }: Head): ProviderName | undefined {
  const has = (name: string) => headerOf(rawHeaders, name) !== undefined
  if (has("anthropic-version") || has("anthropic-beta") || has("x-api-key")) return "anthropic"
  if (has("x-goog-api-key") || has("x-goog-api-client") || /[?&]key=/.test(path)) return "google"
  if (has("openai-organization") || has("openai-beta") || has("chatgpt-account-id")) return "openai"
  if (/^\/(v1beta|v1alpha|upload\/v1beta|download\/v1beta)\b/.test(path)) return "google"
  if (/^\/(v1\/)?(complete|messages)\b|^\/api\/(claude|event_logging|oauth|hello)/.test(path))
    return "anthropic"
  if (/^\/v1\//.test(path) || /^Bearer /i.test(headerOf(rawHeaders, "authorization") ?? "")) return "openai"
  return undefined
}
