import type { StoreClock } from "@sotto/harness/telemetry"

/** Measures how long a session waits for the store. Waits at the same time count once. */
export class WaitClock implements StoreClock {
  #waiting = 0
  #began = 0
  #total = 0

  /** Milliseconds so far. */
  get total(): number {
    return this.#waiting === 0 ? this.#total : this.#total + performance.now() - this.#began
  }

  begin(): void {
    if (this.#waiting++ === 0) this.#began = performance.now()
  }

  end(): void {
    if (--this.#waiting === 0) this.#total += performance.now() - this.#began
  }

  /** Resolves or rejects with the promise. */
  async until(durable: Promise<void>): Promise<void> {
    this.begin()
    try {
      await durable
    } finally {
      this.end()
    }
  }
}
