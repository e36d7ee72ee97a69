import { type CacheDiagnostics, type Entry, type LoggedRequest, requestsIn, type Usage } from "@sotto/core"
import { encodeShared as anthropic } from "@sotto/core/anthropic"
import { jsonIn } from "@sotto/core/dialect"
import { encodeShared as gemini } from "@sotto/core/gemini"
import { encodeShared as openai } from "@sotto/core/openai"
import { encodeShared as openaiChat } from "@sotto/core/openai-chat"
import type { Call, HttpDialectName, SourceItem } from "../call.js"
import { damaged } from "./calls.js"
import { isObject } from "./json.js"
import type { SourceLine } from "./lines.js"

/** How Sotto names a model: the provider says which API is spoken. */
const PROVIDERS: Readonly<Record<string, HttpDialectName>> = {
  anthropic: "anthropic",
  openai: "openai",
  "openai-chat": "openai-chat",
  google: "gemini",
}

/** The dialects in which a request of a session can be written. */
export const DIALECTS: readonly HttpDialectName[] = ["anthropic", "openai", "openai-chat", "gemini"]

/** True for the first line of an exported session, or an entry of its log. */
export function isSottoLine(found: unknown): boolean {
  if (!isObject(found)) return false
  return found.sotto === "session" || (found.type === "opened" && typeof found.seq === "number")
}

/** Makes the requests of a session of Sotto again from its log. */
export async function* sottoItems(
  source: string,
  lines: AsyncIterable<SourceLine>,
): AsyncGenerator<SourceItem> {
  const log: Entry[] = []
  for await (const { number, text } of lines) {
    const entry = jsonIn(text)
    if (isObject(entry) && entry.sotto === "session") continue
    // What comes after a damaged entry cannot be understood without it.
    if (!isObject(entry)) {
      yield damaged(source, number, "is damaged; the session is read up to there")
      break
    }
    log.push(entry as unknown as Entry)
  }
  let number = 0
  try {
    for (const asked of requestsIn(log)) {
      const call = sottoCall(source, ++number, asked)
      yield { type: "call", call: { ...call, text: JSON.stringify(call.body) } }
    }
  } catch (error) {
    yield damaged(source, number + 1, `cannot be restored: ${error instanceof Error ? error.message : error}`)
  }
}

/** Gives the dialect in which a session sends a request. */
export function dialectOf({ request }: LoggedRequest): HttpDialectName {
  const { dialect, model } = request.pins
  return DIALECTS.find((one) => one === dialect) ?? PROVIDERS[model.split("/")[0] ?? ""] ?? "anthropic"
}

function inDialect(request: LoggedRequest["request"], dialect: HttpDialectName): LoggedRequest["request"] {
  const { pins } = request
  return pins.dialect === undefined || pins.dialect === dialect
    ? request
    : { ...request, pins: { ...pins, dialect } }
}

/**
 * Makes a call of a request of a session, in the dialect that it was sent in, or in another. Leaves out its text:
 * writing it costs as much as the whole request, and only the place of a break needs it.
 */
export function sottoCall(
  source: string,
  number: number,
  asked: LoggedRequest,
  dialect = dialectOf(asked),
): Call {
  const { request, at, reply } = asked
  const [provider = "", ...rest] = request.pins.model.split("/")
  // What the provider says of its cache it says of the request that was sent.
  const told = dialect === dialectOf(asked) ? reply?.diagnostics : undefined
  const body = bodyOf(dialect, inDialect(request, dialect), told !== undefined)
  const answer = {
    ...(reply?.usage && usageBody(dialect, reply.usage)),
    ...(told && diagnosticsBody(dialect, told, request)),
  }
  return {
    source,
    number,
    at,
    dialect,
    model: rest.join("/") || provider,
    body,
    ...(reply?.usage && { response: { body: answer } }),
  }
}

function bodyOf(
  dialect: HttpDialectName,
  request: LoggedRequest["request"],
  cacheDiagnostics: boolean,
): unknown {
  switch (dialect) {
    case "anthropic":
      return anthropic(request, { cacheDiagnostics })
    case "openai":
      return openai(request, { cacheDiagnostics })
    case "openai-chat":
      return openaiChat(request)
    case "gemini":
      return gemini(request)
  }
}

/** Writes what was said of the cache as its API does. */
function diagnosticsBody(
  dialect: HttpDialectName,
  { message: id, reason, tokens }: CacheDiagnostics,
  { previousMessage }: LoggedRequest["request"],
): object {
  if (previousMessage === undefined || reason === "unanswered") return { id }
  if (dialect === "openai") {
    const miss = { type: "cache_miss", reason, cache_missed_tokens: tokens }
    return { id, prompt_cache_diagnostics: reason === undefined ? { type: "cache_hit" } : miss }
  }
  const miss = reason === "pending" ? null : { type: reason, cache_missed_input_tokens: tokens }
  return { id, diagnostics: reason === undefined ? null : { cache_miss_reason: miss } }
}

function usageBody(dialect: HttpDialectName, usage: Usage): object {
  const { input, output, cacheRead, cacheWrite } = usage
  switch (dialect) {
    case "anthropic":
      return {
        usage: {
          input_tokens: input,
          output_tokens: output,
          cache_read_input_tokens: cacheRead,
          cache_creation_input_tokens: cacheWrite,
        },
      }
    case "openai":
      return {
        usage: {
          input_tokens: input + cacheRead + cacheWrite,
          output_tokens: output,
          input_tokens_details: { cached_tokens: cacheRead },
        },
      }
    case "openai-chat":
      return {
        usage: {
          prompt_tokens: input + cacheRead + cacheWrite,
          completion_tokens: output,
          prompt_tokens_details: { cached_tokens: cacheRead },
        },
      }
    case "gemini":
      return {
        usageMetadata: {
          promptTokenCount: input + cacheRead + cacheWrite,
          candidatesTokenCount: output,
          cachedContentTokenCount: cacheRead,
        },
      }
  }
}
