import { reasonOf } from "../../platform/text/errors.js"
import { startOf } from "../../platform/text/text.js"

/**
 * `refused`: the server answered with an error. `late`, `lost`: it did not answer in time, or cannot be reached. `login`: it
 * wants the user to log in.
 */
export type LinkFailure = "refused" | "late" | "lost" | "aborted" | "too long" | "login"

/** Why a request to a server came to nothing, in words that follow its name and a colon. */
export class LinkError extends Error {
  override readonly name = "LinkError"

  constructor(
    readonly failure: LinkFailure,
    message: string,
    /** Of an answer over HTTP that was none. */
    readonly status?: number,
  ) {
    super(message)
  }
}

/** Characters of what a server says against a request: it goes to the model and to the user. */
const LONGEST_REASON = 2_000

// Of the SDK: what it uses for its own failures beside the codes that servers answer with.
const CLOSED = -32_000
const TIMED_OUT = -32_001

export function linkError(error: unknown, signal: AbortSignal | undefined, seconds: number): LinkError {
  if (error instanceof LinkError) return error
  if (signal?.aborted) return new LinkError("aborted", "stopped before it answered")
  const said = startOf(reasonOf(error), LONGEST_REASON)
  if (!(error instanceof Error && error.name === "McpError" && "code" in error)) {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : ""
    const status = error instanceof Error && "code" in error ? Number(error.code) : undefined
    return new LinkError("lost", `${said}${cause}`, status)
  }
  if (error.code === TIMED_OUT) return new LinkError("late", `no answer within ${seconds} s`)
  if (error.code === CLOSED && said.includes("Connection closed"))
    return new LinkError("lost", "the connection was closed")
  return new LinkError("refused", said)
}
