import type { IncomingMessage } from "node:http"
import { connect as connectPlain, isIP, type Socket } from "node:net"
import { connect as connectTls, type SecureContextOptions } from "node:tls"
import { urlToHttpOptions } from "node:url"
import { replaced } from "./headers.js"
import type { UpstreamTarget } from "./upstreams.js"

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
