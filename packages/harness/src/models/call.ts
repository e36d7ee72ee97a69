import type { AssistantPart, Delta, EncodeOptions, Reply, Request } from "@sotto/core"
import { type Dialect, loadDialect } from "./dialects.js"
import { ModelError } from "./error.js"
import { brokenBy, dropped, failureOf, unreachable } from "./failure.js"
import { type Answer, ConnectionLost, outgoing } from "./http.js"
import { EventReader, type SentEvent } from "./sse.js"
import type { ModelTarget } from "./target.js"

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Nothing leaves before this resolves; all is made ready meanwhile. The call fails as it does. */
  readonly after?: Promise<void> | undefined
  onDelta?(delta: Delta): void
  /** Handed a way to read what was said so far, for when the call is cut short. */
  onPartial?(said: () => Reply): void
  readonly encode?: Omit<EncodeOptions, "stream">
}

/** Calls a model once. Throws a ModelError, or the signal's reason when it aborts. */
export async function callModel(
  target: ModelTarget,
  request: Request,
  options: CallOptions = {},
): Promise<Reply> {
  options.signal?.throwIfAborted()
  const dialect = await loadDialect(target.dialect)
  const body = dialect.encodeBytes(request, { ...options.encode, stream: true })
  try {
    const response = await send(target, body, betaHeader(dialect, request), options)
    if (!response.ok) throw await failureOf(response, dialect)
    return isWhole(response)
      ? await readWhole(response, dialect, options)
      : await readStream(response, dialect, options)
  } catch (error) {
    options.signal?.throwIfAborted()
    throw error
  }
}

async function send(
  target: ModelTarget,
  pieces: readonly Uint8Array[],
  more: Readonly<Record<string, string>>,
  { signal, after }: CallOptions,
): Promise<Answer> {
  const url = await target.url()
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const headers = {
    "content-type": "application/json",
    accept: "text/event-stream",
    // Said, so that the body need not be chunked, which some servers do not take.
    "content-length": String(size),
    ...target.headers,
    ...more,
  }
  const failed = (cause: unknown) => {
    throw unreachable(url, cause)
  }
  const request = await outgoing(url, headers, pieces, signal).catch(failed)
  try {
    await after
  } catch (error) {
    request.drop()
    throw error
  }
  return request.send().catch(failed)
}

function betaHeader({ betasOf }: Dialect, request: Request): Readonly<Record<string, string>> {
  const betas = betasOf?.(request) ?? []
  return betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") }
}

async function readStream(response: Answer, dialect: Dialect, options: CallOptions): Promise<Reply> {
  const decoder = dialect.decoder()
  const reader = new EventReader()
  options.onPartial?.(() => decoder.end())
  let ended = false
  let lost: ModelError | undefined
  const take = (events: readonly SentEvent[]) => {
    ended ||= events.some(isEnd)
    for (const delta of decoded(events, decoder)) options.onDelta?.(delta)
  }
  try {
    await response.read((piece) => take(reader.push(piece)))
    take(reader.end())
  } catch (error) {
    const broken = error instanceof ConnectionLost ? brokenBy(error.cause) : error
    if (!(broken instanceof ModelError && broken.kind === "dropped")) throw broken
    lost = broken
  }
  const reply = decoder.end()
  // A connection may break after all has been said.
  if (ended || reply.stop !== undefined) return reply
  throw lost ?? dropped("The stream ended before the reply was complete.")
}

function decoded(events: readonly SentEvent[], decoder: ReturnType<Dialect["decoder"]>): readonly Delta[] {
  try {
    return events.flatMap(({ data }) => (data === "" ? [] : decoder.push(data)))
  } catch (cause) {
    throw brokenBy(cause)
  }
}

/** Said by most, also by servers that leave out why the model stopped. */
function isEnd({ event, data }: SentEvent): boolean {
  return event === "message_stop" || data.trim() === "[DONE]"
}

/** Some servers do not stream, whatever they are asked for. */
function isWhole(response: Answer): boolean {
  return response.headers.get("content-type")?.includes("application/json") ?? false
}

async function readWhole(response: Answer, dialect: Dialect, options: CallOptions): Promise<Reply> {
  const reply = await response
    .text()
    .then((text) => dialect.decode(JSON.parse(text)))
    .catch((cause: unknown) => {
      throw brokenBy(cause)
    })
  for (const delta of reply.parts.flatMap(deltasOf)) options.onDelta?.(delta)
  options.onPartial?.(() => reply)
  return reply
}

function deltasOf(part: AssistantPart): readonly Delta[] {
  if (part.type !== "tool-call") return [{ type: part.type, text: part.text }]
  const { id, name, input } = part
  return [
    { type: "tool-call-start", id, name },
    { type: "tool-call", id, name, input },
  ]
}
