import { oneLine } from "./inert.js"

const EVERY = 150

/** One line on standard error that says how far something is. On anything but a terminal it says nothing. */
export class Progress {
  readonly #isOn = process.stderr.isTTY === true && process.env.TERM !== "dumb"
  #shownAt = Number.NEGATIVE_INFINITY
  #isShown = false

  /** Shows the text, if some time has passed since the last one. */
  show(text: () => string): void {
    const now = performance.now()
    if (!this.#isOn || now - this.#shownAt < EVERY) return
    this.#shownAt = now
    this.#isShown = true
    const room = (process.stderr.columns ?? 80) - 1
    process.stderr.write(`\r\u001b[K${oneLine(text()).slice(0, room)}`)
  }

  /** Takes the line away again. */
  done(): void {
    if (this.#isShown) process.stderr.write("\r\u001b[K")
    this.#isShown = false
  }
}
