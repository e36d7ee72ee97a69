import type { Entry } from "@sotto/core"
import type { Store } from "../store/store.js"

/** Where the entries of one session go: to disk before anybody acts on them or sees them. */
export class Journal {
  readonly #store: () => Store
  readonly #waiting: Entry[] = []
  #session: string | undefined
  #isCommand = false
  #show: (entries: readonly Entry[]) => void = (entries) => this.#waiting.push(...entries)

  constructor(store: () => Store) {
    this.#store = store
  }

  /** From here on entries are those of this session. */
  open(session: string): void {
    this.#session = session
    this.#store().onDurable(session, (entries) => this.#show(entries))
  }

  enter(entries: readonly Entry[]): void {
    if (this.#session === undefined) return
    if (this.#isCommand) this.#commit(this.#session, entries)
    else this.#store().appendLater(this.#session, entries)
  }

  /**
   * Runs a command of the user. Each entry is on disk, with all that was entered before it, when it takes effect. If it
   * cannot be written, this throws, and the command did not happen.
   */
  command<T>(command: () => T): T {
    const before = this.#isCommand
    this.#isCommand = true
    try {
      return command()
    } finally {
      this.#isCommand = before
    }
  }

  #commit(session: string, entries: readonly Entry[]): void {
    this.#store().append(session, entries)
    this.#show(entries)
  }

  /** Shows every entry once it is on disk, in order; what is there already first. */
  onDurable(show: (entry: Entry) => void): void {
    this.#show = (entries) => {
      for (const entry of entries) show(entry)
    }
    this.#show(this.#waiting.splice(0))
  }

  /** Has everything that was entered go to disk, and be shown, within milliseconds. */
  soon(): void {
    if (this.#session !== undefined) this.#store().writeSoon()
  }

  /** Resolves when everything that was entered is on disk, and was shown. */
  durable(): Promise<void> {
    return this.#session === undefined ? Promise.resolve() : this.#store().durable(this.#session)
  }
}
