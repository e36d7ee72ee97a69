import type { Entry } from "@sotto/core"
import type { Awaitable } from "../../platform/awaitable.js"
import type { SessionLeases, SessionLog } from "../../store/contract.js"
import type { StoreError } from "../../store/error.js"
import type { StoreClock } from "../telemetry/telemetry.js"

/** Takes in the entries of a session once they are on disk. */
export interface Watcher {
  /** Keeps the entry to show it. It must not call back into the session: a command may be under way. */
  show(entry: Entry): void
}

/** Passes entries on to the watcher, in the order in which they came to disk; those from before there was one first. */
class DurableEntries {
  readonly #unseen: Entry[] = []
  #watcher: Watcher | undefined
  /** How many entries of the log are on disk. */
  length = 0

  watch(watcher: Watcher): void {
    this.#watcher = watcher
    this.#pass(this.#unseen.splice(0))
  }

  add(entries: readonly Entry[]): void {
    this.length += entries.length
    this.#pass(entries)
  }

  #pass(entries: readonly Entry[]): void {
    if (this.#watcher === undefined) this.#unseen.push(...entries)
    else for (const entry of entries) this.#watcher.show(entry)
  }
}

/** A way of entries to the disk. */
type Way = (session: string, entries: readonly Entry[]) => void

/**
 * Takes the entries of one session as it makes them, and hands them to the store. It calls the store and the watcher,
 * and nothing that could lead back to it.
 */
export class LogWriter {
  readonly #store: () => SessionLog & SessionLeases
  readonly #durable = new DurableEntries()
  #session: string | undefined
  #lost: StoreError | undefined
  #isKept = true
  /** Counts the commands that had to wait for the store. */
  #newest = 0
  #clock: StoreClock | undefined
  #way: Way = this.#later

  constructor(store: () => SessionLog & SessionLeases) {
    this.#store = store
  }

  /** The session whose entries these are; undefined until the store has it. */
  get session(): string | undefined {
    return this.#session
  }

  /** Opens a session: from here on entries are those of this session. `length` is how many the store has of it. */
  open(session: string, length: number): void {
    this.#session = session
    this.#durable.length = length
    this.#store().onDurable(session, (entries) => this.#durable.add(entries))
  }

  /** How many entries of the log are on disk. */
  get length(): number {
    return this.#durable.length
  }

  watch(watcher: Watcher): void {
    this.#durable.watch(watcher)
  }

  /** False if entries of a command may still be on their way to the disk. */
  get isKept(): boolean {
    return this.#isKept
  }

  /** Has the clock measure how long commands wait for the store. */
  measureBy(clock: StoreClock): void {
    this.#clock = clock
  }

  /** Refuses every entry from here on with this error. */
  close(lost: StoreError): void {
    this.#lost = lost
  }

  /** Takes entries from the session before they take effect: if this throws, they do not happen. */
  append(entries: readonly Entry[]): void {
    if (this.#session === undefined) throw new Error("The store has no session to append to yet.")
    if (this.#lost !== undefined) throw this.#lost
    this.#way(this.#session, entries)
  }

  /**
   * Runs a command. Each of its entries is on disk when it takes effect, or on its way there: see `isKept`. A command
   * inside a command is refused.
   */
  command<T>(command: () => T): T {
    if (this.#way === this.#now) throw new Error("A command was begun inside another command.")
    this.#way = this.#now
    try {
      return command()
    } finally {
      this.#way = this.#later
    }
  }

  #later(session: string, entries: readonly Entry[]): void {
    this.#store().appendLater(session, entries)
  }

  #now(session: string, entries: readonly Entry[]): void {
    this.#clock?.begin()
    let kept: Awaitable<void>
    try {
      kept = this.#store().append(session, entries)
    } finally {
      this.#clock?.end()
    }
    if (kept === undefined) this.#durable.add(entries)
    else this.#await(kept)
  }

  /** Notes when the newest command is on disk. A failure is told to those who ask for the disk, and who ask again. */
  #await(kept: Promise<void>): void {
    const number = ++this.#newest
    this.#isKept = false
    kept.then(
      () => {
        if (number === this.#newest) this.#isKept = true
      },
      () => {},
    )
  }
}
