import { Agent as HttpAgent, type IncomingMessage } from "node:http"
import { Agent as HttpsAgent } from "node:https"
import { connect as connectPlain, isIP, type Socket } from "node:net"
import { connect as connectTls, type SecureContextOptions } from "node:tls"
import { urlToHttpOptions } from "node:url"
import { replaced } from "./headers.js"
import type { UpstreamTarget } from "./upstreams.js"

/**
 * One connection of a client, and the connections to upstreams that belong to it. They live and die together: a client
 * finds its connection kept and closed just as the upstream keeps and closes it, and no request is sent on a connection
 * that another client left behind, which the upstream may be about to close.
 */
export class ClientConnection {
  readonly #client: Socket
  readonly #tls: SecureContextOptions
  readonly #agents = new Map<string, HttpAgent>()
  readonly #known = new WeakSet<Socket>()
  #active = 0

  constructor(client: Socket, tls: SecureContextOptions) {
    this.#client = client
    this.#tls = tls
    client.once("close", () => {
      for (const agent of this.#agents.values()) agent.destroy()
    })
  }

  agentFor({ origin, protocol }: URL): HttpAgent {
    const known = this.#agents.get(origin)
    if (known !== undefined) return known
    const agent =
      protocol === "https:"
        ? new HttpsAgent({ ...this.#tls, keepAlive: true })
        : new HttpAgent({ keepAlive: true })
    this.#agents.set(origin, agent)
    return agent
  }

  begin(): void {
    this.#active++
  }

  end(): void {
    this.#active--
  }

  /** Takes note of a connection to an upstream. When that closes it while nothing is under way, the client's closes too. */
  reached(upstream: Socket): void {
    if (this.#known.has(upstream)) return
    this.#known.add(upstream)
    upstream.once("close", () => {
      if (this.#active === 0) this.#client.end()
    })
  }
}

/**
 * Passes a request for another protocol on (a WebSocket) and joins the two connections. From here on the proxy sees
 * bytes only: the answer to the request, too, goes back as it comes.
 */
export function tunnel(
  incoming: IncomingMessage,
  client: Socket,
  head: Uint8Array,
  { base, path }: UpstreamTarget,
  tls: SecureContextOptions,
): void {
  const { hostname, port } = urlToHttpOptions(base)
  const host = hostname ?? ""
  const isSecure = base.protocol === "https:"
  const upstream = isSecure
    ? connectTls({ ...tls, host, port: Number(port ?? 443), ...(isIP(host) === 0 && { servername: host }) })
    : connectPlain({ host, port: Number(port ?? 80) })
  const headers = replaced(incoming.rawHeaders, "host", base.host)
  const lines = [`${incoming.method} ${path} HTTP/1.1`]
  for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`)
  upstream.once(isSecure ? "secureConnect" : "connect", () => {
    upstream.setNoDelay(true)
    client.setNoDelay(true)
    upstream.write(`${lines.join("\r\n")}\r\n\r\n`, "latin1")
    if (head.length > 0) upstream.write(head)
    client.pipe(upstream).pipe(client)
  })
  upstream.on("error", (error) => {
    if ("code" in error && error.code === "ECONNRESET") client.resetAndDestroy()
    else client.destroySoon()
  })
  client.on("error", () => upstream.destroy())
  client.on("close", () => upstream.destroy())
  upstream.on("close", () => client.destroySoon())
}
