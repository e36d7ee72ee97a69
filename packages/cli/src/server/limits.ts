import { ApiError } from "./errors.js"

/** What one server takes. Far above what people and their programs need. */
export const LIMITS = {
  /**
   * Bytes of a request. Of a larger one, up to `dropped` bytes are taken and dropped: a client that still sends does
   * not read the answer.
   */
  body: 1_000_000,
  /** Bytes of a message with images and files: what a message may have of them, in base64, and its words. */
  message: 17_000_000,
  dropped: 32_000_000,
  /** Requests of one caller: `burst` at once, and `perSecond` a second after that. */
  burst: 600,
  perSecond: 100,
  /** Refused credentials of one address. */
  failures: 60,
  failuresPerSecond: 2,
  /** Event streams at once. */
  streams: 100,
} as const

/** Lets `burst` requests through at once, and then `perSecond` a second. */
export class Rate {
  readonly #burst: number
  readonly #perSecond: number
  readonly #callers = new Map<string, { left: number; at: number }>()

  constructor(burst: number, perSecond: number) {
    this.#burst = burst
    this.#perSecond = perSecond
  }

  /** True if the caller has one left. It is used up unless `look`. */
  take(caller: string, look = false): boolean {
    const now = Date.now()
    if (this.#callers.size > 10_000) this.#callers.clear()
    const { left, at } = this.#callers.get(caller) ?? { left: this.#burst, at: now }
    const filled = Math.min(this.#burst, left + ((now - at) / 1000) * this.#perSecond)
    const isAllowed = filled >= 1
    this.#callers.set(caller, { left: isAllowed && !look ? filled - 1 : filled, at: now })
    return isAllowed
  }
}

export function tooMany(what: string): ApiError {
  return new ApiError(429, "too-many-requests", `Too many ${what}.`, "Wait a second, and send fewer.")
}

export function tooLarge(most: number): ApiError {
  return new ApiError(
    413,
    "too-large",
    `This request may have ${most} bytes.`,
    "Put a long text into a file, and mention it with @path.",
  )
}

export function tooManyStreams(): ApiError {
  return new ApiError(
    503,
    "too-many-streams",
    `This server has ${LIMITS.streams} event streams open, which is the most it takes.`,
    "Close one, or wait until one is closed.",
  )
}
