import {
  busySession,
  changedColumns,
  damagedSession,
  duplicate,
  type SessionDescription,
  StoreError,
  USAGE_PATHS,
  USAGE_TYPES,
  unknownSession,
} from "@sotto/harness/store"
import { type Connection, codeOf, type PostgresRow, type Statements } from "./connection.js"
import type { LeaseHolder, Leases, LeaseTerm, TakenSession } from "./leases.js"
import { quoted } from "./migrate.js"

const COLUMNS =
  "id, cwd, title, summary, parent, workspace, labels, metadata, agent, model, created, updated, entries, messages"

/** The paths of what an account is made from, as PostgreSQL writes them. */
const USAGE_FIELDS = USAGE_PATHS.map((path) => `e.body #> '{${path.join()}}'`).join()

/** A new row of a session. */
export interface NewRow {
  readonly id: string
  readonly cwd: string
  readonly title: string | null
  readonly summary: string | null
  readonly parent: string | null
  readonly workspace: string | null
  readonly labels: string | null
  readonly metadata: string | null
  readonly agent: string
  readonly model: string
  readonly created: number
  readonly updated: number
  readonly messages: number
  readonly bodies: readonly string[]
}

/** What is left of a damaged session: `kept` entries, and all commands but those in `dropped`. */
export interface Cut {
  readonly kept: number
  readonly dropped: readonly string[]
}

/** The rows of sessions and their logs. */
export class Sessions {
  readonly #connection: Connection
  readonly #leases: Leases
  readonly #holder: LeaseHolder
  readonly #schema: string

  constructor(connection: Connection, leases: Leases, holder: LeaseHolder) {
    this.#connection = connection
    this.#leases = leases
    this.#holder = holder
    this.#schema = quoted(holder.address.schema)
  }

  async keyOf(id: string): Promise<number> {
    const known = this.#leases.keyOf(id)
    if (known !== undefined) return known
    const [row] = await this.#connection.rows(`SELECT key FROM ${this.#schema}.sessions WHERE id = $1`, [id])
    if (row === undefined) throw unknownSession(id)
    return Number(row.key)
  }

  /** Makes a new session with its log. With a term the session is ours from the beginning. */
  async create(row: NewRow, term: LeaseTerm | undefined): Promise<TakenSession> {
    const before = process.hrtime.bigint()
    const { token, worker, pid, host, address } = this.#holder
    const [made] = await this.#guarded(row.id, () =>
      this.#connection.rows(
        `WITH made AS (
           INSERT INTO ${this.#schema}.sessions (id, cwd, title, parent, workspace, agent, model, created, updated, entries, messages,
               summary, labels, metadata)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $19, $20, $21) RETURNING key
         ), logged AS (
           INSERT INTO ${this.#schema}.entries (session, seq, body)
             SELECT made.key, e.number - 1, e.body FROM made, unnest($12::text[]) WITH ORDINALITY AS e (body, number)
         ), held AS (
           INSERT INTO ${this.#schema}.leases (session, fence, token, worker, pid, host, until)
             SELECT made.key, 1, $13, $14, $15, $16, clock_timestamp() + $17 * interval '1 millisecond' FROM made WHERE $18
         )
         SELECT key FROM made`,
        [
          ...[row.id, row.cwd, row.title, row.parent, row.workspace, row.agent, row.model, row.created],
          ...[row.updated, row.bodies.length, row.messages, row.bodies],
          ...[token, worker, pid, host, address.leaseMs, term !== undefined, row.summary],
          ...[row.labels, row.metadata],
        ],
      ),
    )
    const taken = { key: Number(made?.key), fence: 1 }
    if (term !== undefined) this.#leases.hold(row.id, taken, term, before)
    return taken
  }

  async take(id: string, term: LeaseTerm | undefined): Promise<TakenSession> {
    const key = await this.keyOf(id)
    const taken = await this.#guarded(id, () => this.#leases.take(key, id, term))
    if (taken !== undefined) return taken
    throw this.#locked(id, await this.holder(id))
  }

  /** Reads the entries from a number on, as JSON with their numbers, and how many there should be in all. */
  async log(
    id: string,
    from: number,
    most: number | undefined,
  ): Promise<{ readonly entries: number; readonly rows: readonly (readonly [number, string])[] }> {
    const rows = await this.#connection.rows(
      `SELECT s.entries, e.seq, e.body FROM ${this.#schema}.sessions s
         LEFT JOIN ${this.#schema}.entries e ON e.session = s.key AND e.seq >= $2 WHERE s.id = $1 ORDER BY e.seq LIMIT $3`,
      [id, from, most ?? null],
    )
    if (rows.length === 0) throw unknownSession(id)
    return {
      entries: Number(rows[0]?.entries),
      rows: rows.flatMap(({ seq, body }) => (seq === null ? [] : [[Number(seq), String(body)] as const])),
    }
  }

  async list(): Promise<readonly PostgresRow[]> {
    return await this.#connection.rows(
      `SELECT ${COLUMNS} FROM ${this.#schema}.sessions ORDER BY updated DESC, key DESC`,
    )
  }

  async about(id: string): Promise<PostgresRow> {
    const [row] = await this.#connection.rows(
      `SELECT ${COLUMNS} FROM ${this.#schema}.sessions WHERE id = $1`,
      [id],
    )
    if (row === undefined) throw unknownSession(id)
    return row
  }

  async latest(cwd: string): Promise<PostgresRow | undefined> {
    const [row] = await this.#connection.rows(
      `SELECT ${COLUMNS} FROM ${this.#schema}.sessions WHERE cwd = $1 AND parent IS NULL ORDER BY updated DESC, key DESC LIMIT 1`,
      [cwd],
    )
    return row
  }

  /**
   * Finds what the account is made from. PostgreSQL cannot read every escape that JSON may have: those are replaced.
   */
  async usage(id: string, from: number): Promise<readonly PostgresRow[]> {
    const rows = await this.#guarded(id, () =>
      this.#connection.rows(
        `SELECT e.seq, e.type, json_build_array(${USAGE_FIELDS})::text AS found
           FROM ${this.#schema}.sessions s LEFT JOIN LATERAL (
             -- Every entry is written with its type first.
             SELECT seq, type, regexp_replace(body, '\\\\u(0000|d[89a-f]..)', '\\\\u0001', 'gi')::json AS body
               FROM (SELECT seq, body, split_part(left(body, 22), '"', 4) AS type
                 FROM ${this.#schema}.entries WHERE session = s.key AND seq >= $2) AS entry
               WHERE type = ANY ($3) AND (type NOT IN ('said', 'edited') OR strpos(body, '"interrupts":') > 0)
           ) e ON true WHERE s.id = $1 ORDER BY e.seq`,
        [id, from, USAGE_TYPES],
      ),
    )
    if (rows.length === 0) throw unknownSession(id)
    return rows.filter(({ seq }) => seq !== null)
  }

  /** Finds the sessions of subagents, and of theirs. */
  subagents(id: string): Promise<readonly PostgresRow[]> {
    const sessions = `${this.#schema}.sessions`
    return this.#connection.rows(
      `WITH RECURSIVE below(id) AS (
           SELECT id FROM ${sessions} WHERE parent = $1 AND id <> $1
           UNION SELECT s.id FROM ${sessions} s JOIN below b ON s.parent = b.id WHERE s.id <> $1)
         SELECT ${COLUMNS} FROM ${sessions} WHERE id IN (SELECT id FROM below) ORDER BY key`,
      [id],
    )
  }

  async describe(id: string, change: SessionDescription): Promise<void> {
    const columns = changedColumns(change)
    // Without a change it is still said whether there is such a session.
    const set = ["id = id", ...columns.map(([name], i) => `${name} = $${i + 2}`)].join(", ")
    const rows = await this.#connection.rows(
      `UPDATE ${this.#schema}.sessions SET ${set} WHERE id = $1 RETURNING key`,
      [id, ...columns.map(([, value]) => value)],
    )
    if (rows.length === 0) throw unknownSession(id)
  }

  async holder(id: string): Promise<PostgresRow | undefined> {
    const [row] = await this.#connection.rows(
      `SELECT l.pid, l.host, l.worker, l.asking FROM ${this.#schema}.sessions s
         LEFT JOIN ${this.#schema}.leases l ON l.session = s.key AND l.until > clock_timestamp() WHERE s.id = $1`,
      [id],
    )
    if (row === undefined) throw unknownSession(id)
    return row.pid === null ? undefined : row
  }

  async setAsking({ key, fence }: TakenSession, asking: string | null): Promise<void> {
    await this.#connection.rows(
      `UPDATE ${this.#schema}.leases SET asking = $3 WHERE session = $1 AND fence = $2`,
      [key, fence, asking],
    )
  }

  async waiting(workspaces: readonly string[]): Promise<readonly PostgresRow[]> {
    return await this.#connection.rows(
      `SELECT s.id, s.cwd, s.workspace FROM ${this.#schema}.sessions s LEFT JOIN ${this.#schema}.leases l ON l.session = s.key
         WHERE (s.at_work OR s.key IN (SELECT session FROM ${this.#schema}.posted WHERE NOT done))
           AND coalesce(l.until < clock_timestamp(), true) AND coalesce(s.workspace, '') = ANY ($1::text[]) ORDER BY s.key`,
      [workspaces],
    )
  }

  async content(hash: string): Promise<Uint8Array | undefined> {
    const [row] = await this.#connection.rows(`SELECT bytes FROM ${this.#schema}.contents WHERE hash = $1`, [
      hash,
    ])
    return row?.bytes as Uint8Array | undefined
  }

  /** Sessions that have fewer entries than were written. */
  async short(id: string | undefined): Promise<readonly PostgresRow[]> {
    return await this.#connection.rows(
      `SELECT s.key, s.id, s.entries, e.entries AS found FROM ${this.#schema}.sessions s,
         LATERAL (SELECT coalesce(max(seq) + 1, 0) AS entries FROM ${this.#schema}.entries WHERE session = s.key) e
         WHERE e.entries < s.entries AND ($1::text IS NULL OR s.id = $1)`,
      [id ?? null],
    )
  }

  /**
   * Removes sessions that were taken for it, and leaves texts of files where they are. One for which a command was posted
   * meanwhile keeps all of them. Their rows are locked first: no command can come between the look and the removal.
   */
  async remove(taken: readonly (TakenSession & { readonly id: string })[]): Promise<void> {
    const keys = taken.map(({ key }) => key)
    await this.#connection.transaction(async (statements) => {
      const held = await statements.rows(
        `SELECT l.session FROM ${this.#schema}.leases l JOIN unnest($1::bigint[], $2::bigint[]) AS g (session, fence)
           ON l.session = g.session AND l.fence = g.fence WHERE l.until > clock_timestamp() ORDER BY l.session FOR UPDATE OF l`,
        [keys, taken.map(({ fence }) => fence)],
      )
      const lost = taken.find(({ key }) => !held.some(({ session }) => Number(session) === key))
      if (lost !== undefined) throw lostMeanwhile(lost.id)
      const sessions = await statements.rows(
        `SELECT key, id, at_work FROM ${this.#schema}.sessions WHERE key = ANY ($1::bigint[]) ORDER BY key FOR UPDATE`,
        [keys],
      )
      const waiting = await statements.rows(
        `SELECT DISTINCT session FROM ${this.#schema}.posted WHERE session = ANY ($1::bigint[]) AND NOT done`,
        [keys],
      )
      for (const { key, id, at_work } of sessions)
        if (at_work === true || waiting.some(({ session }) => session === key)) throw busySession(String(id))
      await this.#eraseRows(statements, keys)
    })
  }

  /** Lists the ids of a session and those that its subagents have, with theirs, parents first. */
  async family(id: string): Promise<readonly string[]> {
    return (await this.#familyOf(this.#connection, id)).map((row) => String(row.id))
  }

  async #familyOf(statements: Statements, id: string): Promise<readonly PostgresRow[]> {
    const family = await statements.rows(
      `WITH RECURSIVE family AS (
         SELECT key, id, 0 AS depth FROM ${this.#schema}.sessions WHERE id = $1
         UNION ALL SELECT s.key, s.id, f.depth + 1 FROM ${this.#schema}.sessions s JOIN family f ON s.parent = f.id
       ) CYCLE key SET is_cycle USING path
       SELECT key, id FROM family WHERE NOT is_cycle ORDER BY depth, key`,
      [id],
    )
    if (family.length === 0) throw unknownSession(id)
    return family
  }

  /** Removes a session and those that its subagents have, with theirs. `texts`: what they named, and others may not. */
  async removeFamily(
    id: string,
  ): Promise<{ readonly ids: readonly string[]; readonly texts: readonly string[] }> {
    return await this.#connection.transaction(async (statements) => {
      const family = await this.#familyOf(statements, id)
      const keys = family.map(({ key }) => Number(key))
      const leases = await statements.rows(
        `SELECT session, pid, host, worker FROM ${this.#schema}.leases
           WHERE session = ANY ($1::bigint[]) AND until > clock_timestamp() ORDER BY session FOR UPDATE`,
        [keys],
      )
      const [held] = leases
      if (held !== undefined) {
        const session = family.find(({ key }) => Number(key) === Number(held.session))
        throw this.#locked(String(session?.id ?? id), held)
      }
      const texts = await this.#textsIn(statements, keys)
      await this.#eraseRows(statements, keys)
      return { ids: family.map((row) => String(row.id)), texts }
    })
  }

  /**
   * Finds the texts of files that the logs name: what a log could name a text by is its hash, as a string of its own.
   */
  async #textsIn(statements: Statements, keys: readonly number[]): Promise<readonly string[]> {
    const rows = await statements.rows(
      `SELECT hash FROM ${this.#schema}.contents WHERE hash IN (
         SELECT DISTINCT m[1] FROM ${this.#schema}.entries e, regexp_matches(e.body, '"([[:alnum:]_+/=-]{16,200})"', 'g') AS m
           WHERE e.session = ANY ($1::bigint[]))`,
      [keys],
    )
    return rows.map(({ hash }) => String(hash))
  }

  async #eraseRows(statements: Statements, keys: readonly number[]): Promise<void> {
    for (const table of ["entries", "posted", "leases"])
      await statements.rows(`DELETE FROM ${this.#schema}.${table} WHERE session = ANY ($1::bigint[])`, [keys])
    await statements.rows(`DELETE FROM ${this.#schema}.sessions WHERE key = ANY ($1::bigint[])`, [keys])
  }

  /** Cuts a session that was taken back to its first entries. */
  async cut(id: string, { key, fence }: TakenSession, row: NewRow, { kept, dropped }: Cut): Promise<void> {
    await this.#connection.transaction(async (statements) => {
      const [held] = await statements.rows(
        `SELECT 1 AS one FROM ${this.#schema}.leases WHERE session = $1 AND fence = $2 AND until > clock_timestamp() FOR UPDATE`,
        [key, fence],
      )
      if (held === undefined) throw lostMeanwhile(id)
      await statements.rows(
        `DELETE FROM ${this.#schema}.entries WHERE session = $1 AND NOT (seq >= 0 AND seq < $2)`,
        [key, kept],
      )
      await statements.rows(
        `DELETE FROM ${this.#schema}.posted WHERE session = $1 AND id = ANY ($2::text[])`,
        [...[key, dropped]],
      )
      await statements.rows(
        `UPDATE ${this.#schema}.sessions SET agent = $2, model = $3, created = $4, updated = $5, entries = $6, messages = $7,
           id = $8, labels = $9, metadata = $10 WHERE key = $1`,
        [
          ...[key, row.agent, row.model, row.created, row.updated, kept, row.messages, row.id],
          ...[row.labels, row.metadata],
        ],
      )
    })
  }

  #locked(id: string, holder: PostgresRow | undefined): StoreError {
    const { pid, host } = this.#holder
    const name = holder?.worker ? `worker ${String(holder.worker)}, ` : ""
    const where = `in ${name}process ${String(holder?.pid)} on ${String(holder?.host)}`
    const isHere = holder !== undefined && Number(holder.pid) === pid && holder.host === host
    const who = holder === undefined ? "elsewhere" : isHere ? "in this process" : where
    return new StoreError(
      "locked",
      `The session ${id} is open ${who}.`,
      "Close it there first, or start another session.",
    )
  }

  async #guarded<T>(id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (codeOf(error) === "23505") throw duplicate(id)
      // Another worker removed the session in this moment.
      if (codeOf(error) === "23503") throw unknownSession(id)
      if (codeOf(error) === "22P02") throw damagedSession(this.#holder.address.shown, id, "an entry", error)
      throw error
    }
  }
}

function lostMeanwhile(id: string): StoreError {
  const what = `Another worker took session ${id} over in the meantime.`
  return new StoreError("conflict", what, "Nothing was changed. Try again.")
}
