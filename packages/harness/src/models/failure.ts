import { ProviderError } from "@sotto/core"
import { redact } from "../secrets/redact.js"
import type { Dialect } from "./dialects.js"
import { ModelError } from "./error.js"
import type { Answer } from "./http.js"
import { retryAfterOf } from "./retry-after.js"

const LONGEST_EXCERPT = 300

/** What an error response says. */
export async function failureOf(response: Answer, dialect: Dialect): Promise<ModelError> {
  const { status, headers } = response
  const text = await response.text().catch(() => "")
  if (status >= 300 && status < 400) return redirected(status, headers.get("location"))
  const body = parsed(text)
  const said = worded(dialect, body)
  const kind = said?.kind ?? `http_${status}`
  const refusedCarrier = dialect.refusedCarrier(status, body)
  const retryAfter = retryAfterOf(headers, Date.now())
  return new ModelError(said?.message ?? described(response, text), {
    status,
    kind,
    retryable: refusedCarrier === undefined && isWorthRetrying(status, kind, headers),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(refusedCarrier && { refusedCarrier }),
  })
}

/** What broke a call that had begun: the connection, the provider, or what it sent. */
export function brokenBy(cause: unknown): ModelError {
  if (cause instanceof ProviderError) return new ModelError(cause.message, cause, { cause })
  if (cause instanceof SyntaxError)
    return dropped(`The provider sent what cannot be read: ${cause.message}.`, cause)
  return dropped("The connection was lost before the reply was complete.", cause)
}

export function dropped(message: string, cause?: unknown): ModelError {
  return new ModelError(message, { kind: "dropped", retryable: true }, { cause })
}

export function unreachable(url: string, cause: unknown): ModelError {
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const why = reason instanceof Error ? reason.message || reason.name : String(reason)
  const message = `${new URL(url).origin} cannot be reached: ${why}.`
  return new ModelError(message, { kind: "network", retryable: true }, { cause })
}

function redirected(status: number, location: string | null): ModelError {
  // Followed, it would take the key along.
  const message = `The server redirects to ${location ?? "another place"}: set the base URL to where it really is.`
  return new ModelError(message, { status, kind: "redirected", retryable: false })
}

function isWorthRetrying(status: number, kind: string, headers: Answer["headers"]): boolean {
  const advice = headers.get("x-should-retry")
  if (advice === "true" || advice === "false") return advice === "true"
  // More time brings no more money.
  if (/quota|billing/i.test(kind)) return false
  return status === 408 || status === 409 || status === 429 || status >= 500
}

function worded(dialect: Dialect, body: unknown): { kind: string; message: string } | undefined {
  if (body === null || typeof body !== "object") return undefined
  try {
    dialect.decode(body)
  } catch (error) {
    if (error instanceof ProviderError) return error
  }
  return undefined
}

function described({ status, statusText }: Answer, text: string): string {
  const excerpt = redact(text)
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, LONGEST_EXCERPT)
  return [`The provider answered ${status}`, statusText && ` ${statusText}`, excerpt && `: ${excerpt}`].join(
    "",
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
