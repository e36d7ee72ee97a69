import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http"
import { request as httpsRequest } from "node:https"
import { pipeline, type Readable } from "node:stream"
import { createBrotliDecompress, createUnzip } from "node:zlib"
import { isUntrustedCertificate, OWN_CERTIFICATES } from "../../platform/network/certificates.js"
import { optionsThrough } from "../../platform/network/proxy.js"
import { ProxyError, type ProxySettings } from "../../platform/network/proxy-settings.js"
import { reasonOf, ToolError } from "../../platform/text/errors.js"
import { PrivateAddress, publicLookup } from "./addresses.js"
import { accessTo, addressIn, checkHost, isListed, refusedAsPrivate } from "./hosts.js"

/** What came from an address. */
export interface Download {
  /** Where it came from in the end. */
  readonly url: URL
  /** The hosts that were asked on the way, in order. */
  readonly hosts: readonly string[]
  readonly status: number
  readonly statusText: string
  readonly type: string
  readonly bytes: Uint8Array
  /** True if there was more than is taken. */
  readonly isCut: boolean
}

export interface DownloadOptions {
  readonly proxies: ProxySettings | undefined
  /** Hosts that may have a private address. */
  readonly privateHosts: readonly string[]
  readonly abort: AbortSignal
  /** Milliseconds that it may take, questions to the user aside. */
  readonly longest: number
  /** Asks whether another host than the first may be asked; returns why not. Nothing is looked up before. */
  permit(url: URL, from: URL): Promise<string | undefined>
}

export const LONGEST_MS = 30_000
const LARGEST = 5_000_000
const MOST_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]

/** Downloads from an address. Each redirect is checked like the address itself, and another host is asked about anew. */
export async function download(first: URL, options: DownloadOptions): Promise<Download> {
  checkHost(first, options.privateHosts)
  const hosts = [accessTo(first).target]
  let url = first
  let before = first
  let left = options.longest
  for (let redirects = 0; ; redirects++) {
    const began = performance.now()
    const late = AbortSignal.timeout(Math.max(1, Math.ceil(left)))
    const signal = AbortSignal.any([options.abort, late])
    try {
      const answer = await ask(url, options, signal)
      const { statusCode: status = 0, statusMessage: statusText = "", headers } = answer
      const { location } = headers
      if (!REDIRECTS.includes(status) || location === undefined) {
        const { bytes, isCut } = await bodyOf(answer, signal)
        return { url, hosts, status, statusText, type: headers["content-type"] ?? "", bytes, isCut }
      }
      answer.destroy()
      if (redirects >= MOST_REDIRECTS)
        throw new ToolError(`${first.href} was not fetched: it redirects more than ${MOST_REDIRECTS} times.`)
      before = url
      url = redirected(location, url)
    } catch (error) {
      options.abort.throwIfAborted()
      throw failure(url, error, late.aborted, options)
    }
    left -= performance.now() - began
    checkHost(url, options.privateHosts)
    const host = accessTo(url).target
    if (hosts.includes(host)) continue
    const why = await options.permit(url, before)
    if (why !== undefined) throw new ToolError(`${hosts.at(-1)} redirects to ${url.href}. ${why}`)
    hosts.push(host)
  }
}

function redirected(location: string, from: URL): URL {
  if (!URL.canParse(location, from.href))
    throw new ToolError(`${from.href} redirects to ${JSON.stringify(location)}, which is no address.`)
  try {
    return addressIn(new URL(location, from).href)
  } catch (error) {
    throw new ToolError(`${from.href} redirects to where it cannot be followed: ${reasonOf(error)}`)
  }
}

function ask(
  url: URL,
  { proxies, privateHosts }: DownloadOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const way = proxies && optionsThrough(proxies, url)
  const headers = {
    "user-agent": "sotto (a coding agent, on behalf of its user)",
    accept: "text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5",
    "accept-encoding": "gzip, deflate, br",
    ...way?.headers,
  }
  const lookup = isListed(url, privateHosts) ? {} : { lookup: publicLookup }
  const options: RequestOptions = way === undefined ? { ...lookup, agent: false } : way
  const request = url.protocol === "https:" ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sending = request(url, { ...options, headers, signal })
    sending.once("response", resolve)
    sending.on("error", reject)
    sending.end()
  })
}

/** Reads the body, unpacked, as far as it may be. */
async function bodyOf(
  answer: IncomingMessage,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean }> {
  const stream = unpacked(answer)
  const stop = () => stream.destroy(new Error("stopped"))
  signal.addEventListener("abort", stop)
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of stream as AsyncIterable<Uint8Array>) {
      size += piece.length
      pieces.push(piece)
      if (size > LARGEST) break
    }
  } finally {
    signal.removeEventListener("abort", stop)
    answer.destroy()
  }
  signal.throwIfAborted()
  return { bytes: Buffer.concat(pieces).subarray(0, LARGEST), isCut: size > LARGEST }
}

function unpacked(answer: IncomingMessage): Readable {
  const encoding = (answer.headers["content-encoding"] ?? "identity").trim().toLowerCase()
  if (encoding === "identity" || encoding === "") return answer
  const isBrotli = encoding === "br"
  if (!isBrotli && !/^(x-gzip|gzip|deflate)$/.test(encoding)) {
    answer.destroy()
    throw new Error(`it is compressed as ${JSON.stringify(encoding)}, which was not asked for`)
  }
  // What goes wrong with either is an error of what is read.
  return pipeline(answer, isBrotli ? createBrotliDecompress() : createUnzip(), () => {})
}

function failure(url: URL, error: unknown, isLate: boolean, { longest }: DownloadOptions): ToolError {
  if (error instanceof PrivateAddress) return refusedAsPrivate(url)
  if (error instanceof ToolError) return error
  if (isLate) return new ToolError(`${url.href} was not fetched: it took more than ${longest / 1000} s.`)
  if (error instanceof ProxyError) return new ToolError(`${url.host} was not reached: ${error.message}.`)
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  if (code === "ENOTFOUND") return new ToolError(`There is no host ${url.hostname}. Check the address.`)
  const hint = isUntrustedCertificate(error) ? ` ${OWN_CERTIFICATES}` : ""
  return new ToolError(`${url.href} was not fetched: ${reasonOf(error) || code}.${hint}`, { cause: error })
}
