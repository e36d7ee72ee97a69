import { PROVIDERS } from "@sotto/harness"
import type { ProxyRefusal } from "./answers.js"
import type { RawHeaders } from "./headers.js"
import type { Head } from "./routes.js"
import type { UpstreamName, UpstreamTarget } from "./upstreams.js"

const PROVIDER_NAMES = ["anthropic", "openai", "google"] as const

/** Hosts that are a provider's own. At any other address the user has named a gateway, which may take any key. */
const OWN_HOSTS: Readonly<Record<UpstreamName, RegExp>> = {
  anthropic: /(^|\.)(anthropic\.com|claude\.(ai|com))$/,
  openai: /(^|\.)(openai\.com|chatgpt\.com)$/,
  google: /(^|\.)googleapis\.com$/,
}

/** Where each provider takes credentials, by the names of headers, and of a parameter of the address. */
const TAKEN: Readonly<Record<UpstreamName, readonly string[]>> = {
  anthropic: ["authorization", "x-api-key"],
  openai: ["authorization"],
  google: ["authorization", "x-goog-api-key", "?key"],
}
/** What carries a credential, or shows that the request was made for GitHub Copilot. */
const CARRIERS = new Set([
  "authorization",
  "x-api-key",
  "x-goog-api-key",
  "api-key",
  "copilot-integration-id",
])

/** How keys begin of which it is known whose they are. `sk-` alone is used by many. */
const KEYS: readonly (readonly [RegExp, UpstreamName | "other"])[] = [
  [/^sk-ant-/, "anthropic"],
  [/^sk-(proj|svcacct|admin|None)-|^sk-\w*T3BlbkFJ/, "openai"],
  [/^(AIza|ya29\.|AQ\.|GOCSPX-)/, "google"],
  // OpenRouter, Groq, xAI, Hugging Face, Perplexity, Fireworks, Cerebras, NVIDIA, Replicate, Together, LiteLLM, Vercel.
  [/^(sk-or-|gsk_|xai-|hf_|pplx-|fw_|csk-|nvapi-|r8_|tgp_|sk-litellm|vck_)/, "other"],
  // GitHub and its Copilot, GitLab, Amazon, Azure.
  [/^(gh[opusr]_|github_pat_|tid=|gl(pat|oas)-|(AKIA|ASIA|ABSK)|bedrock-api-key-)/, "other"],
]

/**
 * Refuses a request with a credential that surely is not for the provider to whose own address it would go. The refusal
 * says where the credential stands, never what it is.
 */
export function foreignCredential(
  { rawHeaders, path }: Head,
  { base }: UpstreamTarget,
): ProxyRefusal | undefined {
  const provider = PROVIDER_NAMES.find((one) => OWN_HOSTS[one].test(base.hostname))
  if (provider === undefined) return undefined
  const found = credentialsIn(rawHeaders, path).find(
    ([at, value]) => (CARRIERS.has(at) && !TAKEN[provider].includes(at)) || isForeign(value, provider),
  )
  if (found === undefined) return undefined
  const at = found[0].replace("?", "the parameter ")
  return {
    status: 421,
    message:
      `the credential in ${at} is another provider's, and the request would go to ${provider}, so it went to nobody. ` +
      `If it is for a gateway, name its address in ${PROVIDERS[provider].base} before you start the proxy.`,
  }
}

function credentialsIn(headers: RawHeaders, path: string): readonly (readonly [string, string])[] {
  const pairs = headers.flatMap((text, i): (readonly [string, string])[] => {
    const name = i % 2 === 0 ? text.toLowerCase() : ""
    return CARRIERS.has(name) ? [[name, headers[i + 1] ?? ""]] : []
  })
  const query = new URLSearchParams(path.split("?").slice(1).join("?"))
  return [...pairs, ...[...query].map(([name, value]) => [`?${name}`, value] as const)]
}

function isForeign(value: string, provider: UpstreamName): boolean {
  const key = value.trim().replace(/^(bearer|token)\s+/i, "")
  return KEYS.some(([pattern, owner]) => owner !== provider && pattern.test(key))
}
