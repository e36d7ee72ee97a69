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
  try {
    return readFileSync(path, "utf8").trim()
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
