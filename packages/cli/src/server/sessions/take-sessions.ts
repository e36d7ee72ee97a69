import { type Mailbox, reasonOf, type SessionLeases, StoreError, type WaitingSession } from "@sotto/harness"
import { err } from "../../screen/printer.js"

/** How often to look: the store does not tell when a lease has ended. */
const LOOK_MS = 1_000
/** Workers that hear of the same session look at different moments, so that most find it taken already. */
const SPREAD_MS = 100
/** A session that cannot be opened is left alone for so long, and twice as long each time it fails again. */
const FIRST_REST_MS = 5_000
const LONGEST_REST_MS = 5 * 60_000

export interface WaitingParts {
  readonly store: Pick<SessionLeases, "waiting"> & Pick<Mailbox, "onPosted">
  /** Names of the workspaces that this worker has. */
  readonly workspaces: readonly string[]
  /** True if one more session can be run here. */
  hasRoom(): boolean
  /** True if it is run here already. */
  runs(id: string): boolean
  take(session: WaitingSession): Promise<void>
}

/**
 * Takes sessions that wait for a worker: something was posted for them, or the worker that had them has vanished. Of
 * several workers that try, the store lets one have a session.
 */
export class WaitingSessions {
  readonly #parts: WaitingParts
  readonly #resting = new Map<string, { readonly until: number; readonly rest: number }>()
  readonly #looking: NodeJS.Timeout
  readonly #stopListening: () => void
  #soon: NodeJS.Timeout | undefined
  #busy: Promise<void> | undefined
  #isOver = false

  constructor(parts: WaitingParts) {
    this.#parts = parts
    this.#looking = setInterval(() => this.soon(), LOOK_MS).unref()
    this.#stopListening = parts.store.onPosted(() => this.soon())
    this.soon()
  }

  /** Looks in a moment, unless it is about to. */
  soon(): void {
    if (this.#isOver || this.#soon !== undefined) return
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      this.#busy ??= this.#look().finally(() => {
        this.#busy = undefined
      })
    }, Math.random() * SPREAD_MS)
  }

  async close(): Promise<void> {
    this.#isOver = true
    clearInterval(this.#looking)
    clearTimeout(this.#soon)
    this.#stopListening()
    await this.#busy
  }

  async #look(): Promise<void> {
    const { store, workspaces, hasRoom } = this.#parts
    if (!hasRoom()) return
    try {
      for (const session of shuffled(await store.waiting(workspaces))) {
        if (this.#isOver || !hasRoom()) return
        if (!this.#parts.runs(session.id) && !this.#rests(session.id)) await this.#take(session)
      }
    } catch (error) {
      // A session that has something to write reports what is wrong with the store.
      if (!(error instanceof StoreError)) throw error
    }
  }

  async #take(session: WaitingSession): Promise<void> {
    const { id } = session
    try {
      await this.#parts.take(session)
      this.#resting.delete(id)
    } catch (error) {
      // Another worker was first, or the database is away: neither is the session's fault.
      if (error instanceof StoreError && ["locked", "lost", "unavailable"].includes(error.code)) return
      const rest = Math.min(LONGEST_REST_MS, (this.#resting.get(id)?.rest ?? FIRST_REST_MS / 2) * 2)
      this.#resting.set(id, { until: Date.now() + rest, rest })
      err.line(`sotto: session ${id} cannot be gone on with: ${reasonOf(error)}`)
    }
  }

  #rests(id: string): boolean {
    return (this.#resting.get(id)?.until ?? 0) > Date.now()
  }
}

/** Gives each worker another order: two that look at once do not try the same session first. */
function shuffled<T>(list: readonly T[]): readonly T[] {
  return list
    .map((one) => ({ one, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)
}
