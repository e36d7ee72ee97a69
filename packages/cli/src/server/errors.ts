import { redact } from "@sotto/core/secrets"
import { isForTheUser, knownSecrets, reasonOf, StoreError, type StoreErrorCode } from "@sotto/harness"

/** By status: seconds to wait before a request is sent again, unless the error knows better. */
const RETRY_AFTER: Readonly<Record<number, number>> = { 429: 1, 503: 2 }

/** What a client is told in place of an answer. */
export class ApiError extends Error {
  override readonly name = "ApiError"

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly remedy?: string,
    /** Seconds after which it may be sent again, if it may. */
    readonly retryAfter: number | undefined = RETRY_AFTER[status],
  ) {
    super(message)
  }

  get body() {
    const { code, message, remedy } = this
    return { error: { code, message: redact(message, knownSecrets(process.env)), ...(remedy && { remedy }) } }
  }
}

/**
 * The status of each failure of the store. What is so for a moment is 503, and can be sent again: the store is away or
 * busy, a session changes hands, or the server must make room for one that knows the store's schema.
 */
const STORE_STATUS: Readonly<Record<StoreErrorCode, number>> = {
  "unknown-session": 404,
  "unknown-prompt": 404,
  "bad-import": 400,
  conflict: 409,
  damaged: 409,
  duplicate: 409,
  locked: 503,
  lost: 503,
  newer: 503,
  "not-open": 503,
  unavailable: 503,
}

/** Makes the answer to a request that failed. A fault of ours says no more than that. */
export function apiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof StoreError) {
    const message = error.message.replace(` ${error.remedy}`, "")
    return new ApiError(STORE_STATUS[error.code], error.code, message, error.remedy)
  }
  if (isForTheUser(error) !== undefined) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "bad-request"
    return refused(code, reasonOf(error))
  }
  return new ApiError(
    500,
    "internal",
    "Sotto failed to answer this request.",
    "Standard error of the server says more, with SOTTO_DEBUG=1 also where.",
  )
}

const REFUSALS: Readonly<Record<string, { readonly status: number; readonly remedy?: string }>> = {
  "id-taken": { status: 409 },
  "media-not-taken": { status: 415 },
  "media-too-large": { status: 413 },
  "not-idle": { status: 409 },
  "not-queued": { status: 409, remedy: "Say something new instead." },
  "files-edited": { status: 409 },
  "nothing-to-redo": { status: 409 },
  "nothing-to-undo": { status: 409 },
  "still-at-work": { status: 409 },
  "unknown-prompt": { status: 404 },
  "unknown-question": { status: 404, remedy: "GET /sessions/{id} lists the questions that are open." },
  "unknown-task": { status: 404, remedy: "The result of the call that started a task tells its id." },
}

export function refused(code: string, message: string): ApiError {
  const { status = 400, remedy } = REFUSALS[code] ?? {}
  return new ApiError(status, code, sentence(message), remedy)
}

/** Makes a sentence of a message that may stand after the number of a line of JSONL. */
function sentence(message: string): string {
  const end = /[.!?]$/.test(message) ? "" : "."
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${end}`
}

export function notFound(message: string, remedy: string): ApiError {
  return new ApiError(404, "not-found", message, remedy)
}
