import type { Environment } from "@sotto/harness"
import { newSecret } from "../peers/secrets.js"
import { UsageError } from "../usage.js"
import { checkName, hashOf, keepCredentials, readCredentials } from "./secrets.js"

/**
 * What a token may do. `read`: look. `talk`: say something, change and take back what it said, and end a turn. `answer`:
 * answer questions and plans. `administer`: everything else.
 */
export const SCOPES = ["read", "talk", "answer", "administer"] as const
export type Scope = (typeof SCOPES)[number]

/** What a token may do, and with which sessions. */
export interface TokenGrant {
  readonly scopes: readonly Scope[]
  /** True if what it says is said by the user. Without it, and without `administer`, it speaks as a channel of its name. */
  readonly asUser?: boolean
  /** Only these sessions, and the subagents of each. */
  readonly sessions?: readonly string[]
  /** Only sessions with one of these labels. */
  readonly labels?: readonly string[]
  /** Only sessions in one of these folders or below it. Absolute paths. */
  readonly folders?: readonly string[]
}

/** A credential for a program that may do a part of what the user may. */
export interface AccessToken extends TokenGrant {
  readonly name: string
  /** SHA-256 of the token. The token itself is not kept. */
  readonly hash: string
  readonly created: number
  /** Milliseconds since 1970. */
  readonly expires?: number
}

const FILE = "server.tokens.json"

/** Reads the tokens as the file has them now. An entry that is not whole lets nobody in. */
export function readTokens(env: Environment): readonly AccessToken[] {
  return readCredentials<AccessToken>(env, FILE, "tokens").filter(
    ({ scopes }) => Array.isArray(scopes) && scopes.every((one) => SCOPES.includes(one)),
  )
}

/** Adds a token and returns it. It cannot be had again. */
export function addToken(
  env: Environment,
  name: string,
  granted: TokenGrant & { readonly expires?: number },
  taken: readonly string[],
): string {
  checkName(name, "token", taken)
  const tokens = readTokens(env)
  if (tokens.some((one) => one.name === name))
    throw new UsageError(
      `There is a token "${name}" already. \`sotto serve token remove ${name}\` removes it.`,
    )
  const token = newSecret()
  const added: AccessToken = { name, hash: hashOf(token), created: Date.now(), ...granted }
  keepCredentials(env, FILE, "tokens", [...tokens, added])
  return token
}

export function removeToken(env: Environment, name: string): void {
  const tokens = readTokens(env)
  if (!tokens.some((one) => one.name === name))
    throw new UsageError(`There is no token "${name}". \`sotto serve token list\` lists them.`)
  const others = tokens.filter((one) => one.name !== name)
  keepCredentials(env, FILE, "tokens", others)
}

/** True if a token is limited to some sessions. */
export function isLimited({ sessions, labels, folders }: TokenGrant): boolean {
  return sessions !== undefined || labels !== undefined || folders !== undefined
}
