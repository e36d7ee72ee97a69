import { request as httpRequest, type IncomingMessage } from "node:http"
import { request as httpsRequest } from "node:https"
import { Readable } from "node:stream"
import { optionsThrough } from "./proxy.js"
import type { ProxySettings } from "./proxy-settings.js"

/** Statuses of answers that have no body. */
const EMPTY = [101, 204, 205, 304]

/** Fetches an address through the proxy that the settings name for it, or directly. Follows no redirect. */
export async function proxiedFetch(
  proxies: ProxySettings,
  url: URL,
  init: RequestInit = {},
): Promise<Response> {
  const way = optionsThrough(proxies, url)
  if (way === undefined) return fetch(url, init)
  const { method = "GET", signal } = init
  const body = init.body instanceof URLSearchParams ? String(init.body) : init.body
  if (body !== undefined && body !== null && typeof body !== "string")
    throw new TypeError("Only text can be sent through a proxy.")
  const given = new Headers(init.headers)
  if (init.body instanceof URLSearchParams && !given.has("content-type"))
    given.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8")
  const headers = { ...way.headers, ...Object.fromEntries(given) }
  const request = url.protocol === "https:" ? httpsRequest : httpRequest
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sending = request(url, { ...way, method, headers, ...(signal && { signal }) })
    sending.once("response", resolve)
    sending.on("error", (error) => reject(signal?.aborted ? signal.reason : error))
    sending.end(body ?? undefined)
  })
  const { statusCode: status = 0, statusMessage = "" } = answer
  const isEmpty = EMPTY.includes(status) || method === "HEAD"
  if (isEmpty) answer.resume()
  return new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>), {
    status,
    statusText: statusMessage,
    headers: headersOf(answer),
  })
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    headers.append(rawHeaders[i] ?? "", rawHeaders[i + 1] ?? "")
  return headers
}
