import { setTimeout as wait } from "node:timers/promises"
import { ModelError } from "./error.js"

export interface RetryEvent {
  /** Which attempt failed, from 1. */
  readonly attempt: number
  /** How many there will be at most. */
  readonly attempts: number
  /** Milliseconds until the next. */
  readonly delay: number
  readonly error: ModelError
}

export interface RetryOptions {
  readonly signal?: AbortSignal
  onRetry?(event: RetryEvent): void
  /** The most calls that are made in all. */
  readonly attempts?: number
  /** Waits; rejects at once when the signal aborts. */
  sleep?(milliseconds: number, signal: AbortSignal | undefined): Promise<void>
  /** From 0 up to 1. */
  random?(): number
}

const ATTEMPTS = 8
const FIRST_DELAY = 500
const LONGEST_DELAY = 32_000
/** Who asks for more than this has no capacity to wait for, and the user is better told. */
const LONGEST_ASKED = 120_000

/**
 * Makes a call again while that may help, for some failures once at most. The call itself has to send the same bytes
 * each time.
 */
export async function withRetry<T>(
  call: (attempt: number) => Promise<T>,
  options: RetryOptions = {},
): Promise<T> {
  const { signal, attempts = ATTEMPTS, sleep = sleeping, random = Math.random } = options
  const before = new Set<string>()
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    try {
      return await call(attempt)
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof ModelError) || !error.retryable || attempt >= attempts) throw error
      if ((error.retryAfter ?? 0) > LONGEST_ASKED) throw error
      if (error.once && before.has(error.kind)) throw error
      before.add(error.kind)
      const delay = delayAfter(attempt, error, random)
      options.onRetry?.({ attempt, attempts, delay, error })
      await sleep(delay, signal)
    }
  }
}

/**
 * Waits twice as long each time, less up to a quarter, so that many clients do not come back at once; never sooner than
 * asked.
 */
function delayAfter(attempt: number, { retryAfter = 0 }: ModelError, random: () => number): number {
  const backoff = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempt - 1))
  return retryAfter > 0 ? retryAfter : Math.round(backoff * (1 - random() / 4))
}

async function sleeping(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(milliseconds, undefined, signal && { signal })
  } finally {
    signal?.throwIfAborted()
  }
}
