import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { promptCaches } from "../cache/caches.js"
import { dialects } from "../dialects/index.js"
import { rehearse } from "../rehearse.js"
import { type ApiError, faultOf } from "../reply/failure.js"
import { keyOf } from "../reply/key.js"
import { defineScript } from "../script/parse.js"
import type { Script } from "../script/script.js"
import { Pace } from "./pace.js"
import { receive } from "./receive.js"
import { type RequestSeen, redactedHeaders, redactedPath } from "./record.js"
import { type Route, route } from "./route.js"
import { sendAnswer, sendJson } from "./send.js"

export interface RehearsalOptions {
  /** Without one, the tour. */
  readonly script?: Script | Script["steps"]
  /** A free one unless given. */
  readonly port?: number
  /** The largest body that is taken, in bytes: 32 MiB, as Anthropic's, unless given. */
  readonly bodyLimit?: number
  /** What it says that it offers; any other model is played too. */
  readonly models?: readonly string[]
  /** Seconds since 1970. */
  readonly now?: () => number
  /** Milliseconds before each token of the tour, so that a person can follow it; none unless given. */
  readonly tokenDelay?: number
}

export interface Rehearsal {
  /** Without a version: "http://127.0.0.1:8080". */
  readonly url: string
  readonly port: number
  /** Every request seen, in the order in which they were decided. */
  readonly requests: readonly RequestSeen[]
  close(): Promise<void>
}

const MODELS = ["claude-opus-5-5", "claude-sonnet-4-5", "gpt-5.6", "gpt-5", "gemini-3-pro"]

/** Starts a stand-in for all the providers on loopback. */
export async function startRehearsal(options: RehearsalOptions = {}): Promise<Rehearsal> {
  const stage = new Stage(options)
  const server = createServer((request, response) => void stage.serve(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port ?? 0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: stage.requests,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((cause) => (cause ? reject(cause) : resolve()))
        server.closeAllConnections()
      }),
  }
}

class Stage {
  readonly requests: RequestSeen[] = []
  readonly #options: RehearsalOptions
  readonly #script: Script | undefined
  readonly #pace: Pace
  readonly #cache = promptCaches()

  constructor(options: RehearsalOptions) {
    this.#options = options
    this.#script = options.script && defineScript(options.script)
    this.#pace = new Pace(this.#script)
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.once("close", () => gone.abort())
    try {
      await this.#answer(request, response, gone.signal)
    } catch (cause) {
      // A client that left is no fault of the rehearsal's.
      if (gone.signal.aborted) return
      if (response.headersSent) return void response.destroy()
      const message = `The rehearsal itself failed: ${cause instanceof Error ? cause.message : String(cause)}`
      sendJson(response, 500, { error: { type: "rehearsal_failed", message } })
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, gone: AbortSignal): Promise<void> {
    const method = request.method ?? "GET"
    const url = new URL(request.url ?? "/", "http://127.0.0.1")
    const found = route(method, url, request.headers)
    const dialect = dialects[found.dialect]
    const seen = {
      dialect: found.dialect,
      method,
      path: redactedPath(url),
      headers: redactedHeaders(request.headers),
    }
    const record = (what: Omit<RequestSeen, keyof typeof seen>) => this.requests.push({ ...seen, ...what })
    const fail = (status: number, message: string) => {
      const error: ApiError = {
        fault: faultOf(status),
        status,
        message,
        requestId: `req_${this.requests.length}`,
      }
      record({ body: undefined, problems: [], status, error })
      const { headers, body } = dialect.error(error)
      sendJson(response, status, body, headers)
    }

    if (found.is === "unknown") return fail(404, `Invalid URL (${method} ${url.pathname})`)
    if (found.is === "method") return fail(405, `Not allowed to ${method} on ${url.pathname}.`)
    if (found.is === "models") return sendJson(response, 200, dialect.models(this.#options.models ?? MODELS))
    const received = await receive(request, this.#options.bodyLimit ?? 32 * 1024 * 1024)
    if (received.is === "too-large") return fail(413, "Request exceeds the maximum size")
    if (received.is === "not-json") return fail(400, `The request body is not valid JSON: ${received.why}`)

    const { body } = received
    const performance = this.#perform(body, found)
    if (performance.is === "refused") {
      const { error, problems, response: answer } = performance
      record({ body, problems, status: answer.status, error })
      return sendJson(response, answer.status, answer.body, answer.headers)
    }
    const { reply, cache, drop } = performance
    record({ body, problems: [], status: 200, reply, cache, ...(drop && { cut: drop }) })
    await sendAnswer(response, performance, found.asList, gone)
  }

  #perform(body: unknown, { dialect, address }: Extract<Route, { is: "generate" }>) {
    // The address too: Gemini's says the model, and whether to stream.
    const key = keyOf([dialect, address, body])
    const performance = rehearse(body, dialect, {
      ...address,
      ...this.#pace.of(key),
      ...(this.#script && { script: this.#script }),
      cache: this.#cache,
      ...(this.#options.tokenDelay !== undefined && { tokenDelay: this.#options.tokenDelay }),
      at: this.#options.now?.() ?? Math.floor(Date.now() / 1000),
    })
    if (performance.is === "answered") this.#pace.answered(key)
    return performance
  }
}
