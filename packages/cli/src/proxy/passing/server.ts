import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { SecureContextOptions } from "node:tls"
import type { Mending } from "../mending/mended.js"
import { FOREIGN_HOST, NO_FORWARD_PROXY, NO_PROVIDER, refuse } from "./answers.js"
import { Connection } from "./connection.js"
import { type RawHeaders, without } from "./headers.js"
import { isOwnHost, ownPath } from "./hosts.js"
import { type Instead, MAX_HEADERS, type Passing, pass } from "./pass.js"
import { modelEndpoint, type Route, routeOf } from "./routes.js"
import type { Tap } from "./tap.js"
import { tunnel } from "./tunnel.js"
import type { Upstreams } from "./upstreams.js"

/** A request to a model, before its body is known. */
export interface CallHead {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: RawHeaders
  readonly route: Route
}

/** A request that a policy has looked at. */
interface Rewritten {
  /** What goes out instead. Absent: the request itself. */
  readonly instead?: Instead
  readonly mending: Mending
  /** The provider refused what went out instead, and took the request itself: it went out after all. */
  readonly wasRefused?: (status: number) => Mending
}

/** Looks at a whole request. Undefined: it is none that a policy is for. */
export type Rewrite = (call: CallHead, body: Uint8Array) => Promise<Rewritten | undefined>

export interface ServerOptions {
  /** 0 takes a free one. */
  readonly port: number
  readonly upstreams: Upstreams
  /** Looks on at a request to a model. */
  readonly watch: (call: CallHead) => Tap | undefined
  /** Reads requests to models as a whole, and may send something else. */
  readonly rewrite?: Rewrite | undefined
  /** A WebSocket to a model's API: true if it is refused, so that the client speaks HTTP, which can be looked at. */
  readonly refuseTunnel?: ((path: string) => boolean) | undefined
  /** Answers what is asked of the proxy itself: paths below `/.sotto/`. */
  readonly answer?: ((incoming: IncomingMessage, response: ServerResponse) => void) | undefined
  /** More certificates to trust, for TLS upstreams. */
  readonly tls?: SecureContextOptions
}

export interface ProxyServer {
  readonly port: number
  /** Ends all connections. */
  close(): Promise<void>
}

/** Listens on loopback and passes requests on. Rejects if the port is taken. */
export async function startServer(options: ServerOptions): Promise<ProxyServer> {
  const { upstreams, tls = {} } = options
  const server = createServer({ maxHeaderSize: MAX_HEADERS, keepAlive: true, noDelay: true })
  // How long a request or an idle connection may last is between the client and the provider.
  Object.assign(server, { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, timeout: 0 })
  const connections = new WeakMap<Socket, Connection>()
  const tunnels = new Set<Socket>()
  const connectionOf = (socket: Socket) => {
    const known = connections.get(socket) ?? new Connection(socket, tls)
    connections.set(socket, known)
    return known
  }

  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    const path = ownPath(incoming.url ?? "/")
    if (path === undefined) return refuse(response, 400, NO_FORWARD_PROXY)
    if (!isOwnHost(incoming.headers.host)) return refuse(response, 403, FOREIGN_HOST)
    if (options.answer !== undefined && path.startsWith("/.sotto/")) return options.answer(incoming, response)
    const head = { method: incoming.method ?? "GET", path, rawHeaders: incoming.rawHeaders }
    const route = routeOf(head, upstreams)
    if (route === undefined) return refuse(response, 404, NO_PROVIDER)
    const call = { method: head.method, path, headers: incoming.rawHeaders, route }
    const tap = route.endpoint === undefined ? undefined : options.watch(call)
    const passing = {
      incoming,
      response,
      connection: connectionOf(incoming.socket),
      target: route.target,
      tap,
    }
    if (route.endpoint === undefined || options.rewrite === undefined) return pass(passing)
    void readWhole(call, incoming, response, tap, options.rewrite).then((read) => {
      if (read !== undefined) pass({ ...passing, ...read })
    })
  }
  server.on("request", handle)
  // The upstream says whether to go on. Who reads the body first has to say so itself.
  server.on("checkContinue", handle)
  server.on("checkExpectation", handle)
  server.on("upgrade", (incoming: IncomingMessage, stream: Duplex, head: Buffer) => {
    const socket = stream as Socket
    socket.on("error", () => socket.destroy())
    const path = ownPath(incoming.url ?? "/")
    const headers = incoming.rawHeaders
    const isOwn = path !== undefined && isOwnHost(incoming.headers.host)
    const route = isOwn ? routeOf({ method: "GET", path, rawHeaders: headers }, upstreams) : undefined
    const refusal =
      route === undefined
        ? `${isOwn ? 404 : 403} Refused`
        : path !== undefined && modelEndpoint(path) !== undefined && options.refuseTunnel?.(path) === true
          ? "426 Upgrade Required"
          : undefined
    if (route === undefined || refusal !== undefined)
      socket.end(`HTTP/1.1 ${refusal}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
    else tunnel(incoming, socket, head, route.target, tls)
    tunnels.add(socket)
    socket.once("close", () => tunnels.delete(socket))
  })
  server.on("clientError", (_, stream) => {
    if (stream.writable) stream.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")
    else stream.destroy()
  })
  await listening(server, options.port)
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        for (const socket of tunnels) socket.destroy()
      }),
  }
}

/** Reads the whole request, and has it looked at. Undefined: the client went away before that. */
async function readWhole(
  call: CallHead,
  incoming: IncomingMessage,
  response: ServerResponse,
  tap: Tap | undefined,
  rewrite: Rewrite,
): Promise<Pick<Passing, "instead" | "otherwise"> | undefined> {
  if (incoming.headers.expect !== undefined) response.writeContinue()
  const pieces: Buffer[] = []
  try {
    for await (const piece of incoming as AsyncIterable<Buffer>) {
      tap?.sent(piece)
      pieces.push(piece)
    }
  } catch {
    tap?.ended("The client closed the connection before its request was complete.")
    return undefined
  }
  const own = { headers: withoutExpect(call.headers), body: Buffer.concat(pieces) }
  const { instead, mending, wasRefused } = (await rewrite(call, own.body)) ?? {}
  if (mending !== undefined) tap?.mended(mending)
  if (instead === undefined) return { instead: own }
  const taken = (status: number) => {
    if (wasRefused !== undefined) tap?.mended(wasRefused(status))
  }
  return { instead: { ...instead, headers: withoutExpect(instead.headers) }, otherwise: { ...own, taken } }
}

/** The client has been told to go on, and nobody is to be asked again. */
function withoutExpect(headers: RawHeaders): RawHeaders {
  return without(headers, (name) => name === "expect")
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      server.removeListener("error", reject)
      resolve()
    })
  })
}
