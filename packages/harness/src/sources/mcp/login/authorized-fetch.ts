import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js"
import {
  forgetLogin,
  keepLogin,
  loginAt,
  loginsFile,
  type ServerLogin,
} from "../../../platform/secrets/server-logins.js"
import { reasonOf } from "../../../platform/text/errors.js"
import type { Environment } from "../../../platform/workspace/folders.js"
import { whileHeld } from "../../../platform/workspace/private-files.js"
import { LinkError } from "../link-error.js"
import { isConfidential, safeFetch } from "./safe-fetch.js"

/** Milliseconds before its end at which a token counts as over: it has to last as long as the request. */
const EARLY = 30_000
/** Milliseconds for a token to be renewed, with all processes that wait for it. */
const LONGEST_RENEWAL = 20_000

/**
 * Makes a fetch that shows the server the token of the user's login, renewed when it is over. Throws LinkError `login`
 * where the server wants a login and there is none that it takes.
 * @param onLoginWanted is called before: not every transport passes on what its fetch throws
 */
export function authorizedFetch(
  fetch: FetchLike,
  server: URL,
  env: Environment,
  onLoginWanted: (why: LinkError) => void,
): FetchLike {
  const sent = (url: string | URL, init: RequestInit | undefined, login: ServerLogin | undefined) => {
    const headers = new Headers(init?.headers)
    if (login !== undefined) headers.set("authorization", `Bearer ${login.token}`)
    return fetch(url, { ...init, headers })
  }
  return async (url, init) => {
    // The token is for the server alone, and not to be read on the way.
    if (new URL(url).origin !== server.origin || !isConfidential(server)) return fetch(url, init)
    const known = loginAt(server, env)
    const login = known && isOver(known) ? await renewed(known, server, env) : known
    const response = await sent(url, init, login)
    if (response.status === 403 && isTooNarrow(response)) {
      await response.body?.cancel()
      throw new LinkError("refused", "your login does not allow that: log in again, and agree to more")
    }
    if (response.status !== 401) return response
    await response.body?.cancel()
    const next = login && (await renewed(login, server, env))
    const second = next && (await sent(url, init, next))
    if (second !== undefined && second.status !== 401) return second
    await second?.body?.cancel()
    const why = new LinkError("login", "it wants you to log in")
    onLoginWanted(why)
    throw why
  }
}

function isTooNarrow({ headers }: Response): boolean {
  return headers.get("www-authenticate")?.includes("insufficient_scope") === true
}

function isOver({ expires }: ServerLogin): boolean {
  return expires !== undefined && expires - EARLY < Date.now()
}

/**
 * Renews a login that the server does not take any more, one process at a time: an authorization server may take each
 * refresh token once, and end the login when it comes twice. Undefined if the user has to log in anew.
 */
async function renewed(used: ServerLogin, server: URL, env: Environment): Promise<ServerLogin | undefined> {
  return whileHeld(`${loginsFile(env)}.renewal`, LONGEST_RENEWAL, async () => {
    const login = loginAt(server, env)
    // Another process was first, or the user has logged in or out meanwhile.
    if (login === undefined || login.token !== used.token) return login
    if (login.refresh === undefined) return undefined
    const { refreshAuthorization } = await import("@modelcontextprotocol/sdk/client/auth.js")
    const { OAuthError } = await import("@modelcontextprotocol/sdk/server/auth/errors.js")
    try {
      const { issuer, tokenEndpoint, client, secret, method, resource, refresh } = login
      const tokens = await refreshAuthorization(issuer, {
        metadata: {
          issuer,
          authorization_endpoint: tokenEndpoint,
          token_endpoint: tokenEndpoint,
          response_types_supported: ["code"],
        },
        clientInformation: {
          client_id: client,
          ...(secret !== undefined && { client_secret: secret }),
          ...(method !== undefined && { token_endpoint_auth_method: method }),
        },
        refreshToken: refresh,
        ...(resource !== undefined && { resource }),
        fetchFn: safeFetch(server, {}, env),
      })
      const fresh = { ...login, ...tokensIn(tokens) }
      keepLogin(env, server, fresh)
      return fresh
    } catch (cause) {
      if (!(cause instanceof OAuthError) || cause.errorCode === "server_error")
        throw new LinkError("lost", `its login could not be renewed: ${reasonOf(cause)}`)
      forgetLogin(env, server, login.token)
      return undefined
    }
  })
}

/** What an authorization server gives, as it is kept. */
interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token?: string | undefined
  readonly expires_in?: number | undefined
}

export function tokensIn({
  access_token,
  refresh_token,
  expires_in,
}: TokenAnswer): Pick<ServerLogin, "token" | "refresh" | "expires"> {
  return {
    token: access_token,
    ...(refresh_token !== undefined && { refresh: refresh_token }),
    ...(expires_in !== undefined && { expires: Date.now() + expires_in * 1_000 }),
  }
}
