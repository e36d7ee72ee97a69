import type { Json } from "@sotto/core"

/** Why a request is not answered, before any provider's format. */
export type Fault =
  | "invalid"
  | "authentication"
  | "not-found"
  | "method"
  | "too-large"
  | "rate-limit"
  | "overloaded"
  | "server"
  /** Not an error of any provider: the script expected something else. */
  | "expectation"

/** The type of the error that says that a request did not meet the script's expectation. */
export const EXPECTATION_FAILED = "rehearsal_expectation_failed"

/** An error before it has the form of one API. */
export interface PlainError {
  readonly fault: Fault
  readonly message: string
  readonly status: number
  /** Seconds. */
  readonly retryAfter?: number
  /** The field of the body that is to blame. */
  readonly param?: string
  /** OpenAI's own word for it, where the message does not tell. */
  readonly code?: string
  /** What the answer is known by. */
  readonly requestId: string
}

/** An error as one API answers it. */
export interface ErrorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}

export function faultOf(status: number): Fault {
  switch (status) {
    case 401:
    case 403:
      return "authentication"
    case 404:
      return "not-found"
    case 405:
      return "method"
    case 413:
      return "too-large"
    case 429:
      return "rate-limit"
    case 503:
    case 529:
      return "overloaded"
    default:
      return status >= 500 ? "server" : "invalid"
  }
}

/** Writes "input.3.content.0" as OpenAI and Google do. */
export function bracketed(path: string): string {
  return path.replace(/\.(\d+)/g, "[$1]")
}

export function retryHeaders({ retryAfter }: PlainError): Readonly<Record<string, string>> {
  return retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }
}
