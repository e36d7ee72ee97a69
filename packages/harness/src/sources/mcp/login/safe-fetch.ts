import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js"
import { fetchThrough } from "../../../platform/network/fetch.js"
import { proxySettings } from "../../../platform/network/proxy-settings.js"
import type { Environment } from "../../../platform/workspace/folders.js"
import { LinkError } from "../link-error.js"

/** Milliseconds for one answer, and bytes of it, of those that are asked while the user logs in. */
const LONGEST_WAIT = 15_000
const MOST = 1_000_000
const WITHOUT_BODY = [204, 205, 304]

/** True for an address of this machine. */
function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname)
}

/** True if what is sent to the address stays secret on its way. */
export function isConfidential(address: URL): boolean {
  return address.protocol === "https:" || (address.protocol === "http:" && isLoopback(address))
}

/**
 * Throws LinkError for an address that a server must not send Sotto or the user to: nothing but https, except that a server
 * of this machine may name others of this machine. An address from outside could name a file, a script or a service of
 * the user's own network.
 */
export function refuseUnsafe(address: URL, server: URL, what: string): void {
  const isSafe =
    address.protocol === "https:" ||
    (address.protocol === "http:" && isLoopback(address) && isLoopback(server))
  if (!isSafe || address.username !== "" || address.password !== "")
    throw new LinkError(
      "refused",
      `it names ${addressText(address)} as ${what}; only an https address is taken`,
    )
}

/** Shows an address without what may be secret in it. */
export function addressText({ protocol, host, pathname }: URL): string {
  return host === "" ? `a "${protocol}" address` : `${protocol}//${host}${pathname.slice(0, 200)}`
}

/** Makes a fetch for the addresses that a server names: only safe ones, no redirects, nothing large, nothing slow. */
export function safeFetch(
  server: URL,
  headers: Readonly<Record<string, string>>,
  env: Environment,
  signal?: AbortSignal,
): FetchLike {
  const fetch = fetchThrough(proxySettings(env))
  return async (given, init) => {
    const address = new URL(given)
    refuseUnsafe(address, server, "an address to ask")
    const sent = new Headers(init?.headers)
    // The server's own headers are for nobody else.
    if (address.origin === server.origin)
      for (const [name, value] of Object.entries(headers)) if (!sent.has(name)) sent.set(name, value)
    const limit = AbortSignal.timeout(LONGEST_WAIT)
    const response = await fetch(address, {
      ...init,
      headers: sent,
      redirect: "manual",
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    })
    const { status, statusText } = response
    const kept = new Headers(response.headers)
    // A stream may have no end, and what it would say is not asked for here.
    const isStream = kept.get("content-type")?.startsWith("text/event-stream") === true
    if (isStream) await response.body?.cancel()
    const body = isStream || WITHOUT_BODY.includes(status) ? null : await within(response, address)
    for (const name of ["content-encoding", "content-length"]) kept.delete(name)
    return new Response(body, { status, statusText, headers: kept })
  }
}

async function within({ body }: Response, address: URL): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MOST)
      throw new LinkError("too long", `${addressText(address)} answered with over ${MOST} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
