import { MalformedReply, ProviderError } from "@sotto/core"
import { jsonIn } from "@sotto/core/dialect"
import { isUntrustedCertificate, OWN_CERTIFICATES } from "../platform/network/certificates.js"
import { ProxyError } from "../platform/network/proxy-settings.js"
import { redact } from "../platform/secrets/redact.js"
import type { DialectCodec } from "./dialects.js"
import { ModelError } from "./error.js"
import type { HttpAnswer } from "./http.js"
import { saysOverflow } from "./overflow.js"

const LONGEST_EXCERPT = 300
/** Bytes of an error that are read. */
const LONGEST_ERROR = 1_000_000

/** Makes an error of what an error response says. */
export async function failureOf(response: HttpAnswer, dialect: DialectCodec): Promise<ModelError> {
  const { status, headers } = response
  const text = await response.beginning(LONGEST_ERROR)
  if (status >= 300 && status < 400) return redirected(status, headers.get("location"))
  const body = jsonIn(text)
  const said = worded(dialect, body)
  const kind = said?.kind ?? `http_${status}`
  const refusedCarrier = dialect.refusedCarrier({ status, body: body ?? text })
  const retryAfter = retryAfterOf(headers, Date.now())
  const overflow = saysOverflow(status, kind, said?.message ?? text)
  return new ModelError(said === undefined ? described(response, text) : quoted(status, said.message), {
    status,
    kind,
    retryable: refusedCarrier === undefined && !overflow && isWorthRetrying(status, kind, headers),
    overflow,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(refusedCarrier && { refusedCarrier }),
  })
}

/** Quotes the provider's own words. Which model, key and address they are about is said by `explained`. */
function quoted(status: number, message: string): string {
  const ends = /[.!?]$/.test(message) ? "" : "."
  return `The provider answered ${status}: ${message}${ends}`
}

/** Tells what broke a stream that had begun: an error of the provider, or an event that cannot be right. */
export function brokenBy(cause: unknown): unknown {
  if (cause instanceof ProviderError) {
    const { message, kind, retryable } = cause
    const overflow = saysOverflow(undefined, kind, message)
    return new ModelError(message, { kind, retryable: retryable && !overflow, overflow }, { cause })
  }
  if (cause instanceof MalformedReply)
    return new ModelError(
      `The provider sent a reply that cannot be read: ${cause.message}.`,
      { kind: "malformed", retryable: true },
      { cause },
    )
  return cause
}

/**
 * Makes the error for a good status that is followed by something other than a message: a page to log in with, the
 * answer of another program.
 */
export function notAMessage(beginning: string, cause?: unknown): ModelError {
  const excerpt = excerptOf(beginning).replace(/\.$/, "")
  const what = excerpt === "" ? "an empty body" : `something that is not a message: ${excerpt}`
  return new ModelError(
    `The provider answered with ${what}. Check that the base URL is that of the API, and the key.`,
    { kind: "not-a-message", retryable: false },
    { cause },
  )
}

export function oversized(what: string, most: number): ModelError {
  const megabytes = Math.round(most / 1_000_000)
  return new ModelError(`The provider sent ${what} of more than ${megabytes || most / 1_000_000} MB.`, {
    kind: "oversized",
    retryable: false,
  })
}

/** Makes the error for a silent provider. Two such waits are enough: a server that says nothing twice is not there. */
export function silent(url: string, milliseconds: number, cause: unknown): ModelError {
  const span = milliseconds < 120_000 ? `${milliseconds / 1000} s` : `${milliseconds / 60_000} minutes`
  const message = `${new URL(url).origin} sent nothing for ${span}.`
  return new ModelError(message, { kind: "silent", retryable: true, once: true }, { cause })
}

/** Makes the error for a call that the provider itself could not read. The same bytes may bring a better one. */
export function malformedCall(why: string): ModelError {
  return new ModelError(`The model made a call that its provider could not read (${why}).`, {
    kind: "malformed-call",
    retryable: true,
    once: true,
  })
}

export function dropped(message: string, cause?: unknown): ModelError {
  return new ModelError(message, { kind: "dropped", retryable: true }, { cause })
}

export function unreachable(url: string, cause: unknown): ModelError {
  const proxied = cause instanceof ProxyError ? cause : undefined
  const reason = cause instanceof Error && cause.cause instanceof Error && !proxied ? cause.cause : cause
  const why = reason instanceof Error ? reason.message || reason.name : String(reason)
  const isDistrusted = isUntrustedCertificate(reason)
  const message = `${new URL(url).origin} cannot be reached: ${why}.${isDistrusted ? ` ${OWN_CERTIFICATES}` : ""}`
  const retryable = proxied?.passing ?? !isDistrusted
  return new ModelError(message, { kind: "network", retryable }, { cause })
}

function redirected(status: number, location: string | null): ModelError {
  // Followed, it would take the key along.
  const message = `The server redirects to ${location ?? "another place"}: set the base URL to where it really is.`
  return new ModelError(message, { status, kind: "redirected", retryable: false })
}

function isWorthRetrying(status: number, kind: string, headers: HttpAnswer["headers"]): boolean {
  const advice = headers.get("x-should-retry")
  if (advice === "true" || advice === "false") return advice === "true"
  // More time brings no more money.
  if (/quota|billing/i.test(kind)) return false
  return status === 408 || status === 409 || status === 429 || status >= 500
}

function worded(dialect: DialectCodec, body: unknown): { kind: string; message: string } | undefined {
  if (body === null || typeof body !== "object") return undefined
  try {
    dialect.decode(body)
  } catch (error) {
    if (error instanceof ProviderError) return error
  }
  return undefined
}

function described({ status, statusText }: HttpAnswer, text: string): string {
  const excerpt = excerptOf(text)
  return [`The provider answered ${status}`, statusText && ` ${statusText}`, excerpt && `: ${excerpt}`].join(
    "",
  )
}

/** Cuts the beginning of a text without markup, on one line, without what a terminal would obey. */
function excerptOf(text: string): string {
  return redact(text.slice(0, 20 * LONGEST_EXCERPT))
    .replace(/<(script|style)[^>]*>.*?<\/\1>/gis, " ")
    .replace(/<[^<>]*>/g, " ")
    .replace(/[\p{Cc}\s\uFFFD]+/gu, " ")
    .trim()
    .slice(0, LONGEST_EXCERPT)
}

function retryAfterOf(headers: HttpAnswer["headers"], now: number): number | undefined {
  const precise = Number.parseFloat(headers.get("retry-after-ms") ?? "")
  if (precise >= 0) return precise
  const given = headers.get("retry-after")?.trim()
  if (!given) return undefined
  const seconds = Number(given)
  if (!Number.isNaN(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(given)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
