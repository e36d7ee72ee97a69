import { type Address, StoreError } from "@sotto/harness/store"
import pg from "pg"
import { connected, distrust, secured } from "./tls.js"

export type PostgresRow = Readonly<Record<string, unknown>>

/** How long to wait for an answer: long enough for a slow network, and no longer than a lease could still be saved. */
const LONGEST_MS = 5_000
const SHORTEST_MS = 1_000
const CONNECT_MS = 4_000
/** No new attempt is made after this time. */
const AGAIN_MS = 2_500

/** An outage that is over sooner is not worth a word. */
const QUIET_MS = 1_000

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2_000

/** Enough for some long reads, a group of appends, the renewal of leases and one more. */
const CONNECTIONS = 6

/** What `pg` and PostgreSQL say when the connection, and not the statement, is at fault. */
const AWAY = /^(08|57P|E[A-Z]+$|53300)/
/** PostgreSQL undid the transaction for the sake of another: it can be asked again. */
const AGAIN = /^(40001|40P01)$/

/** What a standby says that is asked to write. */
const READ_ONLY = "25006"

/** The database cannot be reached. `unsure` says that a statement had been sent: it may have been carried out. */
export class Away extends StoreError {
  constructor(shown: string, why: string, unsure: boolean) {
    super(
      "unavailable",
      `The store ${shown} cannot be reached: ${why}.`,
      "Nothing is lost that was said to be stored. Check that PostgreSQL runs and that its address is right.",
      { unsure },
    )
  }
}

/** PostgreSQL refused a statement. `state` is what it calls the reason (SQLSTATE). */
class Refused extends StoreError {
  constructor(
    readonly state: string,
    cause: Error,
  ) {
    super(
      "unavailable",
      `PostgreSQL refused what the store asked for: ${cause.message} (${state}).`,
      "Nothing was changed. Look into the server's log for more.",
      { cause },
    )
  }
}

/** Something that takes statements: the pool, or one transaction. */
export interface Statements {
  rows(sql: string, values?: readonly unknown[]): Promise<readonly PostgresRow[]>
}

/**
 * The connections of one store. Nothing may depend on which of them a statement takes, or on what an earlier one has
 * set there: behind a pooler in transaction mode each transaction may reach another server process.
 */
export class Connection implements Statements {
  readonly #address: Address
  readonly #report: (line: string) => void
  /** One for each address of the database. The one in use is the last that could be reached. */
  readonly #pools: readonly pg.Pool[]
  readonly #clients = new Set<pg.PoolClient>()
  #current = 0
  /** Since when no statement has been answered; undefined while they are. */
  #awaySince: number | undefined
  #saying: NodeJS.Timeout | undefined
  #isSaid = false
  /** After a failed attempt to connect no caller tries again before this time. */
  #pauseEnds = 0
  #pause = FIRST_PAUSE_MS
  #why = ""

  /** `report` is told once that the database is away, and once that it is back. */
  constructor(address: Address, report: (line: string) => void = () => {}) {
    this.#address = address
    this.#report = report
    this.#pools = [address.connection, ...address.others].map((connection) => this.#poolFor(connection))
  }

  /** The address that statements go to now. */
  get current(): string {
    return [this.#address.connection, ...this.#address.others][this.#current] ?? this.#address.connection
  }

  #poolFor(connection: string): pg.Pool {
    const pool = new pg.Pool({
      ...secured(connection),
      application_name: "sotto",
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: Math.min(LONGEST_MS, Math.max(SHORTEST_MS, this.#address.leaseMs / 2)),
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      // An open store keeps no process alive; a statement that is under way does.
      allowExitOnIdle: true,
    })
    // An idle connection that breaks is replaced by the next statement; one in use also fails its statement.
    pool.on("error", () => {})
    pool.on("connect", (client) => {
      client.on("error", () => {})
      this.#clients.add(client)
    })
    pool.on("remove", (client) => this.#clients.delete(client))
    return pool
  }

  async rows(sql: string, values: readonly unknown[] = []): Promise<readonly PostgresRow[]> {
    const client = await this.#client()
    try {
      const { rows } = await client.query(sql, values.map(storable))
      client.release()
      this.#answered()
      return rows as PostgresRow[]
    } catch (error) {
      const known = this.#known(error, true)
      release(client, known)
      throw known
    }
  }

  /** All of it or nothing. `patience` is how long each statement may take, in milliseconds, if it is longer than usual. */
  async transaction<T>(
    work: (statements: Statements) => Promise<T>,
    { begin = "BEGIN", patience }: { readonly begin?: string; readonly patience?: number } = {},
  ): Promise<T> {
    const client = await this.#client()
    try {
      await client.query(begin)
      const result = await work({
        rows: async (sql, values = []) => {
          // A statement may have a limit of its own, which the types do not know.
          const limit = patience === undefined ? {} : { query_timeout: patience }
          const query = { text: sql, values: values.map(storable), ...limit }
          return (
            await client.query(query).catch((error: unknown) => {
              throw this.#known(error, true)
            })
          ).rows as PostgresRow[]
        },
      })
      await client.query("COMMIT")
      client.release()
      this.#answered()
      return result
    } catch (error) {
      const known = this.#known(error, true)
      if (!(known instanceof Away)) await client.query("ROLLBACK").catch(() => {})
      release(client, known)
      throw known
    }
  }

  /**
   * Asks again if the connection broke or PostgreSQL undid it. For work that does no harm when it happens twice. Calls
   * `doubt` after an attempt that may or may not have been carried out.
   */
  async again<T>(work: () => Promise<T>, doubt: () => void = () => {}): Promise<T> {
    const end = Date.now() + AGAIN_MS
    for (let unsure = false; ; ) {
      try {
        return await work()
      } catch (error) {
        const isAway = error instanceof Away
        if (!isAway && !AGAIN.test(codeOf(error))) throw error
        if (isAway && error.unsure === true) {
          unsure = true
          doubt()
        }
        const left = end - Date.now()
        if (left <= 0) throw isAway ? new Away(this.#address.shown, this.#why, unsure) : error
        await new Promise((resolve) =>
          setTimeout(resolve, Math.min(left, Math.max(10, this.#pauseEnds - Date.now()))),
        )
      }
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#saying)
    await Promise.all(this.#pools.map((pool) => pool.end()))
  }

  /** Ends connections that do not answer any more, and would keep the process alive. */
  destroy(): void {
    for (const client of this.#clients) destroyClient(client)
  }

  async #client(): Promise<pg.PoolClient> {
    if (Date.now() < this.#pauseEnds) throw new Away(this.#address.shown, this.#why, false)
    for (let tried = 1; ; tried++) {
      const at = this.#current
      try {
        const client = await connected(this.#pools[at] as pg.Pool)
        this.#pause = FIRST_PAUSE_MS
        return client
      } catch (error) {
        const known = this.#known(error, false)
        if (!(known instanceof Away)) throw known
        this.#moveOnFrom(at)
        if (tried < this.#pools.length) continue
        this.#pauseEnds = Date.now() + this.#pause
        this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE_MS)
        throw known
      }
    }
  }

  /** Takes the next address, unless another statement has moved on already. */
  #moveOnFrom(at: number): void {
    if (this.#current === at) this.#current = (at + 1) % this.#pools.length
  }

  /** Notes that the database answers. */
  #answered(): void {
    if (this.#awaySince === undefined) return
    const seconds = Math.round((Date.now() - this.#awaySince) / 1_000)
    this.#awaySince = undefined
    clearTimeout(this.#saying)
    if (this.#isSaid)
      this.#report(`The store ${this.#address.shown} can be reached again, after ${seconds} s.`)
    this.#isSaid = false
  }

  /** Notes that it does not, and says so if that goes on. */
  #unanswered(why: string): void {
    this.#why = why
    if (this.#awaySince !== undefined) return
    this.#awaySince = Date.now()
    this.#saying = setTimeout(() => {
      this.#isSaid = true
      const what = `The store ${this.#address.shown} cannot be reached: ${this.#why}.`
      this.#report(`${what} Nothing new is started until it can be.`)
    }, QUIET_MS).unref()
  }

  /** Says what went wrong, in words that help. Whatever `pg` says, the password is not in it. */
  #known(error: unknown, wasSent: boolean): unknown {
    if (error instanceof StoreError || !(error instanceof Error)) return error
    const { shown } = this.#address
    const code = codeOf(error)
    const distrusted = distrust(error, shown)
    if (distrusted !== undefined) return distrusted
    const isServers = /^[0-9A-Z]{5}$/.test(code) && !AWAY.test(code)
    if (!isServers) {
      this.#unanswered(whyOf(error))
      return new Away(shown, this.#why, wasSent)
    }
    if (code === READ_ONLY && this.#pools.length > 1) {
      // A standby. The statement was not carried out.
      this.#moveOnFrom(this.#current)
      return new Away(shown, "it is a standby, and only the primary can be written to", false)
    }
    this.#answered()
    if (/^(28|3D)/.test(code))
      return new StoreError(
        "unavailable",
        `The store ${shown} refuses this user: ${error.message}.`,
        "Check the name, the password and the database in the address.",
      )
    return new Refused(code, error)
  }
}

/** Gives a connection back after a failure. One that does not answer is not used again, and keeps nothing alive. */
function release(client: pg.PoolClient, known: unknown): void {
  const isBroken = known instanceof Away
  client.release(isBroken)
  if (isBroken) destroyClient(client)
}

/** Breaks a connection off, without a word to the server. Names no type of `pg`: those who install this need none. */
export function destroyClient(client: object | undefined): void {
  // The types do not know of the socket.
  type Wired = { readonly connection?: { readonly stream?: { destroy(): void } } }
  ;(client as Wired | undefined)?.connection?.stream?.destroy()
}

/** Replaces NUL: PostgreSQL cannot keep it in a text. Bodies of entries have none: JSON escapes it. */
function storable(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\0", "\uFFFD")
  return value
}

export function codeOf(error: unknown): string {
  if (error instanceof Refused) return error.state
  return error instanceof Error && "code" in error ? String(error.code) : ""
}

function whyOf(error: Error): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error
  return (first instanceof Error ? first.message : error.message).replace(/\.$/, "") || "no answer"
}
