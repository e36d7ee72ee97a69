import type { Entry } from "@sotto/core"
import { changesIn, conflict, StoreError } from "@sotto/harness/store"
import { type Answer, type Bridge, isUnsure } from "./bridge.js"
import type { Extended, Extension, Kept, TakenSession } from "./messages.js"

/** What the outbox needs to know of the sessions that are open. */
export interface Ownership {
  /** Returns the lease under which a session is written. Throws if the session has none. */
  leaseOf(sessionId: string): TakenSession
  /** Returns the posted command that is being carried out in a session. */
  carried(sessionId: string): string | null
  /** Gives up a session that is not ours any more. Returns the error for every caller that asks for it. */
  lose(sessionId: string, fence: number, why: string): StoreError
  /** Throws if the lease may be over by now. */
  check(sessionId: string, fence: number): void
}

/** What waits of one session. */
interface Waiting {
  readonly entries: Entry[]
  atWork: boolean | null
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

const TAKEN_OVER = "another worker has taken it over"

/**
 * Entries that are still to go to the database, of all sessions. One group is under way at a time; what comes meanwhile
 * goes together in the next one. So a hundred sessions that wait for the database share its round trips.
 */
export class Outbox {
  readonly #bridge: Bridge
  readonly #ownership: Ownership
  readonly #waiting = new Map<string, Waiting>()
  readonly #listeners = new Map<string, (entries: readonly Entry[]) => void>()
  readonly #underWay = new Map<number, Batch>()
  readonly #contents = new Map<string, string>()
  readonly #kept = new Set<string>()
  #waiters: Waiter[] = []
  #gathering: NodeJS.Immediate | undefined
  #soon: NodeJS.Timeout | undefined

  constructor(bridge: Bridge, ownership: Ownership) {
    this.#bridge = bridge
    this.#ownership = ownership
  }

  add(sessionId: string, entries: readonly Entry[]): void {
    this.#waitingOf(sessionId).entries.push(...entries)
  }

  setAtWork(sessionId: string, atWork: boolean): void {
    this.#waitingOf(sessionId).atWork = atWork
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

  /** Writes all that waits of a session, and what is added now: on return the database has it. */
  write(sessionId: string, added: readonly Entry[] = []): void {
    this.#settle(sessionId)
    const waiting = this.#waiting.get(sessionId)
    if (waiting === undefined && added.length === 0) return
    const { entries = [], atWork = null } = waiting ?? {}
    const extension = this.#extensionOf(sessionId, [...entries, ...added], atWork)
    const kept = this.#keptContents()
    try {
      const [result] = this.#bridge.call("write", [[extension], kept])
      if (result !== "written") throw this.#errorOf(extension, result)
    } catch (error) {
      // The caller takes what fails for not having happened. If it may have, only the log can tell: open it again.
      if (added.length === 0 || !isUnsure(error)) throw error
      const why = "the database did not answer, and may or may not have the last entries"
      throw this.#ownership.lose(sessionId, extension.fence, why)
    }
    this.#waiting.delete(sessionId)
    this.#markKept(kept)
    if (entries.length > 0) this.#listeners.get(sessionId)?.(entries)
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
    const isUnderWay = [...this.#underWay.values()].some(({ sessions }) => sessions.has(sessionId))
    if (isUnderWay || this.#waiting.has(sessionId)) await this.durable(sessionId)
  }

  soon(): void {
    this.#soon ??= setTimeout(() => this.#gather(), SOON_MS)
  }

  /** Drops what still waits of a session, and its listener. */
  forget(sessionId: string): void {
    this.#waiting.delete(sessionId)
    this.#listeners.delete(sessionId)
  }

  /** The sessions of which something waits or is under way. */
  unsettled(): readonly string[] {
    const underWay = [...this.#underWay.values()].flatMap(({ sessions }) => [...sessions.keys()])
    return [...new Set([...underWay, ...this.#waiting.keys()])]
  }

  close(): void {
    clearTimeout(this.#soon)
    clearImmediate(this.#gathering)
  }

  #waitingOf(sessionId: string): Waiting {
    const found = this.#waiting.get(sessionId) ?? { entries: [], atWork: null }
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
      const waiting = this.#waiting.get(id) ?? { entries: [], atWork: null }
      try {
        sessions.set(id, { waiting, extension: this.#extensionOf(id, waiting.entries, waiting.atWork) })
        this.#waiting.delete(id)
      } catch (error) {
        // Of a session that was given back nothing is left to write.
        const isNothing = waiting.entries.length === 0 && isNotOpen(error)
        for (const waiter of waiters)
          if (waiter.id === id) isNothing ? waiter.resolve() : waiter.reject(error)
      }
    }
    if (sessions.size === 0) return
    const batch = {
      sessions,
      kept: this.#keptContents(),
      waiters: waiters.filter(({ id }) => sessions.has(id)),
    }
    const extensions = [...sessions.values()].map(({ extension }) => extension)
    let isAnswered = false
    // It may be answered before the number is known, if the thread has failed.
    let number = 0
    number = this.#bridge.ask("write", [extensions, batch.kept], (answer) => {
      isAnswered = true
      this.#underWay.delete(number)
      this.#complete(batch, answer)
      if (this.#underWay.size > 0) return
      if (this.#waiters.length > 0) this.#gathering ??= setImmediate(() => this.#gather())
      // What was to be written soon had to wait for this. What has just failed waits for a caller that asks for it.
      else if (answer.is === "answer" && this.#waiting.size > 0) this.soon()
    })
    if (!isAnswered) this.#underWay.set(number, batch)
  }

  #complete({ sessions, kept, waiters }: Batch, answer: Answer<readonly Extended[]>): void {
    if (answer.is === "failure") {
      for (const [id, { waiting }] of sessions) this.#restore(id, waiting)
      const isForAll = answer.error instanceof StoreError && answer.error.code === "unavailable"
      // What keeps one from writing need not keep the others from it.
      if (sessions.size > 1 && !isForAll)
        for (const id of sessions.keys())
          this.#send(
            [id],
            waiters.filter((waiter) => waiter.id === id),
          )
      else for (const { reject } of waiters) reject(answer.error)
      return
    }
    this.#markKept(kept)
    for (const [i, [id, { waiting, extension }]] of [...sessions].entries()) {
      const result = answer.result[i] ?? "lost"
      const own = waiters.filter((waiter) => waiter.id === id)
      if (result === "written") {
        if (waiting.entries.length > 0) this.#listeners.get(id)?.(waiting.entries)
        this.#confirm(extension, own)
      } else {
        this.#restore(id, waiting)
        const error = this.#errorOf(extension, result)
        for (const { reject } of own) reject(error)
      }
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
  #restore(id: string, { entries, atWork }: Waiting): void {
    if (entries.length === 0 && atWork === null) return
    const now = this.#waiting.get(id)
    this.#waiting.set(id, {
      entries: [...entries, ...(now?.entries ?? [])],
      atWork: now?.atWork ?? atWork,
    })
  }

  /** Waits for what is under way of a session. */
  #settle(sessionId: string): void {
    for (const [number, { sessions }] of [...this.#underWay])
      if (sessions.has(sessionId)) {
        this.#bridge.settle(number)
        if (this.#underWay.has(number)) throw this.#bridge.unavailable("it did not answer in time")
      }
  }

  #extensionOf(session: string, entries: readonly Entry[], atWork: boolean | null): Extension {
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
      carries: this.#ownership.carried(session),
    }
  }

  #errorOf({ session, fence, first }: Extension, result: Extended | undefined): StoreError {
    return result === "conflict" ? conflict(session, first) : this.#ownership.lose(session, fence, TAKEN_OVER)
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

function isNotOpen(error: unknown): boolean {
  return error instanceof StoreError && error.code === "not-open"
}
