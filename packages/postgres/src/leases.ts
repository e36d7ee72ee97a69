import type { Connection } from "./connection.js"
import { type Heard, LeaseCell, type TakenSession, type ThreadStart } from "./messages.js"
import { quoted } from "./migrate.js"

/** A lease that this store has. */
interface Held extends TakenSession {
  readonly session: string
  readonly cell: LeaseCell
}

/** Clocks do not run equally fast: the lease is taken for over a little sooner than the database says. */
const MARGIN = 0.1

const TAKEN_OVER = "another worker has taken it over"
const ENDED = "the lease ended before the database could be asked to prolong it"

/**
 * The leases of one store. Time is the database's: a lease ends when `until` has passed there. The store knows no more
 * than that each one lasts for its whole length from before it was asked for, by a clock that never stops.
 */
export class Leases {
  readonly #connection: Connection
  readonly #start: ThreadStart
  readonly #tell: (heard: Heard) => void
  readonly #held = new Map<number, Held>()
  readonly #timers: readonly NodeJS.Timeout[]
  #renewing = false

  constructor(connection: Connection, start: ThreadStart, tell: (heard: Heard) => void) {
    this.#connection = connection
    this.#start = start
    this.#tell = tell
    const { leaseMs } = start.address
    this.#timers = [
      setInterval(() => void this.#renew(), leaseMs / 3),
      setInterval(() => this.#giveUpEnded(), Math.max(20, leaseMs / 40)),
    ]
  }

  get #table(): string {
    return `${quoted(this.#start.address.schema)}.leases`
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
  async take(
    key: number,
    session: string,
    cell: SharedArrayBuffer | undefined,
  ): Promise<TakenSession | undefined> {
    const before = process.hrtime.bigint()
    const { token, worker, pid, host, address } = this.#start
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
    if (cell !== undefined) this.hold(session, taken, cell, before)
    return taken
  }

  /** Remembers a lease that was granted, and prolongs it from now on. */
  hold(session: string, { key, fence }: TakenSession, cell: SharedArrayBuffer, before: bigint): void {
    this.#held.set(key, { key, fence, session, cell: new LeaseCell(cell) })
    this.granted(key, fence, before)
  }

  /** Notes that the database has just prolonged a lease. `before` is the time before the database was asked. */
  granted(key: number, fence: number, before: bigint): void {
    const held = this.#held.get(key)
    if (held?.fence !== fence) return
    const { address, noFencing } = this.#start
    const lasts = noFencing ? 1e9 : address.leaseMs * (1 - MARGIN)
    held.cell.grant(fence, before + BigInt(Math.round(lasts * 1e6)))
  }

  /** Notes a loss: the database says that the fence is another, or that the time has passed. */
  lost(key: number, fence: number, why = TAKEN_OVER): void {
    const held = this.#held.get(key)
    if (held?.fence !== fence || this.#start.noFencing) return
    this.#held.delete(key)
    held.cell.lose()
    this.#tell({ is: "lost", session: held.session, fence, why })
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
    for (const timer of this.#timers) clearInterval(timer)
  }

  async #renew(): Promise<void> {
    if (this.#renewing || this.#held.size === 0) return
    this.#renewing = true
    const held = [...this.#held.values()]
    const before = process.hrtime.bigint()
    try {
      const rows = await this.#connection.rows(
        `UPDATE ${this.#table} l SET until = clock_timestamp() + $3 * interval '1 millisecond'
           FROM unnest($1::bigint[], $2::bigint[]) AS g (session, fence)
           WHERE l.session = g.session AND l.fence = g.fence AND l.until > clock_timestamp() RETURNING l.session`,
        [held.map(({ key }) => key), held.map(({ fence }) => fence), this.#start.address.leaseMs],
      )
      const ours = new Set(rows.map(({ session }) => Number(session)))
      for (const { key, fence } of held) {
        if (ours.has(key)) this.granted(key, fence, before)
        else this.lost(key, fence)
      }
    } catch {
      // The leases end if this goes on: see below.
    } finally {
      this.#renewing = false
    }
  }

  #giveUpEnded(): void {
    const now = process.hrtime.bigint()
    for (const { key, fence, cell } of [...this.#held.values()])
      if (now >= cell.end) this.lost(key, fence, ENDED)
  }
}
