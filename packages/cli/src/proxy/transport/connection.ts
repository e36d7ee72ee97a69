import { Agent as HttpAgent } from "node:http"
import { Agent as HttpsAgent } from "node:https"
import type { Socket } from "node:net"
import type { SecureContextOptions } from "node:tls"

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
