import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import {
  type AddressInfo,
  connect,
  createServer as createTcp,
  type Socket,
  type Server as TcpServer,
} from "node:net"
import { afterAll } from "vitest"
import { type ProxyServer, type ProxyServerOptions, startServer } from "../../src/proxy/transport/server.js"
import { type Upstreams, upstreamsIn } from "../../src/proxy/transport/upstreams.js"

const leftovers: (() => unknown)[] = []
afterAll(async () => {
  for (const clear of leftovers.splice(0).reverse()) await clear()
})

/** A provider that a test plays. */
export async function upstreamWith(
  listener: RequestListener,
): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(listener)
  await listen(server)
  return { url: `http://127.0.0.1:${portOf(server)}`, server }
}

/** A provider that sees and says bytes. */
export async function rawUpstream(serve: (socket: Socket) => void): Promise<{ readonly url: string }> {
  const server = createTcp((socket) => {
    socket.on("error", () => undefined)
    serve(socket)
  })
  await listen(server)
  return { url: `http://127.0.0.1:${portOf(server)}` }
}

async function listen(server: TcpServer): Promise<void> {
  const sockets = new Set<Socket>()
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  leftovers.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
}

export function portOf(server: TcpServer): number {
  return (server.address() as AddressInfo).port
}

/** All providers at one address. */
function upstreamsAt(url: string): Upstreams {
  return upstreamsIn({ ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1`, GOOGLE_GEMINI_BASE_URL: url })
}

/** The passing through alone, in this process. */
export async function proxyTo(
  url: string,
  options: Partial<ProxyServerOptions> = {},
): Promise<ProxyServer & { readonly url: string }> {
  const proxy = await startServer({
    port: 0,
    upstreams: upstreamsAt(url),
    watch: () => undefined,
    ...options,
  })
  leftovers.push(() => proxy.close())
  return { ...proxy, url: `http://127.0.0.1:${proxy.port}` }
}

/** Says bytes to a port, and returns all that comes until the other side closes, or until it has what it waits for. */
export function exchange(port: number, bytes: string | Uint8Array, until?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1")
    let heard = ""
    socket.setEncoding("latin1").on("data", (text: string) => {
      heard += text
      if (until?.test(heard)) {
        socket.destroy()
        resolve(heard)
      }
    })
    socket.once("error", reject)
    socket.once("end", () => {
      socket.destroy()
      resolve(heard)
    })
    socket.write(bytes)
  })
}
