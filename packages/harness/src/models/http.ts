import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http"
import type { Agent } from "node:https"
import { urlToHttpOptions } from "node:url"

/** What a server answered. The parts of the platform's Response that are needed, without what those cost. */
export interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly statusText: string
  readonly headers: { get(name: string): string | null }
  /**
   * Hands over the body piece by piece, as it comes; resolves at its end. Throws ConnectionLost if that does not come,
   * or what `take` throws: then the rest is not wanted.
   */
  read(take: (piece: Uint8Array) => void): Promise<void>
  text(): Promise<string>
}

export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost"
}

/** A way to a place that requests go to, most of a session's to the same. */
interface Line {
  readonly request: (options: RequestOptions) => ClientRequest
  readonly options: RequestOptions
}

/** Models think long before the first byte, but somewhere a connection is dead. */
const SILENCE_MS = 600_000

const lines = new Map<string, Line>()
/** By protocol. Connections are kept. */
const agents = new Map<string, Agent>()

/** A request that is ready to be sent. */
export interface Outgoing {
  /** Resolves with the head of the answer. Follows no redirect. */
  send(): Promise<Answer>
  /** It is not to be sent after all. */
  drop(): void
}

/** Makes a request ready, with the bytes as they are: nothing is sent yet. */
export async function outgoing(
  url: string,
  headers: Readonly<Record<string, string>>,
  pieces: readonly Uint8Array[],
  signal: AbortSignal | undefined,
): Promise<Outgoing> {
  const { request, options } = lines.get(url) ?? (await lineTo(url))
  signal?.throwIfAborted()
  const sending = request({ ...options, headers })
  const answer = new Promise<Answer>((resolve, reject) => {
    sending.once("response", (message) => resolve(answerOf(message)))
    // More than one may come: of what is under way when it is stopped.
    sending.on("error", reject)
  })
  // Heard of by whoever sends it.
  answer.catch(() => {})
  const stop = () => sending.destroy(new Error("stopped"))
  signal?.addEventListener("abort", stop)
  sending.once("close", () => signal?.removeEventListener("abort", stop))
  sending.setTimeout(SILENCE_MS, () => {
    sending.destroy(new Error(`silent for ${SILENCE_MS / 60_000} minutes`))
  })
  // Corked, it stays here until its end.
  sending.cork()
  // In one go: hundreds of small writes cost more than a copy.
  sending.write(Buffer.concat(pieces))
  return {
    send: () => {
      sending.end()
      return answer
    },
    drop: stop,
  }
}

async function lineTo(url: string): Promise<Line> {
  const place = new URL(url)
  const { protocol } = place
  const { Agent, request } = protocol === "http:" ? await import("node:http") : await import("node:https")
  const agent = agents.get(protocol) ?? (new Agent({ keepAlive: true, scheduling: "lifo" }) as Agent)
  agents.set(protocol, agent)
  const line = { request, options: { ...urlToHttpOptions(place), agent, method: "POST" } }
  lines.set(url, line)
  return line
}

function answerOf(message: IncomingMessage): Answer {
  const { statusCode: status = 0, statusMessage: statusText = "" } = message
  const read: Answer["read"] = (take) =>
    new Promise((resolve, reject) => {
      const lose = (cause?: Error) => reject(new ConnectionLost("The connection was lost.", { cause }))
      message.on("data", (piece: Buffer) => {
        try {
          take(piece)
        } catch (error) {
          reject(error)
          message.destroy()
        }
      })
      message.once("end", resolve)
      message.once("error", lose)
      message.once("close", () => {
        if (!message.readableEnded) lose()
      })
    })
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText,
    headers: { get: (name) => headerOf(message, name) },
    read,
    text: async () => {
      const pieces: Uint8Array[] = []
      await read((piece) => pieces.push(piece))
      return Buffer.concat(pieces).toString("utf8")
    },
  }
}

/** By its name in small letters. Of the headers as they came: to sort all of them costs more than to look for one. */
function headerOf({ rawHeaders }: IncomingMessage, name: string): string | null {
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() === name) return rawHeaders[i + 1] || null
  return null
}
