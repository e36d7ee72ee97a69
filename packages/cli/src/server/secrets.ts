import { createHash, createHmac } from "node:crypto"
import { linkSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { dataFolder, type Environment, privateFolder, replacePrivate } from "@sotto/harness"
import { isSame, newSecret } from "../peers/secrets.js"
import { UsageError } from "../usage.js"

const FEWEST = 16

/**
 * Reads the token that lets the user in: from `SOTTO_TOKEN`, else from a file that only they can read, made at the
 * first start.
 */
export function userToken(env: Environment): string {
  if (env.SOTTO_TOKEN !== undefined && env.SOTTO_TOKEN !== "") return checked(env.SOTTO_TOKEN, "SOTTO_TOKEN")
  const path = tokenFile(env)
  privateFolder(dataFolder(env))
  const found = tokenIn(path)
  if (found !== undefined) return checked(found, path)
  // Two servers may start at once: the first to link its file wins, and a file is never half written.
  const draft = `${path}.${process.pid}`
  replacePrivate(draft, `${newSecret()}\n`)
  try {
    linkSync(draft, path)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return checked(tokenIn(path) ?? "", path)
}

function tokenFile(env: Environment): string {
  return join(dataFolder(env), "server.token")
}

function tokenIn(path: string): string | undefined {
  return textIn(path)?.trim()
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw error
  }
}

function checked(token: string, where: string): string {
  if (token.length >= FEWEST && /^[\x21-\x7e]+$/.test(token)) return token
  throw new UsageError(
    `${where} holds no usable token: at least ${FEWEST} characters, without spaces. Remove it, and a new one is made.`,
  )
}

export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex")
}

export function signed(value: string, key: string): string {
  return `${value}.${createHmac("sha256", key).update(value).digest("base64url")}`
}

export function verified(text: string, key: string): string | undefined {
  const value = text.slice(0, text.lastIndexOf("."))
  return isSame(text, signed(value, key)) ? value : undefined
}

/** Of a credential, what every file of them has. */
interface Named {
  readonly name: string
  readonly hash: string
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i

/** Refuses a name that cannot be one, or that another credential has: messages and limits are told apart by it. */
export function checkName(name: string, what: string, taken: readonly string[]): void {
  if (!NAME.test(name))
    throw new UsageError(`"${name}" is no name for a ${what}: use letters, digits, ".", "_" and "-".`)
  if (name === "user") throw new UsageError('"user" is what your own token is called. Use another name.')
  if (taken.includes(name))
    throw new UsageError(`A channel or a token is called "${name}" already. Use another name.`)
}

/** Reads credentials as their file has them now, so that a server that runs takes a change without being started again. */
export function readCredentials<T extends Named>(env: Environment, file: string, list: string): readonly T[] {
  const path = join(dataFolder(env), file)
  const text = textIn(path)
  if (text === undefined) return []
  try {
    const found = JSON.parse(text)[list] as readonly T[]
    return found.filter(({ name, hash }) => typeof name === "string" && typeof hash === "string")
  } catch {
    throw new UsageError(`${path} is damaged. Remove it, and add the ${list} again.`)
  }
}

/** Writes credentials to a file that only the user can read. */
export function keepCredentials(env: Environment, file: string, list: string, kept: readonly Named[]): void {
  privateFolder(dataFolder(env))
  replacePrivate(join(dataFolder(env), file), `${JSON.stringify({ [list]: kept }, undefined, 2)}\n`)
}
