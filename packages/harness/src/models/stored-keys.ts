import { existsSync } from "node:fs"
import { join } from "node:path"
import { reasonOf } from "../platform/text/errors.js"
import { configFolder, type Environment } from "../platform/workspace/folders.js"
import {
  keepPrivate,
  privateFolder,
  replacePrivate,
  whileLocked,
} from "../platform/workspace/private-files.js"
import { readRegularText } from "../platform/workspace/regular-file.js"
import { ModelSetupError } from "./error.js"
import { KEY_VARIABLES, PROVIDERS, type Provider, type ProviderName } from "./providers.js"

/** Keys by the name of the variable that would hold them. */
type Keys = ReadonlyMap<string, string>

/** The file with the keys, as it was found. */
interface KeyFile {
  readonly keys: Keys
  /** Why the file cannot be used, for people. There are no keys then. */
  readonly problem?: string
}

const LONGEST = 1_000_000

/** Gives the path of the user's own file with the keys that `sotto login` has stored. Only its owner can read it. */
export function keysFile(env: Environment): string {
  return join(configFolder(env), "keys.json")
}

/** Reads the keys that `sotto login` stored. */
export function readKeys(env: Environment): KeyFile {
  const path = keysFile(env)
  try {
    const text = readRegularText(path, LONGEST)
    if (text === undefined) {
      if (existsSync(path)) throw new Error("it is a folder")
      return { keys: new Map() }
    }
    keepPrivate(path)
    return { keys: parse(text) }
  } catch (cause) {
    const why = cause instanceof SyntaxError ? "it is not JSON" : reasonOf(cause)
    return {
      keys: new Map(),
      problem: `${path} cannot be used: ${why}. Mend or remove it; then: sotto login.`,
    }
  }
}

/** Which variables of an environment that `withStoredKeys` has made came from the file. */
const stored = new WeakMap<Environment, ReadonlySet<string>>()

/**
 * Adds the stored keys to the environment, in the variables where Sotto looks for keys. A provider whose key is in the
 * environment already keeps that one. From here on a stored key is treated like one from the environment: it is
 * redacted, and child processes do not get it.
 */
export function withStoredKeys(env: Environment, { keys }: KeyFile = readKeys(env)): Environment {
  const isSet = (variable: string) => Boolean(env[variable]?.trim())
  const missing = (Object.values(PROVIDERS) as readonly Provider[])
    .filter((provider) => !provider.keys.some(isSet))
    .flatMap((provider) => provider.keys.slice(0, 1))
    .filter((variable) => keys.has(variable))
  if (missing.length === 0) return env
  const whole = { ...env, ...Object.fromEntries(missing.map((variable) => [variable, keys.get(variable)])) }
  stored.set(whole, new Set(missing))
  return whole
}

/**
 * Puts keys that were stored since into an environment that this process uses already. Keys that it has stay. Programs that
 * were started from it, or get a copy that was made before, do not see them.
 */
export function renewStoredKeys(env: Environment): void {
  const whole = withStoredKeys(env)
  if (whole === env) return
  Object.assign(env, whole)
  stored.set(env, new Set([...(stored.get(env) ?? []), ...(stored.get(whole) ?? [])]))
}

/** Says where the key of a provider comes from, for people: "the key in OPENAI_API_KEY". */
export function keyPlace(provider: Provider, env: Environment): string {
  const { keys } = provider
  if (keys.some((one) => stored.get(env)?.has(one))) return "the key that `sotto login` has stored"
  const set = keys.find((one) => env[one]?.trim())
  return set === undefined ? `the key in ${keys[0]}, which is not set` : `the key in ${set}`
}

/** True if the user's own environment has a key for a provider. It counts more than a stored one. */
export function isFromEnvironment({ keys }: Provider, env: Environment): boolean {
  return keys.some((one) => Boolean(env[one]?.trim()) && !stored.get(env)?.has(one))
}

/** Keeps a key for a provider, in the place of an older one. Throws ModelSetupError if it cannot be kept. */
export function storeKey(env: Environment, provider: ProviderName, key: string): void {
  change(env, (keys) => keys.set(PROVIDERS[provider].keys[0], key))
}

/** Removes a stored key. True if there was one to remove. */
export function removeKey(env: Environment, provider: ProviderName): boolean {
  const [variable] = PROVIDERS[provider].keys
  if (!readKeys(env).keys.has(variable)) return false
  change(env, (keys) => keys.delete(variable))
  return true
}

function change(env: Environment, edit: (keys: Map<string, string>) => void): void {
  const path = keysFile(env)
  try {
    privateFolder(configFolder(env))
    whileLocked(`${path}.lock`, () => {
      const { keys: known, problem } = readKeys(env)
      if (problem !== undefined) throw new Error(problem)
      const keys = new Map(known)
      edit(keys)
      replacePrivate(path, `${JSON.stringify(Object.fromEntries(keys), null, 2)}\n`)
    })
  } catch (cause) {
    throw new ModelSetupError("no-key", `The key cannot be kept in ${path}.`, reasonOf(cause))
  }
}

/** Throws for anything but an object of keys. No value is in the message: it may be half a key. */
function parse(text: string): Keys {
  const found: unknown = JSON.parse(text)
  if (typeof found !== "object" || found === null || Array.isArray(found))
    throw new Error('it is not an object such as {"ANTHROPIC_API_KEY": "…"}')
  const wrong = Object.entries(found).find(
    ([variable, key]) => !KEY_VARIABLES.has(variable) || typeof key !== "string" || key.trim() === "",
  )
  if (wrong !== undefined) throw new Error(`"${wrong[0]}" in it is not the name and the text of a key`)
  return new Map(Object.entries(found as Readonly<Record<string, string>>))
}
