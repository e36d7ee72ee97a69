import { loginSecrets } from "../platform/secrets/server-logins.js"
import type { Environment } from "../platform/workspace/folders.js"
import { PROVIDERS } from "./providers.js"
import { readKeys } from "./stored-keys.js"

/** Variables that hold a secret, by the way they are called everywhere. */
const SECRET_VARIABLE = /(?:key|token|secret|pass|password|passwd|passphrase|credentials?|auth)(?:_?\d+)?$/i
const SHORTEST_KEY = 6
const SHORTEST = 8

/**
 * Lists the secrets that this process knows of: providers' keys, stored ones too, what MCP servers gave at a login, and
 * whatever the environment calls a secret.
 */
export function knownSecrets(env: Environment, more: readonly string[] = []): readonly string[] {
  const providers = Object.values(PROVIDERS).flatMap(({ keys }) => keys as readonly string[])
  const values = Object.entries(env).flatMap(([name, value = ""]) => {
    const found = value.trim()
    if (providers.includes(name)) return found.length >= SHORTEST_KEY ? [found] : []
    return SECRET_VARIABLE.test(name) && looksChosen(found) ? [found] : []
  })
  const stores = [env.SOTTO_STORE, env.SOTTO_LISTEN].flatMap(passwordIn)
  const stored = [...readKeys(env).keys.values(), ...loginSecrets(env)]
  return [...new Set([...values, ...stores, ...stored, ...more].flatMap(spellings))]
}

/** Finds the password in the address of a store, as it is written there and as it is meant. */
function passwordIn(address = ""): readonly string[] {
  const [, written = ""] = /^postgres(?:ql)?:\/\/[^/@:]*:([^@]+)@/i.exec(address) ?? []
  try {
    return written === "" ? [] : [written, decodeURIComponent(written)]
  } catch {
    return [written]
  }
}

interface ConfiguredServers {
  readonly store?: string
  readonly mcp: Readonly<Record<string, { readonly env?: Texts; readonly headers?: Texts }>>
}

type Texts = Readonly<Record<string, string>>

/**
 * Lists the secrets in the user's configuration: what MCP servers are sent or started with, and the store's password.
 */
export function configuredSecrets({ mcp, store }: ConfiguredServers): readonly string[] {
  const servers = Object.values(mcp).flatMap(({ env = {}, headers = {} }) =>
    [
      ...Object.entries(env).flatMap(([name, value]) => (SECRET_VARIABLE.test(name) ? [value] : [])),
      ...Object.values(headers).map((value) => value.replace(/^(?:bearer|basic|token)\s+/i, "")),
    ].filter(looksChosen),
  )
  return [...servers, ...passwordIn(store)]
}

/** Excludes short values and single words ("disabled"), which would be taken out of every sentence. */
function looksChosen(value: string): boolean {
  return value.length >= SHORTEST && /[^a-z]/i.test(value) && !value.startsWith("/")
}

/** Spells a secret as it is, in an address, and encoded as basic authentication does. */
function spellings(secret: string): readonly string[] {
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64").replace(/=+$/, "")]
}
