import type { Entry, Event } from "../log/entry.js"
import { isThenable } from "../vocabulary/synchronous.js"
import { advance } from "./advance.js"
import type { SessionConfig, SessionOptions } from "./options.js"
import { refusals } from "./refusals.js"
import { type EngineState, emptyState } from "./state.js"

/** The log of a session, and the state that follows from it. Nothing else appends an entry. */
export class Journal {
  readonly #options: SessionOptions
  readonly #config: SessionConfig
  readonly #log: Entry[] = []
  #state: EngineState
  /** Entries of commands that are run together, and have yet to be made durable. */
  #gathered: Entry[] | undefined
  /** A command is running. */
  #isBusy = false
  readonly #watchers = new Set<() => void>()
  /** So long was the log when the watchers were last told. */
  #told = 0

  constructor(options: SessionOptions, config: SessionConfig, log: readonly Entry[]) {
    this.#options = options
    this.#config = config
    this.#state = this.#emptyState()
    for (const entry of log) this.#take(entry)
    this.#told = log.length
  }

  get log(): readonly Entry[] {
    return this.#log
  }

  get state(): EngineState {
    return this.#state
  }

  /**
   * Runs a command. While it runs it calls what others wrote: `onAppend`, rules, `countTokens`, `now`, getters of its
   * input. A command of theirs would find the session between two entries, so it is refused; they may ask what they like.
   */
  command<T>(run: () => T): T {
    if (this.#isBusy) throw refusals.reentrant()
    this.#isBusy = true
    let result: T
    try {
      result = run()
    } finally {
      this.#isBusy = false
    }
    this.#tell()
    return result
  }

  /** Runs several commands as one: `onAppend` gets all their entries after the last, and all of them happen or none. */
  together<T>(commands: () => T): T {
    if (this.#isBusy) throw refusals.reentrant()
    if (this.#gathered !== undefined) return commands()
    const before = this.#log.length
    let done: T
    this.#gathered = []
    try {
      const result = commands()
      if (isThenable(result)) throw refusals.notSynchronous("The function given to together()")
      const entries = this.#gathered
      if (entries.length > 0) this.command(() => this.#write(entries))
      done = result
    } catch (error) {
      if (this.#log.length > before) this.#goBackTo(before)
      throw error
    } finally {
      this.#gathered = undefined
    }
    this.#tell()
    return done
  }

  watch(listener: () => void): () => void {
    this.#watchers.add(listener)
    return () => this.#watchers.delete(listener)
  }

  /** Makes an entry durable, and then lets it take effect. */
  append(event: Event): void {
    const entry: Entry = { ...event, seq: this.#state.seq, at: this.#config.now() }
    if (this.#gathered === undefined) this.#write([entry])
    else this.#gathered.push(entry)
    this.#take(entry)
  }

  /** Takes in entries that another program made durable. Returns false at the first that does not follow. */
  follow(entries: readonly Entry[]): boolean {
    for (const entry of entries) {
      if (entry.seq !== this.#state.seq) return false
      this.#take(entry)
    }
    return true
  }

  /** Tells the watchers that the log has changed. What is run together is told of at its end. */
  #tell(): void {
    if (this.#gathered !== undefined || this.#told === this.#log.length) return
    this.#told = this.#log.length
    for (const watcher of this.#watchers) watcher()
  }

  #write(entries: readonly Entry[]): void {
    if (isThenable(this.#options.onAppend?.(entries))) throw refusals.notSynchronous("onAppend")
  }

  /** Goes back to the first `length` entries, as if the others had never been. */
  #goBackTo(length: number): void {
    const kept = this.#log.splice(0).slice(0, length)
    this.#state = this.#emptyState()
    for (const entry of kept) this.#take(entry)
  }

  #emptyState(): EngineState {
    return emptyState(this.#options.channelsWake ?? false)
  }

  #take(entry: Entry): void {
    this.#state = advance(this.#state, entry, this.#log)
    this.#log.push(entry)
  }
}
