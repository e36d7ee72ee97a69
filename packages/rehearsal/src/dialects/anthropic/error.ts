import type { Json } from "@sotto/core"
import {
  type ErrorResponse,
  EXPECTATION_FAILED,
  type Fault,
  type PlainError,
  retryHeaders,
} from "../../reply/failure.js"
import type { ServerSentEvent } from "../../reply/frame.js"

const TYPES: Readonly<Record<Fault, string>> = {
  invalid: "invalid_request_error",
  authentication: "authentication_error",
  "not-found": "not_found_error",
  method: "invalid_request_error",
  "too-large": "request_too_large",
  "rate-limit": "rate_limit_error",
  overloaded: "overloaded_error",
  server: "api_error",
  expectation: EXPECTATION_FAILED,
}

export function headers(requestId: string): Readonly<Record<string, string>> {
  return { "request-id": requestId }
}

export function error(cause: PlainError): ErrorResponse {
  return {
    status: cause.status,
    headers: { ...headers(cause.requestId), ...retryHeaders(cause) },
    body: body(cause),
  }
}

/** Makes the event with which a stream that has begun ends: its status was 200. */
export function errorFrame(cause: PlainError): ServerSentEvent {
  return { event: "error", data: body(cause) }
}

function body({ fault, message, requestId }: PlainError): Json {
  return { type: "error", error: { type: TYPES[fault], message }, request_id: requestId }
}
