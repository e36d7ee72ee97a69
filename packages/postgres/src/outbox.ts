import type { Entry } from "@sotto/core"
import { changesIn, conflict, lostSession, StoreError } from "@sotto/harness/store"
import { Away } from "./connection.js"
import type { CarriedCommand, Extended, Extension, Kept } from "./entry-writer.js"
import { TAKEN_OVER, type TakenSession } from "./leases.js"

/** What the outbox needs to know of the sessions that are open. */
export interface Ownership {
  /** Returns the lease under which a session is written. Throws if the session has none. */
  leaseOf(sessionId: string): TakenSession
  /**
   * Gives up a session that is not ours any more. Returns the error for every caller that asks for it. `unsure` says
   * that the database may have what was sent.
   */
  lose(sessionId: string, fence: number, why: string, unsure: boolean): StoreError
  /** Throws if the lease may be over by now. */
  check(sessionId: string, fence: number): void
}

/** What waits of one session. */
interface Waiting {
  readonly entries: Entry[]
  atWork: boolean | null
  /** What became of posted commands, by their ids, as JSON. */
  readonly carried: Map<string, string>
  /** True if it was sent, and the database may or may not have it. */
  isUnsure: boolean
}

interface Batch {
  readonly sessions: ReadonlyMap<string, { readonly waiting: Waiting; readonly extension: Extension }>
  readonly kept: readonly Kept[]
  readonly waiters: readonly Waiter[]
}

interface Waiter {
  readonly id: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Longer than most looks at a file take, and shorter than anybody notices. */
const SOON_MS = 20

/** How soon to write again what could not be written. */
const AGAIN_MS = 250

type Write = (extensions: readonly Extension[], kept: readonly Kept[]) => Promise<readonly Extended[]>

/**
 * Entries that are still to go to the database, of all sessions. One group is under way at a time; what comes meanwhile
 * goes together in the next one. So a hundred sessions that wait for the database share its round trips. What could not
 * be written is tried again until it is there, or the session is lost.
 */
export class Outbox {
  readonly #write: Write
  readonly #ownership: Ownership
  readonly #waiting = new Map<string, Waiting>()
  readonly #listeners = new Map<string, (entries: readonly Entry[]) => void>()
  readonly #underWay = new Set<Batch>()
  readonly #contents = new Map<string, string>()
  readonly #kept = new Set<string>()
  #waiters: Waiter[] = []
  #gathering: NodeJS.Immediate | undefined
  #soon: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(write: Write, ownership: Ownership) {
    this.#write = write
    this.#ownership = ownership
  }

  add(sessionId: string, entries: readonly Entry[]): void {
    this.#waitingOf(sessionId).entries.push(...entries)
  }

  setAtWork(sessionId: string, atWork: boolean): void {
    this.#waitingOf(sessionId).atWork = atWork
  }

  /** Marks a posted command as carried out, in the statement that writes the entries of this breath. */
  carry(sessionId: string, { id, outcome }: CarriedCommand): void {
    this.#waitingOf(sessionId).carried.set(id, outcome)
  }

  /** True if the database may or may not have something that still waits. */
  isUnsure(sessionId: string): boolean {
    const underWay = [...this.#underWay].some(({ sessions }) => sessions.has(sessionId))
    return underWay || this.#waiting.get(sessionId)?.isUnsure === true
  }

  keep(hash: string, text: string): void {
    if (!this.#kept.has(hash)) this.#contents.set(hash, text)
  }

  /** Returns a text that still waits. */
  content(hash: string): string | undefined {
    return this.#contents.get(hash)
  }

  onDurable(sessionId: string, listener: (entries: readonly Entry[]) => void): void {
    this.#listeners.set(sessionId, listener)
  }

  /** Resolves when the database has all that waits of a session, and has confirmed that the session is ours. */
  durable(sessionId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ id: sessionId, resolve, reject })
      // Others may have something to write in the same breath.
      this.#gathering ??= setImmediate(() => this.#gather())
    })
  }

  /** Resolves when nothing of a session waits any more, or is under way. */
  async settled(sessionId: string): Promise<void> {
    const isUnderWay = [...this.#underWay].some(({ sessions }) => sessions.has(sessionId))
    if (isUnderWay || this.#waiting.has(sessionId)) await this.durable(sessionId)
  }

  soon(ms = SOON_MS): void {
    this.#soon ??= setTimeout(() => this.#gather(), ms)
  }

  /** Drops what still waits of a session, and its listener. Callers that wait for it must not take it for written. */
  forget(sessionId: string): void {
    const dropped = this.#waiting.get(sessionId)
    this.#waiting.delete(sessionId)
    this.#listeners.delete(sessionId)
    if (dropped === undefined || (dropped.entries.length === 0 && dropped.carried.size === 0)) return
    const error = lostSession(sessionId, "it was given back", dropped.isUnsure)
    for (const { id, reject } of this.#waiters) if (id === sessionId) reject(error)
    this.#waiters = this.#waiters.filter(({ id }) => id !== sessionId)
  }

  /** Lists the sessions of which something waits or is under way. */
  unsettled(): readonly string[] {
    const underWay = [...this.#underWay].flatMap(({ sessions }) => [...sessions.keys()])
    return [...new Set([...underWay, ...this.#waiting.keys()])]
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#soon)
    clearImmediate(this.#gathering)
  }

  #waitingOf(sessionId: string): Waiting {
    const found = this.#waiting.get(sessionId) ?? nothing()
    this.#waiting.set(sessionId, found)
    return found
  }

  #gather(): void {
    clearTimeout(this.#soon)
    clearImmediate(this.#gathering)
    this.#soon = undefined
    this.#gathering = undefined
    if (this.#underWay.size > 0) return
    const waiters = this.#waiters
    this.#waiters = []
    this.#send(new Set([...this.#waiting.keys(), ...waiters.map(({ id }) => id)]), waiters)
  }

  /** Sends one statement for these sessions. Those that cannot be written at all fail here. */
  #send(ids: Iterable<string>, waiters: readonly Waiter[]): void {
    const sessions = new Map<string, { waiting: Waiting; extension: Extension }>()
    for (const id of ids) {
      const waiting = this.#waiting.get(id) ?? nothing()
      this.#waiting.delete(id)
      try {
        sessions.set(id, { waiting, extension: this.#extensionOf(id, waiting) })
      } catch (error) {
        // Also of a session that was given back: a caller may still take something for written that was dropped.
        for (const waiter of waiters) if (waiter.id === id) waiter.reject(error)
      }
    }
    if (sessions.size === 0) return
    const batch = {
      sessions,
      kept: this.#keptContents(),
      waiters: waiters.filter(({ id }) => sessions.has(id)),
    }
    this.#underWay.add(batch)
    void this.#carry(batch)
  }

  async #carry(batch: Batch): Promise<void> {
    const extensions = [...batch.sessions.values()].map(({ extension }) => extension)
    const { results, error } = await this.#write(extensions, batch.kept).then(
      (results) => ({ results, error: undefined }),
      (error: unknown) => ({ results: undefined, error }),
    )
    this.#underWay.delete(batch)
    if (results !== undefined) this.#complete(batch, results)
    else this.#failed(batch, error)
    if (this.#isClosed || this.#underWay.size > 0) return
    if (this.#waiters.length > 0) this.#gathering ??= setImmediate(() => this.#gather())
    // What was to be written soon had to wait for this.
    else if (this.#waiting.size > 0) this.soon(results === undefined ? AGAIN_MS : SOON_MS)
  }

  #failed({ sessions, waiters }: Batch, error: unknown): void {
    const isUnsure = error instanceof StoreError && error.unsure === true
    for (const [id, { waiting, extension }] of sessions)
      if (this.#isCurrent(extension))
        this.#restore(id, { ...waiting, isUnsure: waiting.isUnsure || isUnsure })
    // What keeps one from writing need not keep the others from it.
    if (sessions.size > 1 && !(error instanceof Away))
      for (const id of sessions.keys())
        this.#send(
          [id],
          waiters.filter((waiter) => waiter.id === id),
        )
    else for (const { reject } of waiters) reject(error)
  }

  #complete({ sessions, kept, waiters }: Batch, results: readonly Extended[]): void {
    this.#markKept(kept)
    for (const [i, [id, { waiting, extension }]] of [...sessions].entries()) {
      const result = results[i] ?? "lost"
      const own = waiters.filter((waiter) => waiter.id === id)
      if (result === "written") {
        if (waiting.entries.length > 0 && this.#isCurrent(extension))
          this.#listeners.get(id)?.(waiting.entries)
        this.#confirm(extension, own)
      } else {
        // They cannot follow what the log has by now.
        const error = this.#errorOf(extension, result, waiting.isUnsure)
        for (const { reject } of own) reject(error)
      }
    }
  }

  /** False if the session was given back meanwhile, or opened anew: what is left of it is not the new owner's. */
  #isCurrent({ session, fence }: Extension): boolean {
    try {
      return this.#ownership.leaseOf(session).fence === fence
    } catch {
      return false
    }
  }

  #confirm({ session, fence }: Extension, waiters: readonly Waiter[]): void {
    for (const { resolve, reject } of waiters)
      try {
        this.#ownership.check(session, fence)
        resolve()
      } catch (error) {
        reject(error)
      }
  }

  /** Puts what could not be written back in front of what was added since. */
  #restore(id: string, { entries, atWork, carried, isUnsure }: Waiting): void {
    if (entries.length === 0 && atWork === null && carried.size === 0) return
    const now = this.#waiting.get(id) ?? nothing()
    this.#waiting.set(id, {
      entries: [...entries, ...now.entries],
      atWork: now.atWork ?? atWork,
      carried: new Map([...carried, ...now.carried]),
      isUnsure,
    })
  }

  #extensionOf(session: string, { entries, atWork, carried }: Waiting): Extension {
    const first = entries[0]?.seq ?? 0
    for (const [i, { seq }] of entries.entries()) if (seq !== first + i) throw conflict(session, seq)
    const { agent, model, messages } = changesIn(entries)
    return {
      session,
      ...this.#ownership.leaseOf(session),
      first,
      bodies: entries.map((entry) => JSON.stringify(entry)),
      updated: entries.at(-1)?.at ?? 0,
      ...{ agent, model, messages, atWork },
      carried: [...carried].map(([id, outcome]) => ({ id, outcome })),
    }
  }

  #errorOf({ session, fence, first }: Extension, result: Extended, isUnsure: boolean): StoreError {
    return result === "conflict"
      ? conflict(session, first)
      : this.#ownership.lose(session, fence, TAKEN_OVER, isUnsure || result === "unsure")
  }

  #keptContents(): readonly Kept[] {
    return [...this.#contents]
      .map(([hash, text]) => ({ hash, text }))
      .sort((a, b) => (a.hash < b.hash ? -1 : 1))
  }

  #markKept(kept: readonly Kept[]): void {
    for (const { hash } of kept) {
      this.#contents.delete(hash)
      this.#kept.add(hash)
    }
  }
}

function nothing(): Waiting {
  return { entries: [], atWork: null, carried: new Map(), isUnsure: false }
}
