/** What kind of wrong use an error is about, for code that handles it. `message` and `remedy` are for people. */
export type ErrorCode =
  | "bad-options"
  | "bad-rule"
  | "damaged-log"
  | "duplicate-kind"
  | "late-reply"
  | "newer-log"
  | "no-reply-awaited"
  | "not-json"
  | "not-refusable"
  | "not-idle"
  | "unknown-agent"
  | "unknown-call"
  | "unknown-kind"
  | "unknown-prompt"

/** Wrong use of the engine. The message says what was wrong and where; `remedy` says what to do instead. */
export class SottoError extends Error {
  override readonly name = "SottoError"

  constructor(
    readonly code: ErrorCode,
    what: string,
    readonly remedy: string,
  ) {
    super(`${what} ${remedy}`)
  }
}
