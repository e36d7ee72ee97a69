/** What kind of wrong use an error is about, for code that handles it. `message` and `remedy` are for people. */
export type ErrorCode =
  | "already-driven"
  | "bad-input"
  | "bad-options"
  | "bad-rule"
  | "blank-text"
  | "cut-reply"
  | "damaged-log"
  | "duplicate-kind"
  | "id-taken"
  | "invalid-media"
  | "malformed-reply"
  | "newer-log"
  | "no-reply-awaited"
  | "not-refusable"
  | "not-idle"
  | "not-synchronous"
  | "nothing-sent"
  | "provider-error"
  | "reentrant"
  | "unknown-agent"
  | "unknown-call"
  | "unknown-kind"
  | "unknown-prompt"
  | "nothing-to-redo"
  | "wrong-dialect"

/** Wrong use of the engine. The message says what was wrong and where; `remedy` says what to do instead. */
export class SottoError extends Error {
  override readonly name: string = "SottoError"

  constructor(
    readonly code: ErrorCode,
    what: string,
    readonly remedy: string,
    /** What is said instead of both: the words of a provider, for example. */
    message = `${what} ${remedy}`,
  ) {
    super(message)
  }
}

/** Makes the error for a text that says nothing. */
export function blankText(field: string): SottoError {
  return new SottoError("blank-text", `${field} is blank.`, "Write something, or leave it out.")
}

/** Words what was thrown so that it can be logged: it need not be an error, and may be made to defy reading. */
export function reasonOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown).slice(0, 1_000)
  } catch {
    return "it threw something that cannot be read"
  }
}
