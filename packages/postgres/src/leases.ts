import type { Address } from "@sotto/harness/store"
import type { Connection } from "./connection.js"
import { quoted } from "./migrate.js"

/** The store that holds leases: who it is, for the database and for others who look. */
export interface LeaseHolder {
  readonly address: Address
  /** Known only to one open store: two in the same process are two holders. */
  readonly token: string
  /** The name that the worker was started with; empty without one. */
  readonly worker: string
  readonly pid: number
  readonly host: string
  /** A switch for tests that want to see what fencing prevents: appends then check neither the fence nor the time. */
  readonly noFencing: boolean
}

/** A session that was taken. */
export interface TakenSession {
  readonly key: number
  readonly fence: number
}

/** How long this process may take a session for its own. */
export class LeaseTerm {
  #end = 0n
  #isLost = false

  /** Nanoseconds, by `process.hrtime.bigint()`: a clock that goes on while the process is stopped. */
  get end(): bigint {
    return this.#end
  }

  get holds(): boolean {
    return !this.#isLost && process.hrtime.bigint() < this.#end
  }

  prolong(end: bigint): void {
    // An answer that comes late must not shorten what a later one has granted.
    if (end > this.#end) this.#end = end
  }

  lose(): void {
    this.#isLost = true
  }
}

/** A lease that this store has. */
interface Held extends TakenSession {
  readonly session: string
  readonly term: LeaseTerm
}

/** Clocks do not run equally fast: the lease is taken for over a little sooner than the database says. */
const MARGIN = 0.1

/** How often leases are prolonged, as a part of their length: a thread that computes for half of it loses none. */
const RENEWAL = 1 / 4
/** How soon to ask again after the database could not be asked, as a part of a lease's length. */
const RETRY = 1 / 40

export const TAKEN_OVER = "another worker has taken it over"
export const ENDED = "the lease ended before the database could be asked to prolong it"

type LossListener = (session: string, fence: number, why: string) => void

/**
 * The leases of one store. Time is the database's: a lease ends when `until` has passed there. The store knows no more
 * than that each one lasts for its whole length from before it was asked for, by a clock that never stops. They are
 * prolonged by the thread that does the work: one that hangs loses its sessions to workers that live.
 */
export class Leases {
  readonly #connection: Connection
  readonly #holder: LeaseHolder
  readonly #onLost: LossListener
  readonly #held = new Map<number, Held>()
  readonly #ending: NodeJS.Timeout
  #renewal: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(connection: Connection, holder: LeaseHolder, onLost: LossListener) {
    this.#connection = connection
    this.#holder = holder
    this.#onLost = onLost
    const { leaseMs } = holder.address
    // Leases alone keep no process alive.
    this.#ending = setInterval(() => this.#giveUpEnded(), Math.max(20, leaseMs / 40)).unref()
    this.#renewIn(leaseMs * RENEWAL)
  }

  get #table(): string {
    return `${quoted(this.#holder.address.schema)}.leases`
  }

  /** Returns the key of a session that is ours, and that no other worker can remove therefore. */
  keyOf(session: string): number | undefined {
    for (const held of this.#held.values()) if (held.session === session) return held.key
    return undefined
  }

  /**
   * Takes the lease of a session, unless another holder's lease lasts: undefined then. The conflicting row is locked
   * and then looked at, so two takers come one after the other, and so do a taker and an append. Releases keep the row,
   * so the fence never goes back. A lease of this very store can be taken again: a caller that lost it here asks for it
   * anew.
   */
  async take(key: number, session: string, term: LeaseTerm | undefined): Promise<TakenSession | undefined> {
    const before = process.hrtime.bigint()
    const { token, worker, pid, host, address } = this.#holder
    const [row] = await this.#connection.rows(
      `INSERT INTO ${this.#table} AS l (session, fence, token, worker, pid, host, until)
         VALUES ($1, 1, $2, $3, $4, $5, clock_timestamp() + $6 * interval '1 millisecond')
         ON CONFLICT (session) DO UPDATE SET fence = l.fence + 1, token = excluded.token, worker = excluded.worker,
           pid = excluded.pid, host = excluded.host, until = clock_timestamp() + $6 * interval '1 millisecond', asking = NULL
         WHERE l.until < clock_timestamp() OR l.token = excluded.token
         RETURNING fence`,
      [key, token, worker, pid, host, address.leaseMs],
    )
    if (row === undefined) return undefined
    const taken = { key, fence: Number(row.fence) }
    if (term !== undefined) this.hold(session, taken, term, before)
    return taken
  }

  /** Remembers a lease that was granted, and prolongs it from now on. */
  hold(session: string, { key, fence }: TakenSession, term: LeaseTerm, before: bigint): void {
    this.#held.set(key, { key, fence, session, term })
    this.granted(key, fence, before)
  }

  /** Notes that the database has just prolonged a lease. `before` is the time before the database was asked. */
  granted(key: number, fence: number, before: bigint): void {
    const held = this.#held.get(key)
    if (held?.fence !== fence) return
    const { address, noFencing } = this.#holder
    const lasts = noFencing ? 1e9 : address.leaseMs * (1 - MARGIN)
    held.term.prolong(before + BigInt(Math.round(lasts * 1e6)))
  }

  /** Notes a loss: the database says that the fence is another, or that the time has passed. */
  lost(key: number, fence: number, why = TAKEN_OVER): void {
    const held = this.#held.get(key)
    if (held?.fence !== fence || this.#holder.noFencing) return
    this.#held.delete(key)
    held.term.lose()
    this.#onLost(held.session, fence, why)
  }

  /** Gives a lease back. What cannot be given back ends by itself. */
  async release({ key, fence }: TakenSession): Promise<void> {
    if (this.#held.get(key)?.fence === fence) this.#held.delete(key)
    await this.#connection.rows(
      `UPDATE ${this.#table} SET until = '-infinity', token = '', asking = NULL WHERE session = $1 AND fence = $2`,
      [key, fence],
    )
  }

  /** Stops prolonging a lease, without asking the database for anything. */
  forget({ key, fence }: TakenSession): void {
    if (this.#held.get(key)?.fence === fence) this.#held.delete(key)
  }

  async releaseAll(): Promise<void> {
    const held = [...this.#held.values()]
    this.#held.clear()
    if (held.length === 0) return
    await this.#connection.rows(
      `UPDATE ${this.#table} l SET until = '-infinity', token = '', asking = NULL
         FROM unnest($1::bigint[], $2::bigint[]) AS g (session, fence) WHERE l.session = g.session AND l.fence = g.fence`,
      [held.map(({ key }) => key), held.map(({ fence }) => fence)],
    )
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#ending)
    clearTimeout(this.#renewal)
  }

  #renewIn(ms: number): void {
    if (this.#isClosed) return
    this.#renewal = setTimeout(async () => {
      const { leaseMs } = this.#holder.address
      this.#renewIn(leaseMs * ((await this.#renew()) ? RENEWAL : RETRY))
    }, ms).unref()
  }

  /** Prolongs all leases. Returns false if the database could not be asked: they end if this goes on. */
  async #renew(): Promise<boolean> {
    const held = [...this.#held.values()]
    if (held.length === 0) return true
    const before = process.hrtime.bigint()
    try {
      const rows = await this.#connection.rows(
        `UPDATE ${this.#table} l SET until = clock_timestamp() + $3 * interval '1 millisecond'
           FROM unnest($1::bigint[], $2::bigint[]) AS g (session, fence)
           WHERE l.session = g.session AND l.fence = g.fence AND l.until > clock_timestamp() RETURNING l.session`,
        [held.map(({ key }) => key), held.map(({ fence }) => fence), this.#holder.address.leaseMs],
      )
      const ours = new Set(rows.map(({ session }) => Number(session)))
      for (const { key, fence } of held) {
        if (ours.has(key)) this.granted(key, fence, before)
        else this.lost(key, fence)
      }
      return true
    } catch {
      return false
    }
  }

  #giveUpEnded(): void {
    const now = process.hrtime.bigint()
    for (const { key, fence, term } of [...this.#held.values()])
      if (now >= term.end) this.lost(key, fence, ENDED)
  }
}
