import type { EncodeOptions, Reply, Request } from "@sotto/core"
import { type DialectCodec, loadDialect } from "./dialects.js"
import { failureOf, silent, unreachable } from "./failure.js"
import { type HttpAnswer, outgoing, Silence } from "./http.js"
import { type ReplyListener, readReply } from "./reply-reader.js"
import type { ModelTarget } from "./target.js"

export interface CallOptions extends ReplyListener {
  readonly signal?: AbortSignal
  /** Asked when all is ready: nothing leaves before it resolves. The call fails as it does. */
  readonly after?: (() => Promise<void>) | undefined
  readonly encode?: Omit<EncodeOptions, "stream">
}

/** Targets that have refused cache breakpoints, as some gateways do. */
const unmarked = new WeakSet<ModelTarget>()

/**
 * Calls a model once; once more, without cache breakpoints, if it refuses those. Throws a ModelError, or the signal's reason
 * when it aborts.
 */
export async function callModel(
  target: ModelTarget,
  request: Request,
  options: CallOptions = {},
): Promise<Reply> {
  options.signal?.throwIfAborted()
  const dialect = await loadDialect(target.dialect)
  const sent = unmarked.has(target) ? (dialect.withoutBreakpoints?.(request) ?? request) : request
  const body = dialect.encodeBytes(sent, { ...options.encode, stream: true })
  const url = await target.url()
  try {
    const response = await send(target, url, body, betaHeader(dialect, request), options)
    if (response.ok) return await readReply(response, dialect, options)
    const failure = await failureOf(response, dialect)
    const { status, message } = failure
    if (unmarked.has(target) || !dialect.refusesBreakpoints?.({ status, message })) throw failure
  } catch (error) {
    options.signal?.throwIfAborted()
    throw error instanceof Silence ? silent(url, error.milliseconds, error) : error
  }
  unmarked.add(target)
  return callModel(target, request, options)
}

async function send(
  target: ModelTarget,
  url: string,
  pieces: readonly Uint8Array[],
  more: Readonly<Record<string, string>>,
  { signal, after }: CallOptions,
): Promise<HttpAnswer> {
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const headers = {
    "content-type": "application/json",
    accept: "text/event-stream",
    // A compressed stream comes late.
    "accept-encoding": "identity",
    // Said, so that the body need not be chunked, which some servers do not take.
    "content-length": String(size),
    ...target.headers,
    ...more,
  }
  const failed = (cause: unknown) => {
    throw cause instanceof Silence ? cause : unreachable(url, cause)
  }
  const request = await outgoing(url, headers, pieces, signal, target.silence, target.proxies).catch(failed)
  try {
    await after?.()
  } catch (error) {
    request.drop()
    throw error
  }
  return request.send().catch(failed)
}

function betaHeader({ betasOf }: DialectCodec, request: Request): Readonly<Record<string, string>> {
  const betas = betasOf?.(request) ?? []
  return betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") }
}
