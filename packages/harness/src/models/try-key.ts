import { fetchThrough } from "../platform/network/fetch.js"
import { ProxyError, proxySettings } from "../platform/network/proxy-settings.js"
import { redact } from "../platform/secrets/redact.js"
import { printable } from "../platform/text/printable.js"
import type { Environment } from "../platform/workspace/folders.js"
import { knownSecrets } from "./known-secrets.js"
import { PROVIDERS, type Provider, type ProviderName } from "./providers.js"
import { baseOf, keyOf } from "./resolve.js"

/**
 * What a provider says of a key: it takes it, it refuses it, it cannot be told (a server that lists no models), or the
 * provider was not reached.
 */
export interface KeyTrial {
  readonly is: "taken" | "refused" | "untried" | "unreached"
  /** The address that was asked. */
  readonly at: string
  /** What was answered, or why nothing was, for people. */
  readonly answer: string
}

const LONGEST_WAIT = 15_000
const LONGEST_ANSWER = 300

/** Asks a provider for its list of models, which costs nothing, with a key or with the one of the environment. */
export async function tryKey(
  name: ProviderName,
  env: Environment,
  key: string | undefined = keyOf(PROVIDERS[name], env),
): Promise<KeyTrial> {
  const provider: Provider = PROVIDERS[name]
  const base = baseOf(provider, env)
  const at = `${base.origin}${base.pathname.replace(/\/+$/, "")}`
  if (key !== undefined && !isSendable(key))
    return { is: "refused", at, answer: "it has characters that no key has (spaces, line ends or others)" }
  const secrets = [...knownSecrets(env), ...(key === undefined ? [] : [key])]
  const told = (text: string) => printable(redact(text, secrets)).slice(0, LONGEST_ANSWER)
  try {
    const response = await fetchThrough(proxySettings(env))(provider.list(base.href.replace(/\/+$/, "")), {
      headers: { ...provider.fixedHeaders, ...(key !== undefined && provider.headers(key)) },
      redirect: "manual",
      signal: AbortSignal.timeout(LONGEST_WAIT),
    })
    return { at, ...judged(response.status, told(messageIn(await response.text()))) }
  } catch (error) {
    return { is: "unreached", at, answer: told(whyOf(error)) }
  }
}

function judged(status: number, message: string): Pick<KeyTrial, "is" | "answer"> {
  const answer = `it answered ${status}${message === "" ? "" : `: ${message}`}`
  if (status >= 200 && status < 300) return { is: "taken", answer: `it answered ${status}` }
  // Google answers a wrong key with 400.
  if (status === 401 || status === 403 || (status === 400 && /api.key/i.test(message)))
    return { is: "refused", answer }
  return status === 404 || status === 405 || status === 501
    ? { is: "untried", answer: `${answer} when it was asked for its models` }
    : { is: "unreached", answer }
}

function messageIn(body: string): string {
  try {
    const found: unknown = JSON.parse(body)
    const error = (found as { readonly error?: unknown } | null)?.error
    const message =
      typeof error === "string" ? error : (error as { readonly message?: unknown } | null)?.message
    return typeof message === "string" ? message : ""
  } catch {
    return ""
  }
}

/** Looks at the cause of what fetch throws: there stands a name that cannot be found or a refused connection. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ProxyError) return error.message
  if (error.name === "TimeoutError") return `nothing came within ${LONGEST_WAIT / 1000} seconds`
  return error.cause instanceof Error ? error.cause.message || String(error.cause) : error.message
}

function isSendable(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key)
}
