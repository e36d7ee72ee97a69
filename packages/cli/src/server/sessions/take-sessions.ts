import { type Mailbox, reasonOf, type SessionLeases, StoreError, type WaitingSession } from "@sotto/harness"
import { err } from "../../screen/printer.js"

/** How often to look: the store does not tell when a lease has ended. */
const LOOK_MS = 1_000
/** Workers that hear of the same session look at different moments, so that most find it taken already. */
const SPREAD_MS = 100
/** A worker looks later by this for each session that it has at work, up to `MOST`: those with less to do come first. */
const LOAD_MS = 10
const MOST = 10
/** A session that cannot be opened is left alone for so long, and twice as long each time it fails again. */
const FIRST_REST_MS = 5_000
const LONGEST_REST_MS = 5 * 60_000

export interface WaitingParts {
  readonly store: Pick<SessionLeases, "waiting"> & Pick<Mailbox, "onPosted">
  /** Names of the workspaces that this worker has. */
  readonly workspaces: readonly string[]
  /** True if one more session can be run here. */
  hasRoom(): boolean
  /** How many sessions are at work here. */
  load(): number
  /** True if it is run here already. */
  runs(id: string): boolean
  take(session: WaitingSession): Promise<void>
}

/**
 * Takes sessions that wait for a worker: something was posted for them, or the worker that had them has vanished. Of
 * several workers that try, the store lets one have a session. It takes one at a time, and then lets others look, so
 * that what a dead worker had is spread over all that live.
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
    this.#soon = setTimeout(
      () => {
        this.#soon = undefined
        this.#busy ??= this.#look().finally(() => {
          this.#busy = undefined
        })
      },
      Math.random() * SPREAD_MS + Math.min(this.#parts.load(), MOST) * LOAD_MS,
    )
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
        if (this.#parts.runs(session.id) || this.#rests(session.id)) continue
        if (await this.#take(session)) return this.soon()
      }
    } catch (error) {
      // The store itself says that it cannot be reached.
      if (!(error instanceof StoreError)) err.line(`sotto: waiting sessions: ${reasonOf(error)}`)
    }
  }

  /** Takes a session. Returns false if it cannot be had. */
  async #take(session: WaitingSession): Promise<boolean> {
    const { id } = session
    try {
      await this.#parts.take(session)
      this.#resting.delete(id)
      return true
    } catch (error) {
      // Another worker was first, or the database is away: neither is the session's fault.
      if (error instanceof StoreError && ["locked", "lost", "unavailable"].includes(error.code)) return false
      const rest = Math.min(LONGEST_REST_MS, (this.#resting.get(id)?.rest ?? FIRST_REST_MS / 2) * 2)
      this.#resting.set(id, { until: Date.now() + rest, rest })
      err.line(`sotto: session ${id} cannot be gone on with: ${reasonOf(error)}`)
      return false
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
