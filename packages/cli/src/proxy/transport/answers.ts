import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Why the proxy does not pass a request on. */
export interface ProxyRefusal {
  readonly status: number
  readonly message: string
}

/** Answers a request that the proxy does not pass on, in the form that providers' errors have. */
export function refuse(response: ServerResponse, { status, message }: ProxyRefusal): void {
  const body = bodyOf(message)
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
  response.writeHead(status, { ...headers, connection: "close" }).end(body)
}

/** Answers the same on a connection that was to become another protocol's. */
export function refuseUpgrade(socket: Socket, { status, message }: ProxyRefusal): void {
  const body = bodyOf(message)
  const head = `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`
  socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`)
}

function bodyOf(message: string): string {
  const error = { type: "sotto_proxy", message: `sotto proxy: ${message}` }
  return `${JSON.stringify({ type: "error", error })}\n`
}

export const NO_PROVIDER: ProxyRefusal = {
  status: 404,
  message:
    "nothing in this request says for sure which provider it is for, so it went to none, nor did its credential. " +
    "The paths of models' APIs are /v1/messages, /v1/responses, /v1/chat/completions and /v1beta/models/MODEL:generateContent. " +
    "Start the proxy with --upstream URL to name where all other paths go.",
}

export const FOREIGN_HOST: ProxyRefusal = {
  status: 403,
  message:
    "the request names another host than this machine's. A page in a browser may be trying to reach it. " +
    "Use http://127.0.0.1 or http://localhost as the address.",
}

export const FROM_PAGE: ProxyRefusal = {
  status: 403,
  message:
    "a page in a browser sent this request: it has the header Origin or Sec-Fetch-Site. Any site could use your provider " +
    "like that. Send requests from a program, which has neither header.",
}

export const NO_FORWARD_PROXY: ProxyRefusal = {
  status: 400,
  message:
    "this is no proxy for HTTP_PROXY or HTTPS_PROXY. Set the provider's base URL to its address instead.",
}
