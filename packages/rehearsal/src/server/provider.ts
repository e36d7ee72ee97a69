import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { field } from "@sotto/core/dialect"
import { promptCaches } from "../cache/caches.js"
import { diagnoses } from "../cache/diagnoses.js"
import type { HttpDialectName, ProviderApi } from "../dialects/dialect.js"
import { dialects } from "../dialects/index.js"
import { textAt } from "../json.js"
import { type Performance, rehearse } from "../rehearse.js"
import { faultOf, type PlainError } from "../reply/failure.js"
import { keyOf } from "../reply/key.js"
import type { BilledTokens } from "../reply/reply.js"
import { defineScript } from "../script/parse.js"
import type { Script } from "../script/script.js"
import { count } from "./count.js"
import { type AskedFault, FAULT_FORMS, FAULT_HEADER, faultIn } from "./fault-header.js"
import { KeptItems } from "./kept.js"
import { lookUp } from "./lookup.js"
import type { RehearsalOptions } from "./options.js"
import { ScriptPace } from "./pace.js"
import { type BilledRequest, type RequestSeen, redactedHeaders, redactedPath } from "./record.js"
import { type RequestRoute, route, SERVED } from "./route.js"
import { sendAnswer, sendJson } from "./send.js"

const MODELS = ["claude-opus-5-5", "claude-sonnet-5-5", "gpt-5.6", "gpt-5", "gemini-3.8-flash"]

const FAMILIES: Readonly<Record<HttpDialectName, RegExp>> = {
  anthropic: /^claude-/,
  openai: /^(gpt-|chatgpt|codex|o\d)/,
  "openai-chat": /^(gpt-|chatgpt|codex|o\d)/,
  gemini: /^(gemini|gemma|models\/gemini)-/,
}

/** True if a provider would know a model of this name: one of those listed, or of its families. */
function isOffered(id: string, dialect: HttpDialectName, listed: readonly string[] = MODELS): boolean {
  return listed.includes(id) || FAMILIES[dialect].test(id)
}

type Recorded = Pick<RequestSeen, "dialect" | "method" | "path" | "headers">

/** Serves requests, and remembers what a provider would remember. */
export class StandInProvider {
  readonly requests: RequestSeen[] = []
  readonly billed: BilledRequest[] = []
  readonly #options: RehearsalOptions
  readonly #script: Script | undefined
  readonly #pace: ScriptPace
  readonly #cache = promptCaches()
  readonly #diagnose = diagnoses()
  readonly #kept = new KeptItems()
  #failures = 0

  constructor(options: RehearsalOptions) {
    this.#options = options
    this.#script = options.script && defineScript(options.script)
    this.#pace = new ScriptPace(this.#script)
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.once("close", () => gone.abort())
    try {
      await this.#answer(request, response, gone.signal)
    } catch (cause) {
      // If the client left, the rehearsal is not at fault.
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
    const seen: Recorded = {
      dialect: found.dialect,
      method,
      path: redactedPath(url),
      headers: redactedHeaders(request.headers),
    }
    const asked = textOf(request.headers[FAULT_HEADER])
    const fault = asked === undefined ? undefined : faultIn(asked)
    const fail = (status: number, message: string, more: Partial<PlainError> = {}, body?: unknown) =>
      this.#fail(response, dialect, seen, { status, message, ...more }, body)

    const refused = refusedKey(found.dialect, request.headers, url, this.#options.keys)
    if (refused !== undefined) return fail(refused.status, refused.message)

    switch (found.is) {
      case "unknown":
        return fail(
          404,
          `Invalid URL (${method} ${url.pathname}). The rehearsal serves: ${SERVED.join("; ")}.`,
        )
      case "options":
        return void response.writeHead(204, { allow: found.allow }).end()
      case "method":
        response.setHeader("allow", found.allow)
        return fail(405, `Not allowed to ${method} on ${url.pathname}.`)
      case "models":
        return sendJson(response, 200, dialect.models(this.#options.models ?? MODELS))
      case "model":
        return isOffered(found.id, found.dialect, this.#options.models)
          ? sendJson(response, 200, dialect.model(found.id))
          : fail(404, notOffered(found))
    }
    const received =
      method === "POST"
        ? await receive(request, this.#options.bodyLimit ?? 32 * 1024 * 1024)
        : ({ is: "json", body: undefined } as const)
    if (received.is === "too-large") return fail(413, "Request exceeds the maximum size")
    if (received.is === "not-json" && found.is !== "kept")
      return fail(400, `The request body is not valid JSON: ${received.why}`)
    const body = received.is === "json" ? received.body : undefined

    switch (found.is) {
      case "count": {
        const { tokens, problems } = count(body, found.dialect, found.address)
        const error = problems.find(({ severity }) => severity === "error")
        if (error) return fail(400, error.message, { param: error.path }, body)
        this.#note({ ...seen, body, problems, status: 200 })
        return sendJson(response, 200, dialect.counted(tokens))
      }
      case "kept": {
        const kept = lookUp(found, method, body, this.#kept)
        return "missing" in kept
          ? fail(404, kept.missing, { code: "not_found" })
          : sendJson(response, 200, kept.body)
      }
      case "generate":
        if (asked !== undefined && fault === undefined)
          return fail(400, `${FAULT_HEADER}: "${asked}" is no fault. It may be: ${FAULT_FORMS}.`)
        return this.#generate(body, found, seen, response, gone, fault)
    }
  }

  async #generate(
    body: unknown,
    found: Extract<RequestRoute, { is: "generate" }>,
    seen: Recorded,
    response: ServerResponse,
    gone: AbortSignal,
    fault: AskedFault | undefined,
  ): Promise<void> {
    const history = found.dialect === "openai" ? this.#kept.history(body) : undefined
    if (history !== undefined && "missing" in history)
      return this.#fail(response, dialects.openai, seen, notKept(body, history.missing), body)
    const performance = this.#perform(body, found, history, fault)
    if (performance.is === "refused") {
      const { error, problems, response: answer, rehearsed } = performance
      this.#note({ ...seen, body, problems, status: answer.status, error, ...(rehearsed && { rehearsed }) })
      return sendJson(response, answer.status, answer.body, answer.headers)
    }
    const { reply, cache, drop, problems } = performance
    this.#note({ ...seen, body, problems, status: 200, reply, cache, ...(drop && { cut: drop }) })
    if (found.dialect === "openai") this.#kept.keep(body, history ?? [], performance.response)
    if (found.dialect === "openai-chat" && field(body, "store") === true)
      this.#kept.completions.set(textAt(performance.response, "id"), performance.response)
    let counted: BilledTokens | undefined
    let isBegun = false
    try {
      await sendAnswer(response, performance, found.asList, gone, (frame) => {
        counted = frame.counted ?? counted
        isBegun ||= counted !== undefined || frame.token === true
      })
    } finally {
      const { model } = reply
      if (isBegun) this.#bill({ dialect: found.dialect, model, ...(counted && { tokens: counted }) })
    }
  }

  #bill(request: BilledRequest): void {
    const { keep = Number.POSITIVE_INFINITY } = this.#options
    this.billed.push(request)
    if (this.billed.length > keep) this.billed.splice(0, this.billed.length - keep)
  }

  #perform(
    body: unknown,
    { dialect, address }: Extract<RequestRoute, { is: "generate" }>,
    history: readonly unknown[] | undefined,
    fault: AskedFault | undefined,
  ): Performance {
    // The address too: Gemini's says the model, and whether to stream.
    const key = keyOf([dialect, address, body])
    const pace = this.#pace.of(key)
    const performance = rehearse(body, dialect, {
      ...address,
      ...pace,
      ...(fault && pace.attempt < fault.times && { failure: fault.failure }),
      ...(this.#script && { script: this.#script }),
      ...(history && { history }),
      cache: this.#cache,
      ...((dialect === "anthropic" || dialect === "openai") && { diagnose: this.#diagnose[dialect] }),
      ...(this.#options.tokenDelay !== undefined && { tokenDelay: this.#options.tokenDelay }),
      at: this.#options.now?.() ?? Math.floor(Date.now() / 1000),
    })
    if (performance.is === "answered") this.#pace.answered(key)
    return performance
  }

  #note(request: RequestSeen): void {
    const { keep = Number.POSITIVE_INFINITY, seen } = this.#options
    this.requests.push(request)
    if (this.requests.length > keep) this.requests.splice(0, this.requests.length - keep)
    seen?.(request)
  }

  #fail(
    response: ServerResponse,
    dialect: ProviderApi,
    seen: Recorded,
    cause: Partial<PlainError> & Pick<PlainError, "status" | "message">,
    body?: unknown,
  ): void {
    const error: PlainError = {
      fault: faultOf(cause.status),
      requestId: `req_${this.#failures++}`,
      ...cause,
    }
    this.#note({ ...seen, body, problems: [], status: cause.status, error })
    const answer = dialect.error(error)
    sendJson(response, cause.status, answer.body, answer.headers)
  }
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === "string" ? header : header?.join(" ")
}

function notKept(body: unknown, id: string): Pick<PlainError, "status" | "message" | "param" | "code"> {
  return typeof field(body, "previous_response_id") === "string"
    ? {
        status: 400,
        message: `Previous response with id '${id}' not found.`,
        param: "previous_response_id",
        code: "previous_response_not_found",
      }
    : {
        status: 404,
        message: `Conversation with id '${id}' not found.`,
        param: "conversation",
        code: "conversation_not_found",
      }
}

function notOffered({ dialect, id }: Extract<RequestRoute, { is: "model" }>): string {
  switch (dialect) {
    case "anthropic":
      return `model: ${id}`
    case "gemini":
      return `models/${id} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`
    default:
      return `The model '${id}' does not exist or you do not have access to it.`
  }
}

type Received =
  | { readonly is: "json"; readonly body: unknown }
  | { readonly is: "too-large" }
  | { readonly is: "not-json"; readonly why: string }

/** Reads the body of a request. Reads to its end even what is too large, so that the answer can be heard. */
async function receive(request: IncomingMessage, limit: number): Promise<Received> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= limit) chunks.push(chunk)
    else chunks.length = 0
  }
  if (size > limit) return { is: "too-large" }
  try {
    return { is: "json", body: JSON.parse(Buffer.concat(chunks).toString("utf8")) }
  } catch (cause) {
    return { is: "not-json", why: cause instanceof Error ? cause.message : String(cause) }
  }
}

/** Gives what a provider answers to a request without one of these keys; undefined where it takes the key. */
function refusedKey(
  dialect: HttpDialectName,
  headers: IncomingHttpHeaders,
  url: URL,
  keys: readonly string[] | undefined,
): Pick<PlainError, "status" | "message"> | undefined {
  if (keys === undefined) return undefined
  const bearer = headers.authorization?.replace(/^bearer\s+/i, "")
  const given = [headers["x-api-key"], headers["x-goog-api-key"], bearer, url.searchParams.get("key")]
  if (given.some((key) => typeof key === "string" && keys.includes(key))) return undefined
  switch (dialect) {
    case "anthropic":
      return { status: 401, message: "invalid x-api-key" }
    case "gemini":
      return { status: 400, message: "API key not valid. Please pass a valid API key." }
    default:
      return { status: 401, message: "Incorrect API key provided." }
  }
}
