/**
 * Runs a session to its end: asks it what to do, does that, and tells it how it went. You write what touches the
 * world: `send` calls the provider, `tools` do the work, `wait` waits. Read it from top to bottom.
 *
 *  1. `session.next()` says what to do: send a request, or run the calls that are open. With neither the drive is over.
 *  2. Only the session decides. An interrupt is a command (`abort`, `endTurn`, a message with delivery "now"), and
 *     `session.watch` tells the drive that something has changed, also while no event comes.
 *  3. A request is wanted while `session.pending` is that request, and a call while it is open. The drive aborts the signal
 *     of what is no longer wanted, does not wait for its end, and drops what it still brings.
 *  4. What the model had said stays said: each stream hands its decoder to `session.partial`, for the moment of an interrupt.
 *  5. A stream that broke off, a reply that cannot be read, and an error that says `retryable` are tried again with the same
 *     bytes, up to `attempts` times. Any other error of `send` rejects the drive.
 *  6. If the provider refuses a carrier, the session hears of it and makes another request of the same step.
 *  7. The calls of a reply run at the same time. An unknown tool and a tool that throws give an error result.
 *  8. A tool in `endsTurn` that succeeded ends the turn after its step's other calls. Waiting messages open the next.
 *  9. `signal` aborts the session, and the drive resolves with "interrupted". It never rejects for that.
 * 10. A session has one drive at a time. The next one goes on where it stopped: it sends a request without a reply, and runs
 *     calls without a result, once more.
 *
 * It leaves out side requests (summaries, titles). With an asynchronous store, await the store at the beginning of `send`
 * and of each tool: nothing may happen that is not durable.
 */

import type { Dialect } from "./dialects/contract.js"
import type { Decoder, Delta, EncodeOptions } from "./dialects/dialect.js"
import type { Session } from "./session/session.js"
import { reasonOf, SottoError } from "./vocabulary/errors.js"
import { field } from "./vocabulary/fields.js"
import type { Json } from "./vocabulary/json.js"
import type { ContentPart, ToolCallPart } from "./vocabulary/message.js"
import { EMPTY_REPLY, type Reply } from "./vocabulary/reply.js"
import type { Request } from "./vocabulary/request.js"

/** What `send` is told beside the body. */
export interface SendContext {
  /** Aborted when the reply is not wanted any more: give it to `fetch` or to the SDK. */
  readonly signal: AbortSignal
  /** From 1. A later attempt begins the reply anew: what `onDelta` told of the one before it is void. */
  readonly attempt: number
  /** The request itself, for its model, for headers, and for an encoder of your own. */
  readonly request: Request
}

/** Runs one call. What it throws, the model is told as the call's error. */
export type DrivenTool = (
  /** As the model wrote it: check it before you use it. */
  input: Json,
  context: {
    /** Aborted when the result is not wanted any more. */
    readonly signal: AbortSignal
    /** The call, with its id. */
    readonly call: ToolCallPart
  },
) => Promise<string | readonly ContentPart[]>

/** What a drive works with. */
export interface DriveOptions<Body = unknown, Options = EncodeOptions, Bytes extends boolean = false> {
  /** The provider's wire format: `import * as anthropic from "@sotto/core/anthropic"`. */
  readonly dialect: Dialect<Body, Options>
  /** Calls the provider. Returns the events of a stream, or a promise of a stream or of a whole response. */
  send(
    body: Bytes extends true ? readonly Uint8Array[] : Body,
    sending: SendContext,
  ): AsyncIterable<unknown> | Promise<unknown>
  /** What can be called, by name. The session's own option `tools` tells the model of them. */
  readonly tools?: Readonly<Record<string, DrivenTool>>
  /** Interrupts: the session is aborted, and the drive resolves. */
  readonly signal?: AbortSignal | undefined
  /** Hears what a stream brings, as it comes. */
  readonly onDelta?: (delta: Delta) => void
  /** Names of tools that end the turn. */
  readonly endsTurn?: readonly string[]
  /** How often a request is sent at most; 3 unless given. */
  readonly attempts?: number
  /** Waits before a request is sent again: one second, then two, four and so on. Without it the drive never pauses. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** What the dialect's encoder is told: `maxTokens`, `extra` and so on. */
  readonly encoding?: Options
  /** True to get the body as pieces of bytes. That is the cheapest form for `fetch`: what was encoded before is reused. */
  readonly bytes?: Bytes
}

/** How a drive ended. */
export interface DriveEnd {
  /** `done`: the model has given its final answer. `ended`: a tool ended the turn. `interrupted`: the turn was aborted. */
  readonly reason: "done" | "ended" | "interrupted"
}

type Driving = DriveOptions<unknown, unknown, boolean>

const DRIVEN = new WeakSet<Session>()
/** Codes of errors that the same bytes may not bring again. */
const AGAIN: readonly unknown[] = ["cut-reply", "malformed-reply"]
/** Entries of which the last one says how a drive ended. */
const LAST = ["replied", "result", "aborted", "ended"]

/**
 * Works until nothing is left to do. Speak to the session meanwhile, from anywhere.
 *
 * @example
 * ```ts
 * session.say("Refactor the parser.")
 * const { reason } = await drive(session, {
 *   dialect: anthropic,
 *   send: (body, { signal }) => client.messages.create({ ...body, stream: true }, { signal }),
 *   tools: { read: (input) => readFile(pathIn(input), "utf8") },
 *   signal: escape.signal,
 *   onDelta: (delta) => delta.type === "text" && process.stdout.write(delta.text),
 * })
 * ```
 */
export async function drive<Body, Options = EncodeOptions, Bytes extends boolean = false>(
  session: Session,
  options: DriveOptions<Body, Options, Bytes>,
): Promise<DriveEnd> {
  if (DRIVEN.has(session))
    throw new SottoError(
      "already-driven",
      "The session is being driven already.",
      "Say what is new to the session: the drive that runs takes it up. Or wait until that has ended.",
    )
  const { signal } = options
  const begun = session.log.length
  let isAborted = false
  const abort = () => {
    session.abort(typeof signal?.reason === "string" ? signal.reason : undefined)
    isAborted = true
  }
  // At once: what is said after the interrupt must not be held back by it.
  const onAbort = () => {
    try {
      abort()
    } catch {} // A command is running, or the store has failed. It is tried once more below, where an error can be told.
  }
  DRIVEN.add(session)
  signal?.addEventListener("abort", onAbort)
  try {
    // Nothing of yours is called before you have the promise.
    await undefined
    while (!signal?.aborted) {
      const next = session.next()
      if (next.is === "request") await ask(session, next.request, options)
      else if (next.is === "waiting") await carryOut(session, next.calls, options)
      else return { reason: endOf(session, begun) }
    }
    if (!isAborted) abort()
    return { reason: "interrupted" }
  } finally {
    signal?.removeEventListener("abort", onAbort)
    DRIVEN.delete(session)
  }
}

/** Sends a request until it is answered or no longer wanted. Throws what cannot be mended by sending it again. */
async function ask(session: Session, request: Request, options: Driving): Promise<void> {
  const { dialect, attempts = 3, wait, signal } = options
  const isWanted = () => session.pending.is === "request" && session.pending.request.id === request.id
  await whileWanted(session, isWanted, signal, async (signal) => {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const got = await receive(session, options, { signal, attempt, request }).catch(failure)
      if (!(got instanceof Failure)) {
        session.reply(request.id, got)
        return
      }
      if (signal.aborted) return
      const carrier = dialect.refusedCarrier?.(got.error)
      if (carrier !== undefined) session.refuseCarrier(carrier)
      // The session has made another request of it, unless the carrier was not in use: then something else is wrong.
      if (signal.aborted) return
      if (attempt >= attempts || !got.isRetryable) throw got.error
      await wait?.(1000 * 2 ** (attempt - 1), signal)
    }
  })
}

/** Makes one attempt, and reads the reply to its end. */
async function receive(session: Session, options: Driving, sending: SendContext): Promise<Reply> {
  const { dialect, send, onDelta } = options
  const answer = await send(bodyOf(options, sending.request), sending)
  if (!isStream(answer)) return dialect.decode(answer)
  const decoder = dialect.decoder?.()
  if (decoder === undefined) throw unable(dialect.name, "decoder", "Return a whole response from `send`.")
  session.partial(sending.request.id, () => saidSoFar(decoder))
  for await (const event of eventsOf(answer)) {
    if (sending.signal.aborted) break
    for (const delta of decoder.push(event)) onDelta?.(delta)
  }
  return decoder.end()
}

function bodyOf({ dialect, bytes, encoding }: Driving, request: Request): unknown {
  if (!bytes) return dialect.encode(request, encoding)
  if (dialect.encodeBytes) return dialect.encodeBytes(request, encoding)
  throw unable(dialect.name, "encodeBytes", "Leave `bytes` off.")
}

/** Runs the calls of a step at the same time, and hands in each result as it comes. */
async function carryOut(session: Session, calls: readonly ToolCallPart[], options: Driving): Promise<void> {
  const { tools = {}, endsTurn = [] } = options
  const running = new Set(calls.map(({ id }) => id))
  const isWanted = () =>
    running.size === 0 || (session.pending.is === "waiting" && session.pending.calls.some(isRunning))
  const isRunning = ({ id }: ToolCallPart) => running.has(id)
  let ending: string | undefined

  const run = async (call: ToolCallPart, signal: AbortSignal) => {
    const { id, name, input } = call
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
    const got = await (tool === undefined
      ? failure(new Error(`There is no tool "${name}".`))
      : Promise.resolve({ signal, call })
          .then((context) => tool(input, context))
          .catch(failure))
    running.delete(id)
    try {
      if (got instanceof Failure) session.result(id, reasonOf(got.error), { error: true })
      else if (session.result(id, got).taken && endsTurn.includes(name)) ending = name
    } catch (error) {
      // The tool returned something that cannot be a result, so the model is told that.
      if (!(error instanceof SottoError)) throw error
      session.result(id, error.message, { error: true })
    }
  }

  await whileWanted(session, isWanted, options.signal, async (signal) => {
    // All of them: after an error of the store another drive would run what still runs a second time.
    const ends = await Promise.allSettled(calls.map((call) => run(call, signal)))
    for (const end of ends) if (end.status === "rejected") throw end.reason
    if (ending !== undefined && !signal.aborted) session.endTurn(ending)
  })
}

/** Works until it is done, or the session no longer wants it: then it aborts the signal and does not wait. */
async function whileWanted(
  session: Session,
  isWanted: () => boolean,
  interrupt: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const controller = new AbortController()
  const { signal } = controller
  const unwanted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
  const look = () => {
    if (interrupt?.aborted || !isWanted()) controller.abort()
  }
  const unwatch = session.watch(look)
  interrupt?.addEventListener("abort", look)
  try {
    look()
    if (!signal.aborted) await Promise.race([work(signal), unwanted])
  } finally {
    unwatch()
    interrupt?.removeEventListener("abort", look)
  }
}

/** What `send` or a tool threw, as a value. */
class Failure {
  constructor(
    readonly error: unknown,
    readonly isRetryable: boolean,
  ) {}
}

function failure(error: unknown): Failure {
  if (error instanceof Failure) return error
  return new Failure(error, field(error, "retryable") === true || AGAIN.includes(field(error, "code")))
}

/** Yields the events of a stream. If the stream itself fails, it broke off, in whatever words its SDK says so. */
async function* eventsOf(stream: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  try {
    yield* stream
  } catch (error) {
    throw new Failure(error, true)
  }
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return answer !== null && typeof answer === "object" && Symbol.asyncIterator in answer
}

/** Reads what was said so far. An interrupt must not fail because the last event cannot be read. */
function saidSoFar(decoder: Decoder): Reply {
  try {
    return decoder.soFar()
  } catch {
    return EMPTY_REPLY
  }
}

function endOf(session: Session, begun: number): DriveEnd["reason"] {
  const last = session.log.slice(begun).findLast(({ type }) => LAST.includes(type))?.type
  return last === "aborted" ? "interrupted" : last === "ended" ? "ended" : "done"
}

function unable(dialect: string, lacks: string, remedy: string): SottoError {
  return new SottoError("bad-options", `The dialect "${dialect}" has no \`${lacks}\`.`, remedy)
}
