import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http"
import type { Agent } from "node:https"
import type { Transform } from "node:stream"
import { urlToHttpOptions } from "node:url"
import type { ProxySettings } from "../platform/network/proxy-settings.js"

/** What a server answered. The parts of the platform's Response that are needed, without what those cost. */
export interface HttpAnswer {
  readonly ok: boolean
  readonly status: number
  readonly statusText: string
  readonly headers: { get(name: string): string | null }
  /**
   * Hands over the body piece by piece, as it comes, decompressed; resolves at its end. Throws ConnectionLost or Silence
   * if that does not come, Undecodable for a body that cannot be decompressed, or what `take` throws: then the rest is
   * not wanted.
   */
  read(take: (piece: Uint8Array) => void): Promise<void>
  /** Limits from here on how long silence is borne, to a number of milliseconds. */
  hurry(milliseconds: number): void
  /** Reads the text up to `most` bytes, or as much as there is if the rest never comes. */
  beginning(most: number): Promise<string>
}

export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost"
}

/** Thrown when nothing came for as long as the caller was ready to wait. */
export class Silence extends Error {
  override readonly name = "Silence"

  constructor(readonly milliseconds: number) {
    super(`nothing came for ${milliseconds} ms`)
  }
}

/** Thrown for a body that is compressed in a way that cannot be undone. */
export class Undecodable extends Error {
  override readonly name = "Undecodable"
}

/** A way to a place that requests go to, most of a session's to the same. */
interface Line {
  readonly request: (options: RequestOptions) => ClientRequest
  readonly options: RequestOptions
  /** What the proxy on the way wants to know. */
  readonly headers?: RequestOptions["headers"]
}

/** By address, and by what is said of proxies. */
const lines = new Map<string, Line>()
/** By protocol. Connections are kept. */
const agents = new Map<string, Agent>()

/** A request that is ready to be sent. */
export interface OutgoingRequest {
  /** Resolves with the head of the answer. Follows no redirect. */
  send(): Promise<HttpAnswer>
  drop(): void
}

/**
 * Makes a request ready, with the bytes as they are: nothing is sent yet. Once it is, it fails with Silence if no byte
 * moves for `silence` milliseconds.
 */
export async function outgoing(
  url: string,
  headers: Readonly<Record<string, string>>,
  pieces: readonly Uint8Array[],
  signal: AbortSignal | undefined,
  silence: number,
  proxies?: ProxySettings,
): Promise<OutgoingRequest> {
  const key = proxies === undefined ? url : `${url} ${JSON.stringify(proxies)}`
  const line = lines.get(key) ?? (await lineTo(url, proxies))
  lines.set(key, line)
  signal?.throwIfAborted()
  const sending = line.request({ ...line.options, headers: { ...line.headers, ...headers } })
  const watch = new Watch(sending, silence)
  const answer = new Promise<HttpAnswer>((resolve, reject) => {
    sending.once("response", (message) => resolve(answerOf(message, watch)))
    // More than one may come: of what is under way when it is stopped.
    sending.on("error", (error) => reject(watch.silence ?? error))
  })
  // The caller that sends it hears of the error.
  answer.catch(() => {})
  const stop = () => sending.destroy(new Error("stopped"))
  signal?.addEventListener("abort", stop)
  sending.once("close", () => signal?.removeEventListener("abort", stop))
  // Corked, it stays here until its end.
  sending.cork()
  for (const piece of pieces) sending.write(piece)
  return {
    send: () => {
      sending.end()
      watch.begin()
      return answer
    },
    drop: stop,
  }
}

/** Gives up a request on which nothing moves. What is sent counts too: a long conversation takes its time. */
class Watch {
  /** Why the request was given up, if it was. */
  silence: Silence | undefined
  readonly #request: ClientRequest
  #longest: number
  #timer: NodeJS.Timeout | undefined
  #written = 0

  constructor(request: ClientRequest, longest: number) {
    this.#request = request
    this.#longest = longest
    request.once("close", () => clearTimeout(this.#timer))
  }

  begin(): void {
    this.#start()
  }

  hurry(longest: number): void {
    this.#longest = Math.min(longest, this.#longest)
    this.#start()
  }

  heard(): void {
    this.#timer?.refresh()
  }

  #start(): void {
    clearTimeout(this.#timer)
    // A request that was given up before it was sent is destroyed already: its clock would keep the process for minutes.
    if (this.#request.destroyed) return
    this.#timer = setTimeout(() => this.#look(), this.#longest)
  }

  #look(): void {
    const written = this.#request.socket?.bytesWritten ?? 0
    if (written > this.#written) {
      this.#written = written
      this.#timer?.refresh()
      return
    }
    this.silence = new Silence(this.#longest)
    this.#request.destroy(this.silence)
  }
}

async function lineTo(url: string, proxies: ProxySettings | undefined): Promise<Line> {
  const place = new URL(url)
  const { protocol } = place
  const { Agent, request } = protocol === "http:" ? await import("node:http") : await import("node:https")
  const proxied = proxies && (await import("../platform/network/proxy.js")).optionsThrough(proxies, place)
  const agent = agents.get(protocol) ?? (new Agent({ keepAlive: true, scheduling: "lifo" }) as Agent)
  agents.set(protocol, agent)
  const { headers, ...way } = { agent, ...proxied }
  return {
    request,
    options: { ...urlToHttpOptions(place), ...way, method: "POST" },
    ...(headers && { headers }),
  }
}

function answerOf(message: IncomingMessage, watch: Watch): HttpAnswer {
  const { statusCode: status = 0, statusMessage: statusText = "" } = message
  const encoding = headerOf(message, "content-encoding")?.trim().toLowerCase() ?? "identity"
  const read: HttpAnswer["read"] = async (take) => {
    const unpack = encoding === "identity" ? undefined : await unpacking(encoding)
    return new Promise((resolve, reject) => {
      const lose = (cause?: Error) =>
        reject(watch.silence ?? new ConnectionLost("The connection was lost.", { cause }))
      const stop = (error: unknown) => {
        reject(error)
        message.destroy()
        unpack?.destroy()
      }
      message.on("data", () => watch.heard())
      const body = unpack ? message.pipe(unpack) : message
      body.on("data", (piece: Buffer) => {
        try {
          take(piece)
        } catch (error) {
          stop(error)
        }
      })
      body.once("end", resolve)
      unpack?.once("error", (cause) => stop(new Undecodable(`It is not ${encoding}.`, { cause })))
      message.once("error", lose)
      message.once("close", () => {
        if (!message.readableEnded) lose()
      })
      if (message.destroyed) lose()
    })
  }
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText,
    headers: { get: (name) => headerOf(message, name) },
    read,
    hurry: (milliseconds) => watch.hurry(milliseconds),
    beginning: async (most) => {
      const pieces: Uint8Array[] = []
      let left = most
      const enough = new Error("enough")
      await read((piece) => {
        pieces.push(piece.subarray(0, left))
        left -= piece.length
        if (left <= 0) throw enough
      }).catch(() => {})
      return Buffer.concat(pieces).toString("utf8")
    },
  }
}

/**
 * Makes the stream that undoes a compression which the request did not ask for: some gateways compress whatever they
 * are told.
 */
async function unpacking(encoding: string): Promise<Transform> {
  const { createBrotliDecompress, createUnzip } = await import("node:zlib")
  if (encoding === "br") return createBrotliDecompress()
  if (/^(x-)?gzip$|^deflate$/.test(encoding)) return createUnzip()
  throw new Undecodable(`It is compressed as "${encoding}", which was not asked for.`)
}

/**
 * Finds a header by its name in small letters, among the headers as they came: to sort all of them costs more than to
 * look for one.
 */
function headerOf({ rawHeaders }: IncomingMessage, name: string): string | null {
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() === name) return rawHeaders[i + 1] || null
  return null
}
