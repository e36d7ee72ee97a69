import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type Libsql from "libsql"
import { blockThread, keepPrivate } from "../../platform/workspace/private-files.js"
import { damaged, folderInstead, removed, StoreError, translated } from "../error.js"
import { Flush } from "./flush.js"
import { Identity } from "./identity.js"
import { makeRoom } from "./room.js"
import { APPLICATION, MIGRATIONS } from "./schema.js"
import { connect } from "./sqlite.js"

export type SqliteRow = Readonly<Record<string, unknown>>
type Value = string | number | null

/** How long to wait for others that write. */
const BUSY_MS = 5_000

/** Reads the version of the schema in a file, which stays as it is; 0 if it has none. */
export function schemaVersionIn(path: string): number {
  try {
    const sqlite = connect(path)
    try {
      const [row] = sqlite.prepare("PRAGMA user_version").all() as SqliteRow[]
      return Number(row?.user_version)
    } finally {
      sqlite.close()
    }
  } catch (error) {
    throw translated(error, path)
  }
}

/** A file of SQLite. */
export class Database {
  readonly path: string
  readonly #sqlite: Libsql.Database
  #flush = new Flush(undefined)
  readonly #statements = new Map<string, Libsql.Statement>()
  /** The size of SQLite's log with room in it. */
  #roomy = 0
  #room: NodeJS.Immediate | undefined
  #open = true

  /** Opens the file or makes it. One that is damaged, foreign or newer is refused, and left as it is. */
  constructor(path: string) {
    this.path = path
    this.#sqlite = this.#guarded(() => {
      // Not closed to others if it is there already: the user may have named a folder that serves more than Sotto.
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw folderInstead(path)
      return connect(path)
    })
    try {
      this.#exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
      this.#checkOwner()
      // Only now: what is not Sotto's keeps its mode.
      for (const ending of ["", "-wal", "-shm"]) keepPrivate(path + ending)
      this.#setJournal()
      this.#exec("PRAGMA foreign_keys = ON")
      this.#migrate()
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** Another number after another connection has written to the file. */
  get version(): number {
    return this.#pragma("data_version")
  }

  rows(sql: string, ...values: readonly Value[]): readonly SqliteRow[] {
    // Never `get`: libsql does not reset the statement then, and a read transaction stays open.
    return this.#guarded(() => this.#statement(sql).all(...values) as SqliteRow[])
  }

  /** Returns how many rows it changed. */
  run(sql: string, ...values: readonly Value[]): number {
    return this.#guarded(() => this.#statement(sql).run(...values).changes)
  }

  /** Reads that all see the store as it was at one moment. */
  reading<T>(work: () => T): T {
    this.run("BEGIN")
    try {
      return work()
    } finally {
      this.run("COMMIT")
    }
  }

  /** Gives free pages back to the disk by writing the file anew. Others cannot write meanwhile. */
  vacuum(): void {
    this.#exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /** All of it or nothing; on return it is on disk. */
  transaction<T>(work: () => T): T {
    const result = this.#commit(work)
    this.#flush.wrote()
    this.flushNow()
    return result
  }

  /** All of it or nothing. It is on disk when `flushed` has come to the number that this returns. */
  commit(work: () => void): number {
    this.#commit(work)
    return this.#flush.wrote()
  }

  get flushed(): number {
    return this.#flush.done
  }

  /** Brings everything committed so far to disk before it returns. */
  flushNow(): void {
    this.#guarded(() => this.#flush.now())
  }

  /** Resolves when everything committed so far is on disk. */
  async flush(): Promise<void> {
    try {
      await this.#flush.wait()
    } catch (error) {
      throw translated(error, this.path)
    }
    // Once the caller that waited for the disk has gone on.
    this.#room ??= setImmediate(() => this.#makeRoom())
  }

  #makeRoom(): void {
    this.#room = undefined
    if (!this.#open) return
    if (this.#flush.size <= this.#roomy) return
    makeRoom(this.#sqlite, BUSY_MS)
    this.#roomy = this.#flush.size
  }

  #commit<T>(work: () => T): T {
    this.#guarded(() => this.#flush.check())
    this.run("BEGIN IMMEDIATE")
    try {
      const result = work()
      this.run("COMMIT")
      return result
    } catch (error) {
      if (this.#sqlite.inTransaction) this.#exec("ROLLBACK")
      throw error
    }
  }

  close(): void {
    if (!this.#open) return
    try {
      this.#guarded(() => this.#flush.close())
    } finally {
      this.#open = false
      this.#statements.clear()
      this.#sqlite.close()
    }
  }

  /**
   * Sets the journal to write ahead. Where SQLite cannot do that, as on some network drives, it waits for the disk
   * itself.
   */
  #setJournal(): void {
    const isAhead = this.#journal() === "wal"
    this.#exec(`PRAGMA synchronous = ${isAhead ? "NORMAL" : "FULL"}`)
    const log = `${this.path}-wal`
    const files = new Identity([this.path, ...(isAhead ? [log, `${this.path}-shm`] : [])])
    const verify = (first?: number) => {
      if (files.isChanged(first)) throw removed(this.path)
    }
    // The database alone tells of most mishaps before anything is written; what is left shows before it is acknowledged.
    this.#flush = new Flush(isAhead ? log : undefined, { before: () => verify(1), after: () => verify() })
  }

  /** Asks for the journal. SQLite does not wait for another process that sets it in a new file at this moment. */
  #journal(): unknown {
    for (const until = Date.now() + BUSY_MS; ; blockThread())
      try {
        return this.rows("PRAGMA journal_mode = WAL")[0]?.journal_mode
      } catch (error) {
        if (!(error instanceof StoreError && error.code === "unavailable") || Date.now() > until) throw error
      }
  }

  #checkOwner(): void {
    // At one moment: another process may be making the store just now.
    const { isEmpty, isForeign, version } = this.reading(() => ({
      isEmpty: this.rows("SELECT 1 FROM sqlite_schema LIMIT 1").length === 0,
      isForeign: this.#pragma("application_id") !== APPLICATION,
      version: this.#pragma("user_version"),
    }))
    if (isForeign && !isEmpty) throw damaged(this.path, "it is a database of another program")
    if (!isForeign && version > MIGRATIONS.length)
      throw new StoreError(
        "newer",
        `The store ${this.path} was written by a newer Sotto (version ${version}; this one knows ${MIGRATIONS.length}).`,
        "Use a newer Sotto, or move the file away to begin with an empty store. Nothing was changed.",
      )
  }

  #migrate(): void {
    if (this.#pragma("user_version") === MIGRATIONS.length) return
    this.transaction(() => {
      // Another process may have done it meanwhile.
      for (const step of MIGRATIONS.slice(this.#pragma("user_version"))) this.#exec(step)
      this.#exec(`PRAGMA user_version = ${MIGRATIONS.length}; PRAGMA application_id = ${APPLICATION}`)
    })
  }

  #pragma(name: string): number {
    return Number(this.rows(`PRAGMA ${name}`)[0]?.[name])
  }

  #exec(sql: string): void {
    this.#guarded(() => this.#sqlite.exec(sql))
  }

  #statement(sql: string): Libsql.Statement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#sqlite.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  #guarded<T>(work: () => T): T {
    if (!this.#open) throw new StoreError("not-open", `The store ${this.path} is closed.`, "Open it again.")
    try {
      return work()
    } catch (error) {
      throw translated(error, this.path)
    }
  }
}
