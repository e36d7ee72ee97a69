import { randomBytes } from "node:crypto"
import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { forgetLogin, keepLogin } from "../../../platform/secrets/server-logins.js"
import { reasonOf } from "../../../platform/text/errors.js"
import { startOf } from "../../../platform/text/text.js"
import type { Environment } from "../../../platform/workspace/folders.js"
import type { McpServerSettings } from "../../../settings/config/outside.js"
import type { McpServerConfig } from "../../../settings/config/variables.js"
import { LinkError } from "../link-error.js"
import { tokensIn } from "./authorized-fetch.js"
import { listenForCode, type RedirectListener } from "./redirect.js"
import { addressText, isConfidential, refuseUnsafe, safeFetch } from "./safe-fetch.js"

/** How the user logs in at a server. */
export interface LoginOptions {
  readonly server: Pick<McpServerSettings, "type" | "url" | "headers">
  readonly env: Environment
  /** Ends it before its time. */
  readonly signal: AbortSignal
  /** Hosts that may take part beside the server and its authorization server. */
  readonly hosts?: readonly string[]
  /** The client that Sotto is registered as already; it registers itself unless given. */
  readonly client?: string
  /** The port that the browser comes back to; a free one unless given. */
  readonly port?: number
  /**
   * Shows the user the address to open. `take` is for an address that they paste because the browser is on another machine: it
   * returns what is wrong with it, or undefined.
   */
  show(address: string, take: RedirectListener["take"]): void
}

/** Says why the user cannot log in at a server, in words that follow its name and a colon; undefined if they can. */
export function whyNoLogin({
  url,
  headers = {},
  problem,
  from = "its configuration",
}: McpServerConfig): string | undefined {
  if (problem !== undefined) return problem
  if (url === undefined) return "it is a program that Sotto starts, so there is nothing to log in at"
  if (!URL.canParse(url)) return `its url is not an address. See ${from}.`
  const own = Object.keys(headers).find((name) => name.toLowerCase() === "authorization")
  return (
    own && `its configuration has an ${own} header of its own, which counts instead of a login. See ${from}.`
  )
}

/**
 * Logs the user in at a server with OAuth: finds its authorization server, registers there, has the user agree in their
 * browser, and keeps the tokens. Returns false if the server answers without a login. Throws LinkError, whose words
 * follow the server's name and a colon.
 */
export async function logIn({ server, env, signal, ...options }: LoginOptions): Promise<boolean> {
  const url = new URL(server.url ?? "")
  if (!isConfidential(url))
    throw new LinkError(
      "refused",
      `it is reached over plain ${url.protocol.slice(0, -1)}, where others could read the token; use https`,
    )
  const fetch = safeFetch(url, server.headers ?? {}, env, signal)
  const { auth, extractWWWAuthenticateParams } = await import("@modelcontextprotocol/sdk/client/auth.js")
  try {
    const asked = await firstAnswer(fetch, url, server.type)
    if (asked.ok && !(await mayWantLogin(fetch, url))) return false
    if (!asked.ok && asked.status !== 401)
      throw new LinkError("refused", `it answered ${asked.status}, not 401, which would ask for a login`)
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(asked)
    if (resourceMetadataUrl !== undefined && resourceMetadataUrl.origin !== url.origin)
      throw new LinkError(
        "refused",
        `it describes itself at ${addressText(resourceMetadataUrl)}, which is not its own host; nothing was asked there`,
      )
    const flow = new Flow(url, options)
    const redirect = await listenForCode(flow, options.port)
    try {
      const step = {
        serverUrl: url,
        fetchFn: fetch,
        ...(resourceMetadataUrl && { resourceMetadataUrl }),
        ...(scope !== undefined && { scope }),
      }
      const provider = flow.provider(redirect.address)
      await auth(provider, step)
      options.show(flow.address(), redirect.take)
      const authorizationCode = await untilAborted(redirect.code, signal)
      await auth(provider, { ...step, authorizationCode })
      keepLogin(env, url, flow.login())
      return true
    } finally {
      redirect.close()
    }
  } catch (cause) {
    if (signal.aborted) throw new LinkError("aborted", abortText(signal))
    throw cause instanceof LinkError
      ? cause
      : new LinkError("refused", `the login did not work: ${startOf(reasonOf(cause), 500)}`)
  }
}

/**
 * Forgets the login at a server, and has its authorization server revoke it. Returns what could not be done, for people;
 * undefined where there was no login.
 */
export async function logOut(url: URL, env: Environment): Promise<{ readonly problem?: string } | undefined> {
  const login = forgetLogin(env, url)
  if (login === undefined) return undefined
  const { revocationEndpoint, token, refresh, client, secret, method } = login
  if (revocationEndpoint === undefined) return { problem: "the server has no way to revoke it" }
  const fetch = safeFetch(url, {}, env)
  const isBasic = secret !== undefined && method !== "client_secret_post"
  try {
    // Whoever takes back the second takes back the first too, mostly; not every server does.
    for (const [hint, value] of [
      ["refresh_token", refresh],
      ["access_token", token],
    ] as const) {
      if (value === undefined) continue
      const body = new URLSearchParams({ token: value, token_type_hint: hint })
      if (!isBasic) body.set("client_id", client)
      if (!isBasic && secret !== undefined) body.set("client_secret", secret)
      const basic = Buffer.from(`${client}:${secret}`).toString("base64")
      const response = await fetch(revocationEndpoint, {
        method: "POST",
        body,
        ...(isBasic && { headers: { authorization: `Basic ${basic}` } }),
      })
      if (!response.ok) throw new Error(`it answered ${response.status}`)
    }
    return {}
  } catch (cause) {
    return {
      problem: `it could not be revoked at ${addressText(new URL(revocationEndpoint))}: ${reasonOf(cause)}`,
    }
  }
}

/** Asks the server as a client would that has not logged in. */
async function firstAnswer(
  fetch: ReturnType<typeof safeFetch>,
  url: URL,
  type: McpServerSettings["type"],
): Promise<Response> {
  const events = () => fetch(url, { headers: { accept: "text/event-stream" } })
  if (type === "sse") return events()
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "sotto", version: "0.1.0" },
  }
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  })
  const session = response.headers.get("mcp-session-id")
  if (response.ok && session !== null)
    await fetch(url, { method: "DELETE", headers: { "mcp-session-id": session } }).catch(() => undefined)
  return response.status === 404 || response.status === 405 ? events() : response
}

/** True if a server that greets everybody says where to log in: it may want that for what it offers. */
async function mayWantLogin(
  fetch: ReturnType<typeof safeFetch>,
  { origin, pathname }: URL,
): Promise<boolean> {
  const path = pathname === "/" ? "" : pathname
  return (await fetch(`${origin}/.well-known/oauth-protected-resource${path}`)).ok
}

/** What one login comes to know, step by step. */
class Flow {
  readonly #server: URL
  readonly #options: Pick<LoginOptions, "hosts" | "client">
  readonly state = randomBytes(32).toString("base64url")
  #discovery: OAuthDiscoveryState | undefined
  #client: OAuthClientInformationMixed | undefined
  #tokens: OAuthTokens | undefined
  #verifier = ""
  #address: URL | undefined

  constructor(server: URL, options: Pick<LoginOptions, "hosts" | "client">) {
    this.#server = server
    this.#options = options
    if (options.client !== undefined) this.#client = { client_id: options.client }
  }

  provider(redirectUrl: string): OAuthClientProvider {
    return {
      redirectUrl,
      clientMetadata: {
        client_name: "Sotto",
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      },
      state: () => this.state,
      clientInformation: () => this.#client,
      saveClientInformation: (client) => {
        this.#client = client
      },
      tokens: () => undefined,
      saveTokens: (tokens) => {
        this.#tokens = tokens
      },
      redirectToAuthorization: (address) => {
        this.#address = address
      },
      saveCodeVerifier: (verifier) => {
        this.#verifier = verifier
      },
      codeVerifier: () => this.#verifier,
      saveDiscoveryState: (found) => {
        this.#check(found)
        this.#discovery = found
      },
      discoveryState: () => this.#discovery,
    }
  }

  issuer() {
    const metadata = this.#discovery?.authorizationServerMetadata
    if (metadata === undefined) return undefined
    const says: unknown = Reflect.get(metadata, "authorization_response_iss_parameter_supported")
    return { issuer: metadata.issuer, isRequired: says === true }
  }

  /** The address for the user's browser, with every character that a shell or an opener might take amiss in its own code. */
  address(): string {
    if (this.#address === undefined)
      throw new LinkError("refused", "its authorization server names no address to log in at")
    refuseUnsafe(this.#address, this.#server, "the address to log in at")
    return this.#address.href.replace(/[^\w\-.~:/?#[\]@&=+,%]/g, (character) =>
      encodeURIComponent(character).replace(/[!'()*]/g, hex),
    )
  }

  login() {
    const {
      authorizationServerUrl = "",
      authorizationServerMetadata: metadata,
      resourceMetadata,
    } = this.#discovery ?? {}
    if (this.#tokens === undefined || this.#client === undefined)
      throw new LinkError("refused", "it gave no token")
    const { client_id: client, client_secret: secret } = this.#client
    const method: unknown = Reflect.get(this.#client, "token_endpoint_auth_method")
    const revocationEndpoint: unknown = metadata && Reflect.get(metadata, "revocation_endpoint")
    return {
      ...tokensIn(this.#tokens),
      issuer: authorizationServerUrl,
      tokenEndpoint: metadata?.token_endpoint ?? new URL("/token", authorizationServerUrl).href,
      ...(typeof revocationEndpoint === "string" && { revocationEndpoint }),
      client,
      ...(secret !== undefined && { secret }),
      ...(typeof method === "string" && { method }),
      ...(resourceMetadata !== undefined && { resource: resourceMetadata.resource }),
    }
  }

  /**
   * Refuses an authorization server that is spread over hosts which need not belong together: one that is not what it
   * seems would send the user to log in at a real one, and have the code brought to itself.
   */
  #check({ authorizationServerUrl, authorizationServerMetadata: metadata }: OAuthDiscoveryState): void {
    const { hosts = [] } = this.#options
    const home = new URL(authorizationServerUrl)
    refuseUnsafe(home, this.#server, "its authorization server")
    for (const field of ENDPOINTS) {
      const named: unknown = metadata && Reflect.get(metadata, field)
      if (typeof named !== "string") continue
      const address = new URL(named)
      refuseUnsafe(address, this.#server, field.replaceAll("_", " "))
      const isKnown =
        [home.origin, this.#server.origin].includes(address.origin) || hosts.includes(address.host)
      if (!isKnown)
        throw new LinkError(
          "refused",
          `its authorization server is ${home.host}, but its ${field.replaceAll("_", " ")} is at ${address.host}. If you know that both belong together, allow it with --host ${address.host}`,
        )
    }
  }
}

const ENDPOINTS = [
  "issuer",
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
] as const

function hex(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener("abort", stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop))
  })
}

function abortText({ reason }: AbortSignal): string {
  const isLate = reason instanceof Error && reason.name === "TimeoutError"
  return isLate ? "nobody logged in within the time limit" : "stopped before you had logged in"
}
