import type { Carrier } from "@sotto/core"
import { redact } from "../platform/secrets/redact.js"

/** A model that cannot be called as things are set up. The message says what to do. */
export class ModelSetupError extends Error {
  override readonly name = "ModelSetupError"

  constructor(
    readonly code: "unknown-provider" | "no-model" | "no-key" | "bad-url" | "bad-script",
    what: string,
    readonly remedy: string,
  ) {
    super(redact(`${what} ${remedy}`))
  }
}

interface Failing {
  /** Absent where no response came, or where it broke off after a good one. */
  readonly status?: number
  /**
   * The provider's own word ("overloaded_error"), or "dropped", "network", "redirected", "silent", "malformed" (a stream
   * that breaks its API's rules), "not-a-message", "oversized", "malformed-call".
   */
  readonly kind: string
  /** The same bytes may do better later. */
  readonly retryable: boolean
  /** One more call may do better, a third would not. */
  readonly once?: boolean
  /** The conversation is longer than the model takes. */
  readonly overflow?: boolean
  /** Milliseconds that the provider asks to wait. */
  readonly retryAfter?: number
  /** How a reminder travelled is what was refused: another carrier would do. */
  readonly refusedCarrier?: Carrier
}

/** A model call that brought no reply. */
export class ModelError extends Error implements Failing {
  override readonly name = "ModelError"
  readonly status?: number
  readonly kind: string
  readonly retryable: boolean
  readonly once: boolean
  readonly overflow: boolean
  readonly retryAfter?: number
  readonly refusedCarrier?: Carrier

  constructor(message: string, failing: Failing, options?: ErrorOptions) {
    // Providers quote the key that they refuse, and addresses may hold a password.
    super(redact(message), options)
    const { status, kind, retryable, retryAfter, refusedCarrier } = failing
    this.kind = kind
    this.retryable = retryable
    this.once = failing.once ?? false
    this.overflow = failing.overflow ?? false
    if (status !== undefined) this.status = status
    if (retryAfter !== undefined) this.retryAfter = retryAfter
    if (refusedCarrier !== undefined) this.refusedCarrier = refusedCarrier
  }
}
