import { statSync } from "node:fs"
import { busySession, conflict, duplicate } from "../error.js"
import { namesIn } from "../names.js"
import type {
  NamedText,
  Reclaimed,
  StoredCommand,
  StoredHolder,
  StoredSession,
  StoreFigures,
  Stray,
  Upkeep,
} from "../upkeep.js"
import { ROWS_AT_ONCE } from "../upkeep.js"
import type { Database, SqliteRow } from "./database.js"
import { lockNamed } from "./life-lock.js"
import type { Locks } from "./locks.js"
import { rawLog } from "./log-rows.js"
import { removeRows, textsIn } from "./removal.js"
import { SESSION_COLUMNS } from "./summary-rows.js"
import { nearestText, textIn } from "./text.js"

/** What upkeep needs of the store that it belongs to. */
export interface SqliteParts {
  readonly database: Database
  readonly locks: Locks
  keyOf(sessionId: string): number | undefined
  newKey(): number
  /** Says how many entries of the session are on disk. */
  acknowledge(key: number, id: string, entries: number): void
  /** Something was posted. */
  ring(): void
}

/** Entries that one statement writes. */
const AT_ONCE = 8
/** Texts that are read at once: each may have some hundred kilobytes. */
const TEXTS_AT_ONCE = 50

/** The share of a file that has to be free before the whole of it is written anew. */
const WORTHWHILE = 0.1

const BUSY = "at_work = 1 OR key IN (SELECT session FROM posted WHERE done = 0)"

/** Looks after a store in a file of SQLite. */
export class SqliteUpkeep implements Upkeep {
  readonly #parts: SqliteParts
  readonly #database: Database
  /** Texts that removed sessions named. */
  readonly #unnamed = new Set<string>()

  constructor(parts: SqliteParts) {
    this.#parts = parts
    this.#database = parts.database
  }

  async figures(): Promise<StoreFigures> {
    const [sessions = {}] = this.#database.rows("SELECT count(*) AS count FROM sessions")
    const [entries = {}] = this.#database.rows(
      "SELECT count(*) AS count, coalesce(sum(length(CAST(body AS BLOB))), 0) AS bytes FROM entries",
    )
    const [texts = {}] = this.#database.rows(
      "SELECT count(*) AS count, coalesce(sum(length(CAST(text AS BLOB))), 0) AS bytes FROM contents",
    )
    return {
      sessions: Number(sessions.count),
      entries: Number(entries.count),
      texts: Number(texts.count),
      bytes: Number(entries.bytes) + Number(texts.bytes),
      bytesOnDisk: this.#bytesOnDisk(),
    }
  }

  #bytesOnDisk(): number {
    const { path } = this.#database
    const sizes = ["", "-wal"].map((ending) => statSync(path + ending, { throwIfNoEntry: false })?.size ?? 0)
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  async hearing(): Promise<{ readonly hearing: "files" }> {
    return { hearing: "files" }
  }

  async holders(): Promise<readonly StoredHolder[]> {
    return this.#database
      .rows(
        "SELECT CAST(s.key AS INTEGER) AS key, CAST(s.id AS BLOB) AS id FROM locks l JOIN sessions s ON s.key = l.session ORDER BY s.key",
      )
      .flatMap(({ key, id }) => {
        const holder = this.#parts.locks.holder(Number(key))
        if (holder === undefined) return []
        const { pid, host = "", asking } = holder
        return [{ session: nearestText(id), pid, host, asking }]
      })
  }

  async busy(): Promise<ReadonlySet<string>> {
    const rows = this.#database.rows(`SELECT CAST(id AS BLOB) AS id FROM sessions WHERE ${BUSY}`)
    return new Set(rows.map(({ id }) => nearestText(id)))
  }

  async sizes(): Promise<ReadonlyMap<string, number>> {
    const rows = this.#database.rows(
      `SELECT CAST(s.id AS BLOB) AS id, coalesce(sum(length(CAST(e.body AS BLOB))), 0) AS bytes
         FROM sessions s LEFT JOIN entries e ON e.session = s.key GROUP BY s.key`,
    )
    return new Map(rows.map(({ id, bytes }) => [nearestText(id), Number(bytes)]))
  }

  async read(sessionId: string): Promise<StoredSession | undefined> {
    return this.#database.reading(() => {
      const key = this.#parts.keyOf(sessionId)
      if (key === undefined) return undefined
      const [row] = this.#database.rows(
        `SELECT ${SESSION_COLUMNS}, CAST(at_work AS INTEGER) AS at_work FROM sessions WHERE key = ?`,
        key,
      )
      if (row === undefined) return undefined
      const log = rawLog(this.#database, key).map(({ seq, body }) => ({
        seq: Number(seq),
        body: textIn(body),
      }))
      return { ...sessionOf(row), log, posted: this.#posted(key) }
    })
  }

  #posted(key: number): readonly StoredCommand[] {
    return this.#database
      .rows(
        `SELECT CAST(id AS BLOB) AS id, CAST(body AS BLOB) AS body, CAST(at AS INTEGER) AS at, CAST(done AS INTEGER) AS done,
           CAST(outcome AS BLOB) AS outcome FROM posted WHERE session = ? ORDER BY number`,
        key,
      )
      .map(({ id, body, at, done, outcome }) => ({
        id: nearestText(id),
        body: nearestText(body),
        at: Number(at),
        done: done === 1,
        outcome: outcome === null ? null : nearestText(outcome),
      }))
  }

  async write(session: StoredSession, from: number): Promise<void> {
    const key = this.#database.transaction(() => {
      const found = this.#parts.keyOf(session.id)
      if (found === undefined && from > 0) throw conflict(session.id, from)
      if (found !== undefined && from === 0) throw duplicate(session.id)
      const written = found ?? this.#parts.newKey()
      if (found === undefined) this.#insert(written, session)
      else this.#extend(written, session, from)
      this.#writeLog(written, session, from)
      for (const command of session.posted) this.#writeCommand(written, command)
      return written
    })
    this.#parts.acknowledge(key, session.id, session.entries)
    if (session.posted.some(({ done }) => !done)) this.#parts.ring()
  }

  #insert(key: number, session: StoredSession): void {
    const { id, cwd, parent, created } = session
    this.#database.run(
      `INSERT INTO sessions (key, id, cwd, parent, created, title, summary, workspace, labels, metadata, agent, model,
           updated, entries, messages, at_work)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[key, id, cwd, parent, created, ...changing(session)],
    )
  }

  #extend(key: number, session: StoredSession, from: number): void {
    this.#parts.locks.take(key, session.id)
    const changed = this.#database.run(
      `UPDATE sessions SET title = ?, summary = ?, workspace = ?, labels = ?, metadata = ?, agent = ?, model = ?, updated = ?,
         entries = ?, messages = ?, at_work = ? WHERE key = ? AND entries = ?`,
      ...[...changing(session), key, from],
    )
    if (changed !== 1) throw conflict(session.id, from)
    this.#database.run("DELETE FROM locks WHERE session = ?", key)
  }

  #writeLog(key: number, { log }: StoredSession, from: number): void {
    for (let at = from; at < log.length; at += AT_ONCE) {
      const some = log.slice(at, at + AT_ONCE)
      this.#database.run(
        `INSERT INTO entries (session, seq, body) VALUES ${some.map(() => "(?, ?, ?)").join(", ")}`,
        ...some.flatMap(({ seq, body }) => [key, seq, body ?? null]),
      )
    }
  }

  #writeCommand(key: number, { id, body, at, done, outcome }: StoredCommand): void {
    this.#database.run(
      `INSERT INTO posted (session, id, body, at, done, outcome) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (session, id) DO UPDATE SET done = max(done, excluded.done), outcome = coalesce(outcome, excluded.outcome)`,
      ...[key, id, body, at, Number(done), outcome],
    )
  }

  async texts(hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    for (const hash of hashes) {
      const [row] = this.#database.rows(
        "SELECT CAST(text AS BLOB) AS text FROM contents WHERE hash = ?",
        hash,
      )
      const text = row && textIn(row.text)
      if (text !== undefined) found.set(hash, text)
    }
    return found
  }

  async kept(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(
      hashes.filter(
        (hash) => this.#database.rows("SELECT 1 AS one FROM contents WHERE hash = ?", hash).length > 0,
      ),
    )
  }

  async named(): Promise<readonly NamedText[]> {
    const rows = this.#database.rows(
      "SELECT CAST(hash AS BLOB) AS hash, length(CAST(text AS BLOB)) AS bytes FROM contents",
    )
    const sizes = new Map(rows.map(({ hash, bytes }) => [nearestText(hash), Number(bytes)]))
    const sessions = this.#database.rows(
      "SELECT CAST(key AS INTEGER) AS key, CAST(id AS BLOB) AS id FROM sessions",
    )
    return sessions.flatMap(({ key, id }) =>
      [...textsIn(this.#database, Number(key))].map((hash) => ({
        ...{ session: nearestText(id), hash, bytes: sizes.get(hash) ?? 0 },
      })),
    )
  }

  async keepTexts(texts: ReadonlyMap<string, string>): Promise<void> {
    this.#database.transaction(() => {
      for (const [hash, text] of texts)
        this.#database.run("INSERT OR IGNORE INTO contents (hash, text) VALUES (?, ?)", hash, text)
    })
  }

  async eachText(visit: (hash: string, text: string | undefined) => void): Promise<void> {
    for (let after = -1; ; ) {
      const rows = this.#database.rows(
        `SELECT rowid AS number, CAST(hash AS BLOB) AS hash, CAST(text AS BLOB) AS text FROM contents WHERE rowid > ?
           ORDER BY rowid LIMIT ${TEXTS_AT_ONCE}`,
        after,
      )
      for (const { hash, text } of rows) visit(nearestText(hash), textIn(text))
      const last = rows.at(-1)
      if (last === undefined) return
      after = Number(last.number)
    }
  }

  async strays(): Promise<readonly Stray[]> {
    const tables = { entries: "entries", posted: "posted commands", locks: "holders" } as const
    return Object.entries(tables).flatMap(([table, what]) => {
      const [row] = this.#database.rows(
        `SELECT count(*) AS count FROM ${table} WHERE session NOT IN (SELECT key FROM sessions)`,
      )
      const rows = Number(row?.count)
      return rows > 0 ? [{ what, rows }] : []
    })
  }

  async integrity(): Promise<readonly string[]> {
    return this.#database
      .rows("PRAGMA integrity_check(20)")
      .map((row) => String(row.integrity_check))
      .filter((said) => said !== "ok")
  }

  /**
   * Removes the rows of a session, inside a transaction that removes sessions: refuses one that has something to do,
   * and remembers the texts it named.
   */
  removeRows(key: number, sessionId: string): void {
    if (this.#database.rows(`SELECT 1 AS one FROM sessions WHERE key = ? AND (${BUSY})`, key).length > 0)
      throw busySession(sessionId)
    for (const hash of textsIn(this.#database, key)) this.#unnamed.add(hash)
    removeRows(this.#database, key)
  }

  async reclaim(): Promise<Reclaimed> {
    this.#sweep()
    const before = this.#bytesOnDisk()
    const [free] = this.#database.rows("PRAGMA freelist_count")
    const [pages] = this.#database.rows("PRAGMA page_count")
    if (Number(free?.freelist_count) < Number(pages?.page_count) * WORTHWHILE) return { bytes: 0 }
    const [holder] = await this.holders()
    if (holder !== undefined)
      return {
        bytes: 0,
        why: `session ${holder.session} is open in process ${holder.pid}. New sessions use the free room; \`sotto sessions archive\` gives it back when no session is open`,
      }
    this.#database.vacuum()
    return { bytes: Math.max(0, before - this.#bytesOnDisk()) }
  }

  /**
   * Removes texts that no log names any more. All logs are read without keeping others from writing; what they wrote
   * meanwhile is read inside the transaction that removes.
   */
  #sweep(): void {
    const left = new Set(this.#unnamed)
    if (left.size === 0) return
    const seen = new Map<number, number>()
    this.#readNames(left, seen)
    this.#database.transaction(() => {
      this.#readNames(left, seen)
      for (const hash of left) this.#database.run("DELETE FROM contents WHERE hash = ?", hash)
    })
    this.#unnamed.clear()
  }

  /** Takes the names in all logs out of a set, from where each log was last read to. */
  #readNames(left: Set<string>, seen: Map<number, number>): void {
    const sessions = this.#database.rows("SELECT CAST(key AS INTEGER) AS key FROM sessions")
    for (const key of sessions.map((row) => Number(row.key)))
      for (;;) {
        const rows = this.#database.rows(
          `SELECT CAST(seq AS INTEGER) AS seq, CAST(body AS BLOB) AS body FROM entries WHERE session = ? AND seq > ?
             ORDER BY seq LIMIT ${ROWS_AT_ONCE}`,
          ...[key, seen.get(key) ?? -1],
        )
        for (const { body } of rows) for (const name of namesIn(nearestText(body))) left.delete(name)
        const last = rows.at(-1)
        if (last === undefined) break
        seen.set(key, Number(last.seq))
      }
  }

  async exclusively<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    const unlock = lockNamed(this.#database.path, name)
    if (unlock === undefined) return undefined
    try {
      return await work()
    } finally {
      unlock()
    }
  }
}

/** Lists the columns that change in the life of a session, in the order of the statements above. */
function changing(session: StoredSession) {
  const { title, summary, workspace, labels, metadata, agent, model, updated, entries, messages, atWork } =
    session
  return [
    ...[title, summary, workspace, labels, metadata],
    ...[agent, model, updated, entries, messages, Number(atWork)],
  ]
}

function sessionOf(row: SqliteRow): Omit<StoredSession, "log" | "posted"> {
  const optional = (column: unknown) => (column === null ? null : nearestText(column))
  return {
    id: nearestText(row.id),
    cwd: nearestText(row.cwd),
    title: optional(row.title),
    summary: optional(row.summary),
    parent: optional(row.parent),
    workspace: optional(row.workspace),
    labels: optional(row.labels),
    metadata: optional(row.metadata),
    agent: nearestText(row.agent),
    model: nearestText(row.model),
    created: Number(row.created),
    updated: Number(row.updated),
    entries: Number(row.entries),
    messages: Number(row.messages),
    atWork: row.at_work === 1,
  }
}
