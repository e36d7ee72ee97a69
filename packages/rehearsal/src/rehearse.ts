import type { Json, Problem } from "@sotto/core"
import { type CacheUse, cacheModel } from "@sotto/core/cache"
import { field } from "@sotto/core/dialect"
import { cacheRules } from "./cache/caches.js"
import { answers, type ReadConversation } from "./conversation/conversation.js"
import type { HttpDialectName, ProviderApi, RequestAddress } from "./dialects/dialect.js"
import { dialects } from "./dialects/index.js"
import { tokensOver, windowOf } from "./dialects/window.js"
import { finish, type ReplyDraft } from "./reply/draft.js"
import { type ErrorResponse, faultOf, type PlainError } from "./reply/failure.js"
import type { ServerSentEvent } from "./reply/frame.js"
import { keyOf } from "./reply/key.js"
import type { ScriptedReply } from "./reply/reply.js"
import { type Act, play } from "./script/play.js"
import type { Script, ScriptedFailure } from "./script/script.js"
import { improvise } from "./tour/tour.js"

/** What is known beside the body of a request. */
export interface RehearseOptions extends RequestAddress {
  /** Without one, the tour. */
  readonly script?: Script
  /** Which step of the script, from 0. By default: as many as the conversation holds answers. */
  readonly step?: number
  /** How many times this very request has come before. */
  readonly attempt?: number
  /** A fault that the client asks for. It comes before those of the script. */
  readonly failure?: ScriptedFailure
  /** The prompt cache. By default an empty one. */
  readonly cache?: (dialect: HttpDialectName, model: string, body: unknown) => CacheUse
  /** What went before, where the body only refers to it: items of the Responses API. */
  readonly history?: readonly unknown[]
  /** What the answer says of the cache, where the request asks for that. `key` is what the ids of the answer are made of. */
  readonly diagnose?: (body: unknown, key: string, cache: CacheUse) => Json | undefined
  /** Seconds since 1970. */
  readonly at?: number
  /** Milliseconds before each token of the tour; none unless given. */
  readonly tokenDelay?: number
}

/** A request that was refused, in the provider's words. */
export interface Refused {
  readonly is: "refused"
  readonly error: PlainError
  readonly response: ErrorResponse
  readonly problems: readonly Problem[]
  /** True if the script or the client asked for this error. */
  readonly rehearsed?: true
}

/** A request that was answered. */
export interface AnsweredRequest {
  readonly is: "answered"
  readonly reply: ScriptedReply
  readonly cache: CacheUse
  /** What no published schema knows about the body. Errors are refused. */
  readonly problems: readonly Problem[]
  /** The whole response, also where it is streamed. */
  readonly response: Json
  readonly headers: Readonly<Record<string, string>>
  /** A whole response, or a stream. */
  readonly content: { readonly body: unknown } | { readonly frames: readonly ServerSentEvent[] }
  /** Milliseconds before the first byte, and before each token. */
  readonly delay: number
  readonly tokenDelay: number
  /** Where the connection is cut. */
  readonly drop?: "before" | "middle"
}

/** What became of a request. */
export type Performance = Refused | AnsweredRequest

/** Answers one request as the provider would; the same request and options always get the same answer. */
export function rehearse(body: unknown, name: HttpDialectName, options: RehearseOptions = {}): Performance {
  const dialect = dialects[name]
  const whole = options.history === undefined ? body : continued(body, options.history)
  const problems = dialect.validate(whole, options)
  const error = problems.find(({ severity }) => severity === "error")
  if (error) return refused(dialect, body, { message: error.message, param: error.path }, problems)

  const conversation = dialect.read(whole, options)
  const window = windowOf(name, conversation.model, options)
  const tokens = window === undefined ? undefined : tokensOver(window, name, whole)
  if (window !== undefined && tokens !== undefined) {
    const cause = dialect.tooLong(tokens, window)
    const problem: Problem = { path: cause.param ?? "", message: cause.message, severity: "error" }
    return refused(dialect, body, cause, [...problems, problem])
  }
  const act = warmsOnly(body) ? nothing(name) : decide(conversation, options)
  switch (act.is) {
    case "disappointed":
      return refused(dialect, body, { fault: "expectation", message: act.message }, problems)
    case "refuses-system":
      return refused(dialect, body, { message: dialect.refusesSystem }, problems)
    case "answer":
      return perform(act, conversation, dialect, { body, whole, problems }, options)
  }
}

/** Writes the body as if it brought its history along. What the server keeps needs no encrypted copy. */
function continued(body: unknown, history: readonly unknown[]): unknown {
  const { previous_response_id: _, conversation: __, ...rest } = body as Record<string, unknown>
  return { ...rest, store: true, input: [...history, ...itemsOf(rest.input)] }
}

/** Lists the items of an input. A text by itself stands for one message of the user. */
export function itemsOf(input: unknown): readonly unknown[] {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }]
  return Array.isArray(input) ? input : []
}

/** A request: as it came, with what it refers to, and what is to be said about it. */
interface Request {
  readonly body: unknown
  readonly whole: unknown
  readonly problems: readonly Problem[]
}

/** Answers a request that only fills the cache: no word is written, and none is charged. */
function nothing(name: HttpDialectName): Act {
  const draft: ReplyDraft = { parts: [], stop: name === "anthropic" ? "length" : "end", isFree: true }
  return { is: "answer", draft, delay: 0, tokenDelay: 0 }
}

/** True if the request asks for no words: Anthropic's `max_tokens: 0`, OpenAI's `prewarm`. */
function warmsOnly(body: unknown): boolean {
  return field(body, "max_tokens") === 0 || field(field(body, "prompt_cache_options"), "prewarm") === true
}

function decide(conversation: ReadConversation, options: RehearseOptions): Act {
  const { script, step, attempt = 0, tokenDelay = 0, failure } = options
  const act: Act = script
    ? play(script, step ?? answers(conversation), attempt, conversation)
    : { is: "answer", draft: improvise(conversation), delay: 0, tokenDelay }
  if (act.is !== "answer" || failure === undefined) return act
  return { ...act, draft: "malformed" in failure ? malformed(act.draft) : act.draft, failure }
}

function malformed(draft: ReplyDraft): ReplyDraft {
  const parts = draft.parts.map((part) =>
    part.type === "tool-call" ? { ...part, malformed: true as const } : part,
  )
  return { ...draft, parts }
}

function perform(
  { draft, delay, tokenDelay, failure }: Extract<Act, { is: "answer" }>,
  conversation: ReadConversation,
  dialect: ProviderApi,
  { body, whole, problems }: Request,
  { cache = emptyCache, at = 0, diagnose }: RehearseOptions,
): Performance {
  const { model, stream } = conversation
  if (failure && "status" in failure)
    return rehearsed(refused(dialect, body, { message: messageOf(failure.status), ...failure }, problems))
  const breaks =
    failure && "event" in failure ? { status: failure.event, message: messageOf(failure.event) } : undefined
  // Only a stream can break off with a status of its own.
  if (breaks && !stream) return rehearsed(refused(dialect, body, breaks, problems))

  const use = cache(dialect.name, model, whole)
  const key = keyOf(body)
  const diagnostics = diagnose?.(whole, key, use)
  const facts = {
    key,
    model,
    createdAt: at,
    signature: dialect.sign(whole, onlyReasoning(draft)),
    cache: use,
  }
  const finished = finish(draft, facts, (i) => dialect.callId(key, i))
  const reply = diagnostics === undefined ? finished : { ...finished, diagnostics }
  const frames = stream ? dialect.frames(reply, body) : []
  const half = frames.slice(0, Math.ceil(frames.length / 2))
  return {
    is: "answered",
    reply,
    cache: use,
    problems,
    response: dialect.response(reply, body),
    headers: dialect.headers(`req_${key}`),
    content: !stream
      ? { body: dialect.response(reply, body) }
      : { frames: breaks ? [...half, dialect.errorFrame(errorOf(body, breaks), half.length)] : frames },
    delay,
    tokenDelay,
    ...(failure && "drop" in failure && { drop: failure.drop }),
  }
}

function onlyReasoning({ parts }: ReplyDraft): string | undefined {
  const [first, ...more] = parts.filter((part) => part.type === "reasoning")
  return more.length === 0 ? first?.text : undefined
}

function refused(
  dialect: ProviderApi,
  body: unknown,
  error: Partial<PlainError> & Pick<PlainError, "message">,
  problems: readonly Problem[] = [],
): Refused {
  const whole = errorOf(body, error)
  return { is: "refused", error: whole, response: dialect.error(whole), problems }
}

function rehearsed(refusal: Refused): Refused {
  return { ...refusal, rehearsed: true }
}

function errorOf(body: unknown, error: Partial<PlainError> & Pick<PlainError, "message">): PlainError {
  const status = error.status ?? 400
  return { fault: faultOf(status), status, requestId: `req_${keyOf(body)}`, ...error }
}

function messageOf(status: number): string {
  switch (faultOf(status)) {
    case "rate-limit":
      return "This request would exceed the rate limit (rehearsed)"
    case "overloaded":
      return "Overloaded (rehearsed)"
    case "server":
      return "Internal server error (rehearsed)"
    default:
      return `Status ${status} (rehearsed)`
  }
}

function emptyCache(dialect: HttpDialectName, model: string, body: unknown): CacheUse {
  return cacheModel(dialect, cacheRules(dialect, model)).request(body)
}
