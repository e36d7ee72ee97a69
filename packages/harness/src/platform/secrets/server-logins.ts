import { existsSync } from "node:fs"
import { join } from "node:path"
import { reasonOf } from "../text/errors.js"
import { configFolder, type Environment } from "../workspace/folders.js"
import { keepPrivate, privateFolder, replacePrivate, whileLocked } from "../workspace/private-files.js"
import { readRegularText } from "../workspace/regular-file.js"

/** What Sotto got when the user logged in at an MCP server, and what it takes to renew or revoke it. */
export interface ServerLogin {
  readonly token: string
  /** When the token ends, in milliseconds. */
  readonly expires?: number
  readonly refresh?: string
  /** Of the authorization server. */
  readonly issuer: string
  readonly tokenEndpoint: string
  readonly revocationEndpoint?: string
  /** As which client Sotto is registered there, and how it proves that. */
  readonly client: string
  readonly secret?: string
  readonly method?: string
  /** What the token is for, as the server names itself. */
  readonly resource?: string
}

/** By the exact address of the server: one of another address with the same name never gets what is kept here. */
type Logins = ReadonlyMap<string, ServerLogin>

const LONGEST = 4_000_000

/** Gives the path of the user's own file with the logins at MCP servers. Only its owner can read it. */
export function loginsFile(env: Environment): string {
  return join(configFolder(env), "mcp-logins.json")
}

/** Writes the address of a server in the one form by which logins are kept. */
function loginKey(url: string | URL): string {
  const address = new URL(url)
  address.hash = ""
  return address.href
}

/** Reads the logins. `problem` says to people why the file cannot be used; there are none then. */
export function readLogins(env: Environment): { readonly logins: Logins; readonly problem?: string } {
  const path = loginsFile(env)
  try {
    const text = readRegularText(path, LONGEST)
    if (text === undefined) {
      if (existsSync(path)) throw new Error("it is a folder")
      return { logins: new Map() }
    }
    keepPrivate(path)
    return { logins: parse(text) }
  } catch (cause) {
    const why = cause instanceof SyntaxError ? "it is not JSON" : reasonOf(cause)
    const remedy = "Mend or remove it; then: sotto mcp login NAME."
    return { logins: new Map(), problem: `${path} cannot be used: ${why}. ${remedy}` }
  }
}

/** Finds the login that is kept for exactly this address. */
export function loginAt(url: string | URL, env: Environment): ServerLogin | undefined {
  return readLogins(env).logins.get(loginKey(url))
}

/** Keeps a login, in the place of an older one. Throws if it cannot be kept. */
export function keepLogin(env: Environment, url: string | URL, login: ServerLogin): void {
  change(env, (logins) => logins.set(loginKey(url), login))
}

/** Removes a login and returns it. With `token`, only if it still has that token. */
export function forgetLogin(env: Environment, url: string | URL, token?: string): ServerLogin | undefined {
  let gone: ServerLogin | undefined
  if (!readLogins(env).logins.has(loginKey(url))) return undefined
  change(env, (logins) => {
    const found = logins.get(loginKey(url))
    if (found === undefined || (token !== undefined && found.token !== token)) return
    gone = found
    logins.delete(loginKey(url))
  })
  return gone
}

/** Lists everything in the logins that must not be shown. */
export function loginSecrets(env: Environment): readonly string[] {
  return [...readLogins(env).logins.values()].flatMap(({ token, refresh, secret }) =>
    [token, refresh, secret].filter((one) => one !== undefined),
  )
}

function change(env: Environment, edit: (logins: Map<string, ServerLogin>) => void): void {
  const path = loginsFile(env)
  privateFolder(configFolder(env))
  whileLocked(`${path}.lock`, () => {
    const { logins: known, problem } = readLogins(env)
    if (problem !== undefined) throw new Error(problem)
    const logins = new Map(known)
    edit(logins)
    replacePrivate(path, `${JSON.stringify(Object.fromEntries(logins), null, 2)}\n`)
  })
}

/** Throws for anything that this file did not write. No value is in the message: it may be half a token. */
function parse(text: string): Logins {
  const found: unknown = JSON.parse(text)
  if (!isRecord(found)) throw new Error("it is not an object of logins")
  return new Map(
    Object.entries(found).map(([url, login]): [string, ServerLogin] => {
      if (!isLogin(login)) throw new Error(`what it says of "${url}" is damaged`)
      return [url, login]
    }),
  )
}

const NEEDED = ["token", "issuer", "tokenEndpoint", "client"]
const OPTIONAL = ["refresh", "revocationEndpoint", "secret", "method", "resource"]

function isLogin(value: unknown): value is ServerLogin & Record<string, unknown> {
  if (!isRecord(value)) return false
  const { expires } = value
  const isText = (name: string) => typeof value[name] === "string"
  const texts = NEEDED.every(isText) && OPTIONAL.every((name) => value[name] === undefined || isText(name))
  return texts && (expires === undefined || typeof expires === "number")
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
