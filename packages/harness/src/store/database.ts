import { closeSync, mkdirSync, openSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import type Libsql from "libsql"
import { damaged, StoreError, translated } from "./error.js"
import { APPLICATION, MIGRATIONS } from "./schema.js"

export type Row = Readonly<Record<string, unknown>>
type Value = string | number | null

/** A file of SQLite, durable at every commit. */
export class Database {
  readonly path: string
  readonly #sqlite: Libsql.Database
  readonly #statements = new Map<string, Libsql.Statement>()
  #open = true

  /** Opens the file or makes it. One that is damaged, foreign or newer is refused, and left as it is. */
  constructor(path: string) {
    this.path = path
    this.#sqlite = this.#guarded(() => connect(path))
    try {
      this.#exec("PRAGMA busy_timeout = 5000")
      this.#checkOwner()
      this.#exec("PRAGMA journal_mode = WAL")
      this.#exec("PRAGMA synchronous = FULL")
      this.#exec("PRAGMA foreign_keys = ON")
      this.#migrate()
    } catch (error) {
      this.close()
      throw error
    }
  }

  rows(sql: string, ...values: readonly Value[]): readonly Row[] {
    // Never `get`: libsql does not reset the statement then, and a read transaction stays open.
    return this.#guarded(() => this.#statement(sql).all(...values) as Row[])
  }

  /** How many rows it changed. */
  run(sql: string, ...values: readonly Value[]): number {
    return this.#guarded(() => this.#statement(sql).run(...values).changes)
  }

  /** All of it or nothing; on return it is on disk. */
  transaction<T>(work: () => T): T {
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
    this.#open = false
    this.#statements.clear()
    this.#sqlite.close()
  }

  #checkOwner(): void {
    const version = this.#pragma("user_version")
    const isForeign = this.#pragma("application_id") !== APPLICATION
    if (isForeign && this.rows("SELECT 1 FROM sqlite_schema LIMIT 1").length > 0)
      throw damaged(this.path, "it is a database of another program")
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

/** SQLite is loaded here and not before: it takes longer to load than all the rest. */
function connect(path: string): Libsql.Database {
  const Sqlite = createRequire(import.meta.url)("libsql") as typeof Libsql
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  make(path)
  return new Sqlite(path)
}

/**
 * Conversations are nobody else's business; SQLite gives its other files the same mode. A file that is there is not
 * even opened: closing it again would undo the locks that other stores of this process have on it.
 */
function make(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600))
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  }
}
