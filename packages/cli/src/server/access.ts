import type { Environment } from "@sotto/harness"
import { isSame, newSecret } from "../peers/secrets.js"
import { readChannels } from "./channels.js"
import { ApiError } from "./errors.js"
import { hashOf, signed, verified } from "./secrets.js"
import { readTokens, type TokenGrant } from "./tokens.js"

/** Whose credential a request carries. From it, and from nothing else, follows the origin of what is said. */
export type Caller =
  | { readonly is: "user" }
  | { readonly is: "channel"; readonly name: string }
  | { readonly is: "token"; readonly name: string; readonly grant: TokenGrant }

/** The headers of a request that say where it comes from. */
export interface Headers {
  get(name: string): string | undefined
}

/** A one-time link is for the browser that is being opened: it has this long to load the page. */
const LINK_MS = 2 * 60_000
const COOKIE_MS = 7 * 24 * 60 * 60_000

/** Decides who may come in: by host, by origin, and by token, cookie or the credential of a channel. */
export class AccessControl {
  readonly #token: string
  readonly #env: Environment
  readonly #hosts: (host: string) => boolean
  readonly #links = new Map<string, number>()
  #port = 0

  constructor(token: string, env: Environment, hosts: (host: string) => boolean) {
    this.#token = token
    this.#env = env
    this.#hosts = hosts
  }

  listening(port: number): void {
    this.#port = port
  }

  /**
   * Refuses what a page of another site sent. A name that points at this machine for a moment (DNS rebinding) shows in
   * the host, another site or another port in the origin.
   */
  checkPlace(headers: Headers): void {
    const host = headers.get("host") ?? ""
    if (!this.#isOwn(host))
      throw new ApiError(
        403,
        "bad-host",
        `This server does not answer for the host "${host}".`,
        `Use http://127.0.0.1:${this.#port}.`,
      )
    const origin = headers.get("origin")
    const site = headers.get("sec-fetch-site")
    const isForeign =
      (origin !== undefined && origin !== `http://${host}`) || site === "cross-site" || site === "same-site"
    if (isForeign)
      throw new ApiError(
        403,
        "cross-origin",
        "A page of another origin sent this request.",
        "Only the server's own page may talk to it from a browser; a program sends no Origin header.",
      )
  }

  #isOwn(host: string): boolean {
    const [, name = "", port = "80"] = /^(\[[0-9a-f:.]+\]|[^:]*)(?::(\d+))?$/i.exec(host) ?? []
    return Number(port) === this.#port && this.#hosts(name.toLowerCase())
  }

  /** Finds whose credential it is; undefined if it is unknown. A cookie counts only for what the page itself does. */
  caller(headers: Headers, changes: boolean): Caller | undefined {
    const given = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1]
    if (given !== undefined) return this.#bearer(given)
    if (headers.get("authorization") !== undefined) return undefined
    const cookie = cookieIn(headers.get("cookie"), this.cookieName)
    if (cookie === undefined || !this.#isCookie(cookie)) return undefined
    // A browser says where a change comes from. Without that it may be anybody's form.
    if (changes && headers.get("origin") === undefined) return undefined
    return { is: "user" }
  }

  #bearer(given: string): Caller | undefined {
    if (isSame(given, this.#token)) return { is: "user" }
    const hash = hashOf(given)
    const channel = readChannels(this.#env).find((one) => isSame(one.hash, hash))
    if (channel !== undefined) return { is: "channel", name: channel.name }
    const token = readTokens(this.#env).find((one) => isSame(one.hash, hash))
    if (token === undefined || (token.expires ?? Number.POSITIVE_INFINITY) <= Date.now()) return undefined
    return { is: "token", name: token.name, grant: token }
  }

  /** Makes a code that lets one browser in, once, and soon. */
  newLink(): string {
    const code = newSecret()
    this.#links.set(hashOf(code), Date.now() + LINK_MS)
    return code
  }

  /** Gives the cookie in exchange for a code; undefined if the code was used, is too old, or never was one. */
  redeem(code: string): string | undefined {
    const now = Date.now()
    for (const [hash, until] of this.#links) if (until < now) this.#links.delete(hash)
    if (!this.#links.delete(hashOf(code))) return undefined
    const value = signed(`${newSecret()}.${now + COOKIE_MS}`, this.#token)
    return `${this.cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_MS / 1000}`
  }

  /** Cookies know no ports: each server on this machine has one of its own. */
  get cookieName(): string {
    return `sotto-${this.#port}`
  }

  #isCookie(cookie: string): boolean {
    const until = Number(verified(cookie, this.#token)?.split(".")[1] ?? 0)
    return until > Date.now()
  }
}

/**
 * Decides which hosts a server on this address answers for. On an address that is not loopback any number is a name of
 * it.
 */
export function hostsOf(address: string, more: readonly string[]): (host: string) => boolean {
  const own = new Set(["127.0.0.1", "localhost", "[::1]", ...more.map((name) => name.toLowerCase())])
  if (isLoopback(address)) return (host) => own.has(host)
  const isNumber = (host: string) => /^[\d.]+$|^\[[0-9a-f:.]+\]$/i.test(host)
  return (host) => own.has(host) || host === address.toLowerCase() || isNumber(host)
}

export function isLoopback(address: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|::1|localhost)$/i.test(address)
}

function cookieIn(header: string | undefined, name: string): string | undefined {
  const found = header?.split(";").find((one) => one.trim().startsWith(`${name}=`))
  return found?.trim().slice(name.length + 1)
}
