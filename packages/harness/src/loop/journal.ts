import type { Entry } from "@sotto/core"

/** Makes entries durable: each before anybody acts on it, and as many as possible at once. */
export class Journal {
  readonly #fresh: Entry[] = []
  #write: (entries: readonly Entry[]) => void = () => undefined
  #writeLater: (entries: readonly Entry[]) => void = () => undefined
  #lazy = false
  #owes = false

  /** What is entered by this goes to disk with what is entered next, or when it is to be shown. */
  lazily(work: () => void): void {
    this.#lazy = true
    try {
      work()
    } finally {
      this.#lazy = false
    }
  }

  /** The entries that nobody has been shown yet: all of them are on disk now. */
  takeFresh(): readonly Entry[] {
    if (this.#owes) this.#writeNow([])
    return this.#fresh.splice(0)
  }

  /** Takes the place where entries go, once it is known. */
  open(write: (entries: readonly Entry[]) => void, writeLater: (entries: readonly Entry[]) => void): void {
    this.#write = write
    this.#writeLater = writeLater
  }

  enter(entries: readonly Entry[]): void {
    const isWaiting = this.#lazy || entries.every(isQuiet)
    if (isWaiting) this.#writeLater(entries)
    else this.#writeNow(entries)
    this.#owes ||= this.#lazy
    this.#fresh.push(...entries)
  }

  #writeNow(entries: readonly Entry[]): void {
    this.#write(entries)
    this.#owes = false
  }
}

/** What was seen goes to disk with what is done about it: nobody acts on it before that. */
function isQuiet({ type }: Entry): boolean {
  return type === "observed" || type === "noted"
}
