import type { Json } from "@sotto/core"
import {
  bracketed,
  type ErrorResponse,
  EXPECTATION_FAILED,
  type Fault,
  type PlainError,
  retryHeaders,
} from "../../reply/failure.js"
import type { ServerSentEvent } from "../../reply/frame.js"

const STATUSES: Readonly<Record<Fault, string>> = {
  invalid: "INVALID_ARGUMENT",
  authentication: "PERMISSION_DENIED",
  "not-found": "NOT_FOUND",
  method: "NOT_FOUND",
  "too-large": "INVALID_ARGUMENT",
  "rate-limit": "RESOURCE_EXHAUSTED",
  overloaded: "UNAVAILABLE",
  server: "INTERNAL",
  expectation: "INVALID_ARGUMENT",
}

export function error(cause: PlainError): ErrorResponse {
  return { status: cause.status, headers: retryHeaders(cause), body: body(cause) }
}

export function errorFrame(cause: PlainError): ServerSentEvent {
  return { data: body(cause) }
}

function body(cause: PlainError): Json {
  const { fault, message, status } = cause
  const details = detailsOf(cause)
  return { error: { code: status, message, status: STATUSES[fault], ...(details.length > 0 && { details }) } }
}

function detailsOf({ fault, retryAfter, param, message }: PlainError): readonly Json[] {
  if (fault === "expectation")
    return [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: EXPECTATION_FAILED }]
  if (retryAfter !== undefined)
    return [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfter}s` }]
  if (param === undefined) return []
  const fieldViolations = [{ field: bracketed(param), description: message }]
  return [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations }]
}
