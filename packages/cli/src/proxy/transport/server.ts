import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { SecureContextOptions } from "node:tls"
import {
  FOREIGN_HOST,
  FROM_PAGE,
  NO_FORWARD_PROXY,
  NO_PROVIDER,
  type ProxyRefusal,
  refuse,
  refuseUpgrade,
} from "./answers.js"
import { ClientConnection, tunnel } from "./connection.js"
import { foreignCredential } from "./credentials.js"
import { type RawHeaders, without } from "./headers.js"
import { type Instead, MAX_HEADERS, type PassedCall, pass } from "./pass.js"
import { modelEndpoint, type ProxyRoute, routeOf } from "./routes.js"
import { LARGEST_BODY, LARGEST_READING, type MendResult, type Tap, TOO_LARGE } from "./tap.js"
import type { Upstreams } from "./upstreams.js"

/** A request to a model, before its body is known. */
export interface CallHead {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: RawHeaders
  readonly route: ProxyRoute
}

/** A request that a policy has looked at. */
interface Rewritten {
  /** What goes out instead. Absent: the request itself. */
  readonly instead?: Instead
  readonly mending: MendResult
  /** The provider refused what went out instead, and took the request itself: it went out after all. */
  readonly wasRefused?: (status: number) => MendResult
}

/** Looks at a whole request. Undefined if no policy applies to it. */
export type Rewrite = (call: CallHead, body: Uint8Array) => Promise<Rewritten | undefined>

export interface ProxyServerOptions {
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
export async function startServer(options: ProxyServerOptions): Promise<ProxyServer> {
  const { upstreams, tls = {} } = options
  const server = createServer({ maxHeaderSize: MAX_HEADERS, keepAlive: true, noDelay: true })
  // How long a request or an idle connection may last is between the client and the provider.
  Object.assign(server, { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, timeout: 0 })
  const connections = new WeakMap<Socket, ClientConnection>()
  const tunnels = new Set<Socket>()
  const reading = { bytes: 0 }
  const connectionOf = (socket: Socket) => {
    const known = connections.get(socket) ?? new ClientConnection(socket, tls)
    connections.set(socket, known)
    return known
  }

  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    const path = ownPath(incoming.url ?? "/")
    const refusal = refusalOf(path, incoming)
    if (path === undefined || refusal !== undefined) return refuse(response, refusal ?? NO_FORWARD_PROXY)
    if (options.answer !== undefined && path.startsWith("/.sotto/")) return options.answer(incoming, response)
    const head = { method: incoming.method ?? "GET", path, rawHeaders: incoming.rawHeaders }
    const route = routeOf(head, upstreams)
    if (route === undefined) return refuse(response, NO_PROVIDER)
    const foreign = foreignCredential(head, route.target)
    if (foreign !== undefined) return refuse(response, foreign)
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
    void readWhole(call, passing, options.rewrite, reading).then((read) => {
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
    const asked = { method: "GET", path: path ?? "", rawHeaders: incoming.rawHeaders }
    const route = routeOf(asked, upstreams)
    const refusal =
      refusalOf(path, incoming) ?? (route ? foreignCredential(asked, route.target) : NO_PROVIDER)
    if (route === undefined || refusal !== undefined) refuseUpgrade(socket, refusal ?? NO_PROVIDER)
    else if (modelEndpoint(asked.path) !== undefined && options.refuseTunnel?.(asked.path) === true)
      socket.end("HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
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

/** Says why the proxy refuses a request, wherever it was to go. */
function refusalOf(
  path: string | undefined,
  { headers, rawHeaders }: IncomingMessage,
): ProxyRefusal | undefined {
  if (path === undefined) return NO_FORWARD_PROXY
  if (!isOwnHost(headers.host)) return FOREIGN_HOST
  return isFromPage(rawHeaders) ? FROM_PAGE : undefined
}

/**
 * Reads the whole request, and has it looked at. One that is larger than `LARGEST_BODY`, or for which `reading` has no room
 * beside all others that are read, is put back to be passed on as it comes. Undefined: the client went away before that.
 */
async function readWhole(
  call: CallHead,
  { incoming, response, tap }: PassedCall,
  rewrite: Rewrite,
  reading: { bytes: number },
): Promise<Pick<PassedCall, "headers" | "instead" | "otherwise"> | undefined> {
  if (incoming.headers.expect !== undefined) response.writeContinue()
  const pieces: Buffer[] = []
  let size = 0
  response.once("close", () => {
    reading.bytes -= size
  })
  let isTooLarge = false
  try {
    for await (const piece of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      pieces.push(piece)
      size += piece.length
      reading.bytes += piece.length
      isTooLarge = size > LARGEST_BODY || reading.bytes > LARGEST_READING
      if (isTooLarge) break
    }
  } catch {
    for (const piece of pieces) tap?.sent(piece)
    tap?.ended("The client closed the connection before its request was complete.")
    return undefined
  }
  const headers = withoutExpect(call.headers)
  const body = Buffer.concat(pieces)
  // The piece that was too much may have been the last one.
  if (isTooLarge && !incoming.readableEnded) {
    incoming.unshift(body)
    const why = size > LARGEST_BODY ? `it is ${TOO_LARGE}` : "too many large requests came at once"
    tap?.mended({ mends: [], fellBack: `${why}.` })
    return { headers }
  }
  tap?.sent(body)
  const own = { headers, body }
  const { instead, mending, wasRefused } = (await rewrite(call, body)) ?? {}
  if (mending !== undefined) tap?.mended(mending)
  if (instead === undefined) return { instead: own }
  const taken = (status: number) => {
    if (wasRefused !== undefined) tap?.mended(wasRefused(status))
  }
  return { instead: { ...instead, headers: withoutExpect(instead.headers) }, otherwise: { ...own, taken } }
}

/** Removes the header: the client has been told to go on, so the upstream is not to be asked again. */
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

/**
 * True if a Host header names this machine. A page from elsewhere whose name resolves to 127.0.0.1 (DNS rebinding) says
 * its own name there. Programs that speak HTTP/1.0 say none.
 */
function isOwnHost(host: string | undefined): boolean {
  if (host === undefined || host === "") return true
  const name = host.replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase()
  return /^(localhost|[\w-]+(\.[\w-]+)*\.localhost|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:(127\.[\d.]+|7f[0-9a-f]{2}:[0-9a-f]{1,4})\])$/.test(
    name,
  )
}

/**
 * True if a page in a browser sent a request. Browsers name the page's origin, or at least how it relates to the address
 * (`none`: the user typed it). Programs send neither header; Node's fetch sends `Sec-Fetch-Mode` alone.
 */
function isFromPage(headers: RawHeaders): boolean {
  return headers.some((text, i) => {
    const name = i % 2 === 0 ? text.toLowerCase() : ""
    return name === "origin" || (name === "sec-fetch-site" && headers[i + 1]?.trim() !== "none")
  })
}

/** Finds the path of a request, also where the client writes the whole address. Undefined if that is another host's. */
function ownPath(url: string): string | undefined {
  if (url.startsWith("/") || url === "*") return url
  const [, host, path = ""] = /^http:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (host === undefined || !isOwnHost(host)) return undefined
  return path.startsWith("/") ? path : `/${path}`
}
