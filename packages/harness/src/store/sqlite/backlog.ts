import type { Entry } from "@sotto/core"
import { StoreError } from "../error.js"
import type { Database } from "./database.js"

/** What goes to disk with the entries of one transaction. */
export interface Load {
  /** Inside a transaction. */
  write(sessions: ReadonlyMap<string, readonly Entry[]>): void
  /** The transaction with these sessions is through. */
  written(sessions: Iterable<string>): void
  /** A session is on disk up to and with the entry of this number. */
  durable(sessionId: string, seq: number): void
}

/** Longer than most looks at a file take, and shorter than anybody notices. */
const SOON_MS = 20

const NO_FAILURES: ReadonlyMap<string, unknown> = new Map()

/**
 * Entries that are still to go to disk, of all sessions: in as few transactions as the callers that wait for them
 * allow.
 */
export class Backlog {
  readonly #database: Database
  readonly #load: Load
  readonly #waiting = new Map<string, Entry[]>()
  /** What was committed and may not be on disk yet, in order. */
  readonly #committed: {
    readonly commit: number
    readonly id: string
    readonly entries: readonly Entry[]
    readonly last: number
  }[] = []
  readonly #listeners = new Map<string, (entries: readonly Entry[]) => void>()
  #together: Promise<ReadonlyMap<string, unknown>> | undefined
  #soon: NodeJS.Timeout | undefined

  constructor(database: Database, load: Load) {
    this.#database = database
    this.#load = load
  }

  add(sessionId: string, entries: readonly Entry[]): void {
    const waiting = this.#waiting.get(sessionId)
    if (waiting) waiting.push(...entries)
    else this.#waiting.set(sessionId, [...entries])
  }

  /** Called with the entries of a session that waited, in the moment in which they are on disk. */
  onDurable(sessionId: string, listener: (entries: readonly Entry[]) => void): void {
    this.#listeners.set(sessionId, listener)
  }

  /** Writes all that waits of a session, and what is added now: on return it is on disk. */
  write(sessionId: string, added: readonly Entry[] = []): void {
    const waiting = this.#waiting.get(sessionId)
    const entries = [...(waiting ?? []), ...added]
    if (waiting !== undefined || added.length > 0) this.#commit(new Map([[sessionId, entries]]))
    this.#database.flushNow()
    this.#announce()
  }

  /** Resolves when all that waits of a session is on disk. */
  async durable(sessionId: string): Promise<void> {
    if (this.#waiting.has(sessionId)) {
      const failures = await (this.#listeners.size > 1 ? this.#gathered() : this.#commitAll())
      if (failures.has(sessionId)) throw failures.get(sessionId)
    }
    await this.#flush()
  }

  /** Brings all that waits to disk within milliseconds, unless a caller asks for it sooner. */
  soon(): void {
    this.#soon ??= setTimeout(() => {
      this.#commitAll()
      // What fails, fails again for the caller that waits for it.
      this.#flush().catch(() => {})
    }, SOON_MS)
  }

  /** Drops what still waits of a session, and its listener. */
  forget(sessionId: string): void {
    this.#waiting.delete(sessionId)
    this.#listeners.delete(sessionId)
  }

  /** Ends what is under way. The sessions of which something waits. */
  close(): readonly string[] {
    clearTimeout(this.#soon)
    return [...this.#waiting.keys()]
  }

  #gathered(): Promise<ReadonlyMap<string, unknown>> {
    this.#together ??= this.#commitTogether()
    return this.#together
  }

  /**
   * Others may have something to write in the same breath, or while the disk is busy: what is committed then would have
   * to wait until it is through, and be asked for anew.
   */
  async #commitTogether(): Promise<ReadonlyMap<string, unknown>> {
    await this.#database.flush().catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
    this.#together = undefined
    return this.#commitAll()
  }

  /**
   * Commits all sessions in one transaction; if it fails, each in one of its own, so that no session fails for another.
   */
  #commitAll(): ReadonlyMap<string, unknown> {
    clearTimeout(this.#soon)
    this.#soon = undefined
    if (this.#waiting.size === 0) return NO_FAILURES
    try {
      this.#commit(this.#waiting)
      return NO_FAILURES
    } catch (error) {
      const ids = [...this.#waiting.keys()]
      // What keeps one from writing keeps all of them from it: a lock would be waited for once for each.
      if (error instanceof StoreError && error.code === "unavailable")
        return new Map(ids.map((id) => [id, error]))
      return new Map(ids.flatMap((id) => this.#failureOf(id)))
    }
  }

  #failureOf(sessionId: string): readonly (readonly [string, unknown])[] {
    try {
      this.write(sessionId)
      return []
    } catch (error) {
      return [[sessionId, error]]
    }
  }

  #commit(sessions: ReadonlyMap<string, readonly Entry[]>): void {
    const commit = this.#database.commit(() => this.#load.write(sessions))
    this.#load.written(sessions.keys())
    for (const [id, written] of [...sessions]) {
      const entries = this.#waiting.get(id) ?? []
      const last = written.at(-1)?.seq ?? -1
      this.#waiting.delete(id)
      this.#committed.push({ commit, id, entries, last })
    }
  }

  async #flush(): Promise<void> {
    await this.#database.flush()
    this.#announce()
  }

  /**
   * Announces entries that are on disk. Removes them from here first: a listener that hears of them may have more to
   * add.
   */
  #announce(): void {
    const { flushed } = this.#database
    const open = this.#committed.findIndex(({ commit }) => commit > flushed)
    const durable = this.#committed.splice(0, open < 0 ? this.#committed.length : open)
    for (const { id, last } of durable) this.#load.durable(id, last)
    for (const { id, entries } of durable) if (entries.length > 0) this.#listeners.get(id)?.(entries)
  }
}
