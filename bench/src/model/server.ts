import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type Answer, type Api, apiOf, toolsOf } from "./api.js"
import { asideTo } from "./aside.js"
import { type Cached, speak, speakWhole } from "./speech.js"

/** A request of the conversation and its reply, with when the one arrived and the other was sent, by `performance.now()`. */
export interface Exchange {
  readonly arrived: number
  readonly answered: number
  readonly body: Buffer
}

export interface ScriptedServer {
  readonly url: string
  /** The requests of the conversation. What a harness asks beside it (a title, say) is answered and not kept. */
  readonly exchanges: readonly Exchange[]
  /** What was asked beside the conversation, as "METHOD path". */
  readonly others: readonly string[]
  close(): Promise<void>
}

const NO_BODY = Buffer.alloc(0)

/** Answers the n-th request of a conversation, counted from 1. May do something first, and be waited for. */
export type Script = (n: number, body: Buffer) => Answer | Promise<Answer>

/** What a reply says that its request cost. */
export type Account = (api: Api, body: Buffer) => { readonly tokens: number; readonly cached?: Cached }

/**
 * Speaks just enough of each API to be quick about it: it checks nothing, and leaves bodies as they came, because what
 * its process has to clean up would be done while the next step is timed.
 */
export async function scriptedServer(
  script: Script,
  account: Account = (_, body) => ({ tokens: tokensIn(body) }),
  { keepsBodies = true }: { readonly keepsBodies?: boolean } = {},
): Promise<ScriptedServer> {
  const exchanges: Exchange[] = []
  const others: string[] = []
  let count = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrived = performance.now()
    const body = await bytesOf(request)
    const path = request.url ?? "/"
    const api = request.method === "POST" ? apiOf(path) : undefined
    if (api === undefined || !isConversation(body)) {
      others.push(`${request.method} ${path}`)
      return answerAside(response, api, path, body)
    }
    const n = ++count
    const answer = await script(n, body)
    const reply = speak(api, { answer, n, ...account(api, body) })
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.end(reply)
    exchanges.push({ arrived, answered: performance.now(), body: keepsBodies ? body : NO_BODY })
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  // Longer than a peer may think between two requests: a connection that is closed under it would be a fault of ours.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    others,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A request that offers no tools is for a title, a summary or a check. */
function isConversation(body: Buffer): boolean {
  if (body.includes('"tools":[{')) return true
  return body.length > 0 && toolsOf(JSON.parse(body.toString())).length > 0
}

function answerAside(response: ServerResponse, api: Api | undefined, path: string, body: Buffer): void {
  if (api === undefined) {
    response.writeHead(404, { "content-type": "application/json" }).end("{}")
    return
  }
  const reply = { answer: { text: asideTo(body.toString()) }, n: 0, tokens: tokensIn(body) }
  if (path.includes(":generateContent"))
    response.writeHead(200, { "content-type": "application/json" }).end(speakWhole(reply))
  else response.writeHead(200, { "content-type": "text/event-stream" }).end(speak(api, reply))
}

/** As tokens are commonly estimated, so that a peer sees its context grow as it would. */
function tokensIn(body: Buffer): number {
  return Math.ceil(body.length / 4)
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}
