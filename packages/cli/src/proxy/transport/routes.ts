import { type Endpoint, endpointOf } from "@sotto/lens/sources"
import { headerOf } from "./headers.js"
import { joined, targetOf, type UpstreamName, type Upstreams, type UpstreamTarget } from "./upstreams.js"

/** What a request is, and where it goes on to. */
export interface ProxyRoute {
  readonly target: UpstreamTarget
  /** The model's API that it calls. Undefined for everything else, which is passed on and not looked at. */
  readonly endpoint: Endpoint | undefined
}

/** The head of a request. */
export interface Head {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly rawHeaders: readonly string[]
}

/**
 * Finds out whose a request is. Undefined if nothing says so for sure: a credential never goes to a provider that was
 * guessed.
 */
export function routeOf(head: Head, upstreams: Upstreams): ProxyRoute | undefined {
  const endpoint = modelEndpoint(head.path)
  const target = targetFor(head, endpoint, upstreams)
  return target && { target, endpoint: head.method === "POST" ? endpoint : undefined }
}

function targetFor(
  head: Head,
  endpoint: Endpoint | undefined,
  upstreams: Upstreams,
): UpstreamTarget | undefined {
  const provider = providerOf(head) ?? givenFor(endpoint, upstreams)
  if (provider !== undefined) {
    const isChatGpt = headerOf(head.rawHeaders, "chatgpt-account-id") !== undefined
    return targetOf(upstreams[provider], head.path, isChatGpt)
  }
  return upstreams.others && joined(upstreams.others, head.path)
}

/** Finds the provider whose gateway the user has named: only it knows the path of a model's API with a prefix before it. */
function givenFor(endpoint: Endpoint | undefined, upstreams: Upstreams): UpstreamName | undefined {
  const provider = endpoint && PROVIDER_OF[endpoint.dialect]
  return provider !== undefined && upstreams[provider].isGiven ? provider : undefined
}

const PROVIDER_OF = {
  anthropic: "anthropic",
  openai: "openai",
  "openai-chat": "openai",
  gemini: "google",
} as const satisfies Record<Endpoint["dialect"], UpstreamName>

/**
 * Finds the API of a model that a path names. Stricter than what the lens takes for one in a recording: an address such
 * as `/v1/threads/ID/messages` ends alike and is another API, and what is passed there is not to be recorded.
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

/** Paths that only one provider has. */
const OWN_PATHS: readonly (readonly [UpstreamName, RegExp])[] = [
  ["google", /^\/((upload|download)\/)?v1(beta|alpha)(\/|$)|^\/(v1\/)?(models|tunedModels)\/[^/]+:\w+$/],
  [
    "anthropic",
    /^\/(v1\/)?messages(\/|$)|^\/v1\/(complete|oauth|skills)(\/|$)|^\/api\/(claude\w*|event_logging|oauth|hello)(\/|$)/,
  ],
  ["openai", /^\/(v1\/)?(responses|chat\/completions)(\/|$)/],
  [
    "openai",
    /^\/v1\/(embeddings|completions|moderations|images|audio|videos|realtime|assistants|threads|conversations|vector_stores|batches|uploads|fine_tuning|evals|containers)(\/|$)/,
  ],
]
/** Paths that all of them have: the credential's header tells. */
const SHARED_PATHS = /^\/v1\/(models|files)(\/|$)/

/** Finds the provider that a request is for, by what only one provider's paths or headers have. Undefined if nothing tells. */
function providerOf({ path, rawHeaders }: Head): UpstreamName | undefined {
  const [pathname = "", query = ""] = path.split("?", 2)
  const has = (name: string) => headerOf(rawHeaders, name) !== undefined
  const own = OWN_PATHS.find(([, pattern]) => pattern.test(pathname))?.[0]
  if (own !== undefined) return own
  if (has("anthropic-version") || has("anthropic-beta")) return "anthropic"
  if (has("x-goog-api-key") || has("x-goog-api-client")) return "google"
  if (has("openai-organization") || has("openai-beta") || has("chatgpt-account-id")) return "openai"
  if (!SHARED_PATHS.test(pathname)) return undefined
  if (has("x-api-key")) return "anthropic"
  return /(^|&)key=/.test(query) ? "google" : "openai"
}
