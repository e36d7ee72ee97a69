import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http"
import type { Agent } from "node:https"

/** What a server answered. The parts of the platform's Response that are needed, without what loading that costs. */
export interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly statusText: string
  readonly headers: { get(name: string): string | null }
  readonly body: AsyncIterable<Uint8Array>
  text(): Promise<string>
}

/** Models think long before the first byte, but somewhere a connection is dead. */
const SILENCE_MS = 600_000

/** Connections are kept: most of a step's requests go to the same place. */
const agents = new Map<string, Agent>()

/** Sends bytes as they are and resolves with the head of the answer. Follows no redirect. */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  pieces: readonly Uint8Array[],
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const { request, agent } = await clientFor(new URL(url).protocol)
  const options = { method: "POST", headers, agent, ...(signal && { signal }) }
  return new Promise((resolve, reject) => {
    const sending = request(url, options)
    sending.once("response", (message) => resolve(answerOf(message)))
    sending.once("error", reject)
    sending.setTimeout(SILENCE_MS, () => {
      sending.destroy(new Error(`silent for ${SILENCE_MS / 60_000} minutes`))
    })
    // In one go: hundreds of small writes cost more than a copy.
    sending.end(Buffer.concat(pieces))
  })
}

type Sender = (url: string, options: RequestOptions) => ClientRequest

async function clientFor(protocol: string): Promise<{ readonly request: Sender; readonly agent: Agent }> {
  const client = protocol === "http:" ? await import("node:http") : await import("node:https")
  const agent = agents.get(protocol) ?? (new client.Agent({ keepAlive: true, scheduling: "lifo" }) as Agent)
  agents.set(protocol, agent)
  return { request: client.request, agent }
}

function answerOf(message: IncomingMessage): Answer {
  const { statusCode: status = 0, statusMessage: statusText = "", headers } = message
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText,
    headers: { get: (name) => String(headers[name] ?? "") || null },
    body: message,
    text: async () => {
      const { text } = await import("node:stream/consumers")
      return text(message)
    },
  }
}
