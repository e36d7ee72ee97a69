/** Milliseconds between two frames of what changes by itself: text that streams in, clocks, spinners. */
const STREAMING = 34
/** Milliseconds between two frames that show keys. Together they stay below sixty a second. */
const TYPING = 17

/** Says when to draw: soon and not too often what happens, at once what is typed. */
export class Pace {
  readonly #draw: () => void
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined
  #due = Number.POSITIVE_INFINITY
  #drawn = Number.NEGATIVE_INFINITY
  #typed = Number.NEGATIVE_INFINITY

  constructor(draw: () => void, now: () => number = () => performance.now()) {
    this.#draw = draw
    this.#now = now
  }

  later(): void {
    this.#at(Math.max(this.#now() + 1, this.#drawn + STREAMING))
  }

  /** Draws at once where it can: the user has pressed a key, and waits. */
  now(): void {
    const now = this.#now()
    if (now - this.#typed < TYPING) this.#at(this.#typed + TYPING)
    else {
      this.#typed = now
      this.#run()
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#due = Number.POSITIVE_INFINITY
  }

  #at(time: number): void {
    if (time >= this.#due) return
    clearTimeout(this.#timer)
    this.#due = time
    this.#timer = setTimeout(() => this.#run(), Math.max(0, time - this.#now()))
  }

  #run(): void {
    this.stop()
    this.#drawn = this.#now()
    this.#draw()
  }
}
