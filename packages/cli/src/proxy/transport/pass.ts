import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http"
import { request as httpsRequest } from "node:https"
import type { Socket } from "node:net"
import { urlToHttpOptions } from "node:url"
import type { ClientConnection } from "./connection.js"
import { backwards, headerOf, onwards, type RawHeaders } from "./headers.js"
import type { Tap } from "./tap.js"
import type { UpstreamTarget } from "./upstreams.js"

/** Larger than what any provider takes, so that it is the provider who refuses. */
export const MAX_HEADERS = 256 * 1024

/** Sends the head alone. The platform's own way to do that writes some characters otherwise than they came. */
const NOTHING = Buffer.alloc(0)
/** What a provider says to a body that it finds fault with. */
const REFUSALS: ReadonlySet<number> = new Set([400, 422])
const CLIENT_LEFT = "The client closed the connection before the answer was complete."

/** A whole request that goes out in the place of the one that came in. */
export interface Instead {
  readonly headers: RawHeaders
  readonly body: Uint8Array
}

export interface PassedCall {
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly connection: ClientConnection
  readonly target: UpstreamTarget
  /** The headers that go out with the body that comes in, if they are others. */
  readonly headers?: RawHeaders
  /** What goes out instead of the body that comes in, where that was read already. */
  readonly instead?: Instead
  /** What goes out if the upstream finds fault with `instead`, and who hears if it takes that. */
  readonly otherwise?: Instead & { readonly taken: (refusal: number) => void }
  /** Hears the status of the answer. */
  readonly answered?: (status: number) => void
  /** Looks on. */
  readonly tap?: Tap | undefined
}

/** Passes one request on to its upstream, and the answer back, as they come and no faster than the other side reads. */
export function pass(passing: PassedCall): void {
  const { incoming, response, connection, target, instead, otherwise, tap } = passing
  if (response.destroyed) {
    tap?.ended(CLIENT_LEFT)
    return
  }
  const outgoing = requestTo(
    target,
    incoming,
    (instead ?? passing).headers ?? incoming.rawHeaders,
    connection,
  )
  let answer: IncomingMessage | undefined
  let isOver = false
  const over = (error?: string) => {
    if (isOver) return
    isOver = true
    connection.end()
    tap?.ended(error)
  }
  const fail = (error: Error) => {
    if (isOver) return
    over(reasonFor(error, target))
    breakOff(response, outgoing)
  }
  connection.begin()
  response.once("close", () => {
    over(response.writableFinished ? undefined : CLIENT_LEFT)
    if (!response.writableFinished) outgoing.destroy()
  })
  // Whatever is left of the request is of no use to anybody once it is answered.
  response.once("finish", () => incoming.resume())
  outgoing.on("socket", (socket) => connection.reached(socket))
  outgoing.on("continue", () => response.writeContinue())
  outgoing.on("information", ({ statusCode, headers }) => {
    if (statusCode === 102) response.writeProcessing()
    if (statusCode === 103 && headers.link) response.writeEarlyHints({ link: headers.link })
  })
  outgoing.on("error", (error) => {
    // An upstream may answer, and close, before it has read all: the answer counts.
    if (answer === undefined) fail(error)
  })
  outgoing.once("response", (message) => {
    answer = message
    const { statusCode = 0 } = message
    if (otherwise !== undefined && REFUSALS.has(statusCode)) {
      isOver = true
      connection.end()
      message.resume()
      const { taken, ...own } = otherwise
      const { otherwise: _, ...rest } = passing
      return pass({ ...rest, instead: own, answered: (status) => status < 400 && taken(statusCode) })
    }
    passing.answered?.(statusCode)
    try {
      sendHead(message, response)
    } catch (error) {
      message.destroy()
      return fail(error as Error)
    }
    tap?.answered(statusCode, message.rawHeaders)
    if (tap !== undefined) message.on("data", (piece: Buffer) => tap.received(piece))
    message.on("error", fail)
    message.on("close", () => {
      if (!message.complete) fail(new Error("the connection was closed"))
    })
    message.on("end", () => {
      if (!message.complete) return
      if (message.rawTrailers.length > 0) response.addTrailers(pairs(message.rawTrailers))
      response.end()
    })
    message.pipe(response, { end: false })
  })
  if (instead === undefined) sendBody(incoming, outgoing, tap)
  else outgoing.end(instead.body)
}

function requestTo(
  { base, path }: UpstreamTarget,
  { method = "GET" }: IncomingMessage,
  headers: RawHeaders,
  connection: ClientConnection,
): ClientRequest {
  const { protocol, hostname, port } = urlToHttpOptions(base)
  const request = protocol === "https:" ? httpsRequest : httpRequest
  const sent = withCredentials(onwards(headers, base.host), base)
  const options = {
    hostname: hostname ?? "",
    ...(port !== undefined && { port }),
    path,
    method,
    agent: connection.agentFor(base),
    maxHeaderSize: MAX_HEADERS,
  }
  const hasLength =
    headerOf(sent, "content-length") !== undefined || headerOf(sent, "transfer-encoding") !== undefined
  // As a list, headers go out as they are.
  if (hasLength) return request({ ...options, headers: sent as never })
  const outgoing = request({ ...options, setHost: false })
  for (const [name, value] of pairs(sent)) outgoing.appendHeader(name, value)
  // A request without a length has no body, so do not announce one.
  outgoing.useChunkedEncodingByDefault = false
  return outgoing
}

/** Adds the name and the password that an address may carry, as clients send them that know it. */
function withCredentials(headers: string[], { username, password }: URL): string[] {
  if (username === "" || headerOf(headers, "authorization") !== undefined) return headers
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return [...headers, "Authorization", `Basic ${Buffer.from(pair).toString("base64")}`]
}

function sendBody(incoming: IncomingMessage, outgoing: ClientRequest, tap: Tap | undefined): void {
  if (incoming.headers.expect !== undefined) outgoing.write(NOTHING)
  if (tap !== undefined) incoming.on("data", (piece: Buffer) => tap.sent(piece))
  incoming.on("error", () => outgoing.destroy())
  incoming.on("end", () => {
    if (incoming.rawTrailers.length > 0) outgoing.addTrailers(pairs(incoming.rawTrailers))
    outgoing.end()
  })
  incoming.pipe(outgoing, { end: false })
}

function sendHead(
  { statusCode = 0, statusMessage, rawHeaders }: IncomingMessage,
  response: ServerResponse,
): void {
  response.sendDate = false
  const headers = backwards(rawHeaders, response.req.httpVersion === "1.0")
  response.writeHead(statusCode, statusMessage ?? "", headers)
  // A stream may take its time until the first event.
  response.write(NOTHING)
}

/** Ends the client's connection as the upstream ended its own: a reset with a reset, anything else by closing it. */
function breakOff({ socket }: ServerResponse, outgoing: ClientRequest): void {
  if (socket === null || socket.destroyed) return
  const isReset = isResetBy(outgoing.socket)
  // What had come before goes out first.
  if (isReset) socket.write("", () => socket.resetAndDestroy())
  else socket.destroySoon()
}

function isResetBy(upstream: Socket | null): boolean {
  const error = upstream?.errored
  return error !== null && error !== undefined && "code" in error && error.code === "ECONNRESET"
}

function reasonFor(error: Error, { base }: UpstreamTarget): string {
  const code = "code" in error && typeof error.code === "string" ? ` (${error.code})` : ""
  return `${base.origin} failed: ${error.message}${error.message.includes(code.slice(2, -1)) ? "" : code}`
}

function pairs(list: RawHeaders): [string, string][] {
  return Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i] ?? "", list[2 * i + 1] ?? ""])
}
