import type { Entry, Next } from "@sotto/core"
import type { Store } from "../store/store.js"
import type { StoreClock } from "../telemetry/store-clock.js"
import type { Tool } from "../tools/tool.js"
import { everyCall } from "./calls.js"

/*
 * Who may act, show or send before the disk has it. `kill -9` at any moment loses nothing that anybody has seen, and runs
 * no command twice, because nothing below happens earlier than this table says.
 *
 * | what happens | when it may happen | by |
 * | --- | --- | --- |
 * | a command of the user takes effect | its entry is on disk; if the store cannot keep it, it throws and did not happen | `command` |
 * | the loop goes on from its own entry: a step, a reply, a result | at once; the entry is on disk within milliseconds | `enter` |
 * | an entry is shown | it is on disk; in the order of the log | `watch` |
 * | a request leaves this machine | all entries before it are on disk; it is made ready meanwhile | `onDisk` |
 * | a call runs that changes something, or that a hook hears of | all entries before it are on disk | `onDisk` |
 * | a call runs that only looks and may be made again | at once: after a crash the model is asked again, and so is the call | `mayRunBeforeDisk` |
 * | a person is asked | all entries before it are on disk and shown | `onDisk`, then the watcher's `flush` |
 * | a turn is said to have ended, at a limit or for want of room | all entries before it are on disk | `onDisk` |
 */

/** Somebody who is shown the entries of a session once they are on disk. */
export interface Watcher {
  show(entry: Entry): void
  /** Shows what is due now. */
  flush(): void
}

/** Brings the entries of one session to disk, as early as the table above asks and no earlier. */
export class Durability {
  readonly #store: () => Store
  /** Entries that came to disk before anybody watched. */
  readonly #unseen: Entry[] = []
  #session: string | undefined
  #watcher: Watcher | undefined
  #clock: StoreClock | undefined
  #isCommand = false

  constructor(store: () => Store) {
    this.#store = store
  }

  /** From here on entries are those of this session. */
  open(session: string): void {
    this.#session = session
    this.#store().onDurable(session, (entries) => this.#show(entries))
  }

  /** Takes the entries of the session as it makes them, before they take effect. */
  append(entries: readonly Entry[]): void {
    if (this.#session === undefined) return
    if (this.#isCommand) {
      this.#appendNow(this.#session, entries)
      this.#show(entries)
    } else this.#store().appendLater(this.#session, entries)
  }

  /** Has the clock measure how long the session waits for the store. */
  measureBy(clock: StoreClock): void {
    this.#clock = clock
  }

  /** Shows every entry once it is on disk, in order; those that are there already first. */
  watch(watcher: Watcher): void {
    this.#watcher = watcher
    this.#show(this.#unseen.splice(0))
  }

  /**
   * Runs a command of the user. Each entry is on disk, with all that was entered before it, when it takes effect, and
   * is shown before the loop continues. If the store cannot keep it, this throws, and the command did not happen: the
   * user may send it again.
   */
  command<T>(command: () => T): T {
    const before = this.#isCommand
    this.#isCommand = true
    let result: T
    try {
      result = command()
    } finally {
      this.#isCommand = before
    }
    this.#watcher?.flush()
    return result
  }

  /**
   * Enters what the loop itself brings. The loop waits for the disk where the table asks for it; somebody who does not
   * run it hands over what to do if the disk fails.
   */
  enter<T>(entry: () => T, failed?: (error: unknown) => void): T {
    const result = entry()
    if (failed !== undefined) this.onDisk().catch(failed)
    else if (this.#session !== undefined) this.#store().writeSoon()
    return result
  }

  /** Resolves when everything that was entered is on disk. */
  onDisk(): Promise<void> {
    if (this.#session === undefined) return Promise.resolve()
    const durable = this.#store().durable(this.#session)
    return this.#clock?.until(durable) ?? durable
  }

  #appendNow(session: string, entries: readonly Entry[]): void {
    this.#clock?.begin()
    try {
      this.#store().append(session, entries)
    } finally {
      this.#clock?.end()
    }
  }

  #show(entries: readonly Entry[]): void {
    if (this.#watcher === undefined) this.#unseen.push(...entries)
    else for (const entry of entries) this.#watcher.show(entry)
  }
}

/**
 * True if what comes next may run before the reply that asks for it is on disk: calls that touch nothing and nobody, and
 * are simply made again after a crash. A call that hooks hear of is no private matter.
 */
export function mayRunBeforeDisk(
  next: Next,
  tools: ReadonlyMap<string, Tool>,
  hooks: { readonly hearOfCalls: boolean },
): boolean {
  if (hooks.hearOfCalls) return false
  return everyCall(next, tools, ({ changes, definition }) => !changes && definition.safeToRepeat === true)
}
