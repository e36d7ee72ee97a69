import type { Json } from "@sotto/core"
import {
  bracketed,
  type ErrorResponse,
  EXPECTATION_FAILED,
  type Fault,
  type PlainError,
  retryHeaders,
} from "../../reply/failure.js"

/** How both of OpenAI's APIs name what went wrong. */
const NAMES: Readonly<Record<Fault, { readonly type: string; readonly code: string | null }>> = {
  invalid: { type: "invalid_request_error", code: null },
  authentication: { type: "invalid_request_error", code: "invalid_api_key" },
  "not-found": { type: "invalid_request_error", code: "unknown_url" },
  method: { type: "invalid_request_error", code: "method_not_supported" },
  "too-large": { type: "invalid_request_error", code: "request_too_large" },
  "rate-limit": { type: "requests", code: "rate_limit_exceeded" },
  overloaded: { type: "server_error", code: "server_is_overloaded" },
  server: { type: "server_error", code: "server_error" },
  expectation: { type: EXPECTATION_FAILED, code: EXPECTATION_FAILED },
}

export function headers(requestId: string): Readonly<Record<string, string>> {
  return { "x-request-id": requestId }
}

export function error(cause: PlainError): ErrorResponse {
  return {
    status: cause.status,
    headers: { ...headers(cause.requestId), ...retryHeaders(cause) },
    body: { error: errorObject(cause) },
  }
}

export function errorObject({ fault, message, param, code }: PlainError) {
  return {
    message,
    type: NAMES[fault].type,
    param: param === undefined ? null : bracketed(param),
    code: code ?? NAMES[fault].code ?? codeOf(message),
  }
}

/** The codes that go with OpenAI's own words; most refusals have none. */
const CODES: readonly (readonly [RegExp, string])[] = [
  [/^Unknown parameter:/, "unknown_parameter"],
  [/^Unsupported parameter:/, "unsupported_parameter"],
  [/^Unsupported value:/, "unsupported_value"],
  [/^Missing required parameter:/, "missing_required_parameter"],
  [/^Invalid schema for function/, "invalid_function_parameters"],
  [/^Invalid schema for (response_format|text\.format)/, "invalid_json_schema"],
  [/^Invalid value:/, "invalid_value"],
  [/: string too long\./, "string_above_max_length"],
  [/: integer below minimum value\./, "integer_below_min_value"],
  [/: integer above maximum value\./, "integer_above_max_value"],
  [/: decimal below minimum value\./, "decimal_below_min_value"],
  [/: decimal above maximum value\./, "decimal_above_max_value"],
  [/: array too long\./, "array_above_max_length"],
  [/: too many properties\./, "object_above_max_properties"],
  [/^Invalid type for/, "invalid_type"],
]

function codeOf(message: string): string | null {
  return CODES.find(([words]) => words.test(message))?.[1] ?? null
}

export function model(id: string) {
  return { id, object: "model", created: 1_767_225_600, owned_by: "sotto-rehearsal" }
}

export function models(ids: readonly string[]): Json {
  return { object: "list", data: ids.map(model) }
}

export function counted(input_tokens: number): Json {
  return { object: "response.input_tokens", input_tokens }
}
