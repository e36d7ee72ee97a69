import { type Awaitable, reasonOf } from "@sotto/harness"

/** How something of the store is read for a page, and who is told. */
export interface StoredReadParts<T> {
  read(): Awaitable<T>
  /** What is shown until the first answer is there. */
  readonly meanwhile: T
  /** Has the page drawn again, after an answer that came later. */
  renew(): void
  /** Says what is wrong with the store. */
  tell(why: string): void
}

/**
 * Something of the store that a page shows. A page is drawn at once and never waits: a file of SQLite has answered by
 * then, and for a database elsewhere the page is drawn again when the answer is there.
 */
export class StoredRead<T> {
  readonly #parts: StoredReadParts<T>
  #value: T
  #isReading = false

  constructor(parts: StoredReadParts<T>) {
    this.#parts = parts
    this.#value = parts.meanwhile
  }

  /** The newest answer. */
  get value(): T {
    return this.#value
  }

  /** Asks the store again, unless it is being asked. Returns the newest answer. */
  read(): T {
    if (this.#isReading) return this.#value
    const { read, renew, tell } = this.#parts
    const answer = read()
    if (!(answer instanceof Promise)) {
      this.#value = answer
      return answer
    }
    this.#isReading = true
    void answer
      .then((value) => {
        this.#value = value
        renew()
      })
      .catch((error: unknown) => tell(reasonOf(error)))
      .finally(() => {
        this.#isReading = false
      })
    return this.#value
  }
}
