import { eventsIn } from "./event-stream.js"

/** Where the server is, and who asks. */
export interface ClientOptions {
  /** The server's address: "http://127.0.0.1:4096". */
  readonly url: string
  /** The user's token, or that of a channel. The server's own page has a cookie instead. */
  readonly token?: string
  /** Takes the place of the platform's `fetch`. */
  readonly fetch?: typeof fetch
}

/** Options of every call. */
export interface SendOptions {
  /** Ends the call, or the stream. */
  readonly signal?: AbortSignal
}

/** An event and its number. An event without a number is of this moment only, and is never sent again. */
export interface NumberedItem<E> {
  readonly seq?: number
  readonly event: E
}

/** The server's refusal: what is wrong, and what to do. */
export class SottoApiError extends Error {
  override readonly name = "SottoApiError"

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** What to do about it. */
    readonly remedy?: string,
    /** Seconds after which the same request may be sent again. */
    readonly retryAfter?: number,
  ) {
    super(message)
  }
}

/** One request, as an operation describes it. */
interface Sent {
  readonly method: string
  readonly path: string
  readonly query?: object | undefined
  readonly input?: unknown
  readonly signal?: AbortSignal | undefined
}

/** How often a request that only reads is sent again while the server says 503. */
const ATTEMPTS = 4
/** The pause before a stream connects again. It doubles while the server cannot be reached. */
const FIRST_PAUSE_MS = 250
const LAST_PAUSE_MS = 15_000

/** Sends requests, and turns refusals into errors. */
export class Transport {
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    this.#options = options
  }

  /** Returns the answer: parsed if it is JSON, else as text. */
  async call<Answer>(sent: Sent): Promise<Answer> {
    const response = await this.#patiently(sent)
    const isJson = response.headers.get("content-type")?.includes("json") ?? false
    return (isJson ? await response.json() : await response.text()) as Answer
  }

  /** Sends it. While the server says 503, repeats what only reads: anything else may have been done. */
  async #patiently(sent: Sent): Promise<Response> {
    for (let attempt = 1; ; attempt++)
      try {
        return await this.#send(sent, {})
      } catch (error) {
        const isLast = attempt >= ATTEMPTS || sent.method !== "GET"
        if (isLast || !(error instanceof SottoApiError) || error.status !== 503) throw error
        await pause((error.retryAfter ?? 1) * 1000, sent.signal)
      }
  }

  /**
   * Yields events until the signal ends it, or one of them is the `last`. When the connection breaks, or the server
   * says 503 or 429, it connects again and goes on after the newest number: each numbered event comes once.
   */
  async *stream<E extends { readonly type: string }>(
    sent: Sent,
    last?: string,
  ): AsyncGenerator<NumberedItem<E>, void, undefined> {
    let newest: number | undefined
    let wait = FIRST_PAUSE_MS
    while (!sent.signal?.aborted) {
      try {
        const after = newest === undefined ? {} : { "last-event-id": String(newest) }
        const { body } = await this.#send(sent, { accept: "text/event-stream", ...after })
        if (body === null) return
        for await (const { id, data } of eventsIn(body)) {
          wait = FIRST_PAUSE_MS
          const seq = id === undefined ? undefined : Number(id)
          if (seq !== undefined && newest !== undefined && seq <= newest) continue
          newest = seq ?? newest
          const event = JSON.parse(data) as E
          yield { ...(seq !== undefined && { seq }), event }
          if (event.type === last) return
        }
      } catch (error) {
        if (sent.signal?.aborted) return
        if (error instanceof SottoApiError && error.retryAfter === undefined) throw error
        if (error instanceof SottoApiError) wait = Math.max(wait, (error.retryAfter ?? 0) * 1000)
      }
      await pause(wait, sent.signal).catch(() => {})
      wait = Math.min(wait * 2, LAST_PAUSE_MS)
    }
  }

  async #send({ method, path, query, input, signal }: Sent, more: Record<string, string>): Promise<Response> {
    const { url, token, fetch: given = globalThis.fetch } = this.#options
    const address = new URL(url.replace(/\/$/, "") + path)
    for (const [name, given] of Object.entries(query ?? {}))
      for (const value of [given].flat())
        if (value !== undefined) address.searchParams.append(name, String(value))
    const response = await given(address, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(input !== undefined && { "content-type": "application/json" }),
        ...more,
      },
      ...(input !== undefined && { body: JSON.stringify(input) }),
      ...(signal && { signal }),
    })
    if (!response.ok) throw await refusalIn(response)
    return response
  }
}

async function refusalIn(response: Response): Promise<SottoApiError> {
  const text = await response.text()
  const { error } = parsed(text)
  const after = Number(response.headers.get("retry-after") ?? Number.NaN)
  return new SottoApiError(
    response.status,
    error?.code ?? "unknown",
    error?.message ?? `The server answers ${response.status}.`,
    error?.remedy,
    Number.isFinite(after) ? after : undefined,
  )
}

/** Reads a refusal. What stands in between, such as a proxy, may answer with something else than JSON. */
function parsed(text: string): {
  readonly error?: { readonly code: string; readonly message: string; readonly remedy?: string }
} {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Waits. Rejects when the signal ends the wait. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end)
      resolve()
    }, ms)
    if (signal?.aborted) end()
    else signal?.addEventListener("abort", end, { once: true })
  })
}
