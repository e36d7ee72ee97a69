import type { Environment } from "../platform/workspace/folders.js"
import type { ModelError } from "./error.js"
import { isProviderName, PROVIDERS, type Provider } from "./providers.js"
import { nearestModel } from "./resolve.js"
import { isFromEnvironment, keyPlace } from "./stored-keys.js"
import type { ModelTarget } from "./target.js"

/**
 * Explains a failed call to the person: what went wrong, with which model, at which address, by which variables that is
 * set, and what can be done about it. The one place where that is worded.
 */
export function explained(error: ModelError, { name }: Pick<ModelTarget, "name">, env: Environment): string {
  const slash = name.indexOf("/")
  const provider = name.slice(0, slash)
  if (!isProviderName(provider)) return error.message
  const known: Provider = PROVIDERS[provider]
  const place = `${name} at ${addressOf(known, env)}`
  const advice = adviceFor(error, known, name.slice(slash + 1), env)
  return [`${ended(error.message)} (${place}).`, advice].filter(Boolean).join(" ")
}

/** Gives the address without a password that it may hold. */
function addressOf({ base, defaultBase }: Provider, env: Environment): string {
  const given = env[base]?.trim() || defaultBase
  return URL.canParse(given) ? `${new URL(given).origin}${new URL(given).pathname.replace(/\/$/, "")}` : given
}

function adviceFor(
  { status, kind }: Pick<ModelError, "status" | "kind">,
  provider: Provider,
  model: string,
  env: Environment,
): string | undefined {
  const key = keyPlace(provider, env)
  const { base } = provider
  const address = env[base]?.trim() ? `the address in ${base}` : `the address (${base} sets another)`
  if (/quota|billing|credit/i.test(kind)) return `Look at the account that ${key} belongs to.`
  switch (status) {
    case 401:
      return `Check ${key}.${isFromEnvironment(provider, env) ? "" : " `sotto login` stores another."}`
    case 403:
      return `Check what ${key} may be used for.`
    case 404:
      return `Check the name of the model, "${model}"${likeIt(model)} (/model chooses another), and ${address}.`
    case 429:
      return `${key.replace("the", "The")} is used too often now: wait, or choose another model with /model.`
    default:
      break
  }
  if (status !== undefined && status >= 500) return "The fault is the provider's: try again later."
  if (kind === "network" || kind === "not-a-message" || kind === "redirected" || kind === "silent")
    return `Check the connection, and ${address}.`
  return undefined
}

/** Names a model that may have been meant. */
function likeIt(model: string): string {
  const meant = nearestModel(model)
  return meant === undefined || meant.endsWith(`/${model}`) ? "" : `: did you mean ${meant}?`
}

function ended(message: string): string {
  return message.replace(/[.\s]+$/, "")
}
