import type { ServerResponse } from "node:http"

/** Answers a request that the proxy does not pass on, in the form that providers' errors have. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  const error = { type: "sotto_proxy", message: `sotto proxy: ${message}` }
  const body = `${JSON.stringify({ type: "error", error })}\n`
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
  response.writeHead(status, { ...headers, connection: "close" }).end(body)
}

export const NO_PROVIDER =
  "neither the path nor the headers of this request say which provider it is for. " +
  "The paths of models' APIs are /v1/messages, /v1/responses, /v1/chat/completions and /v1beta/models/MODEL:generateContent."

export const FOREIGN_HOST =
  "the request names another host than this machine's. A page in a browser may be trying to reach it. " +
  "Use http://127.0.0.1 or http://localhost as the address."

export const NO_FORWARD_PROXY =
  "this is no proxy for HTTP_PROXY or HTTPS_PROXY. Set the provider's base URL to its address instead."
