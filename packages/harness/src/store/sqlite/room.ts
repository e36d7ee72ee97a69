import type Libsql from "libsql"

/** For some dozens of steps. Bytes. */
const ROOM = 512 * 1024

/**
 * Makes room at the end of SQLite's log: what overwrites is on disk a third sooner than what has a file grow. A
 * transaction that is taken back does it, because what did not fit into the cache was written to the log by then.
 */
export function makeRoom(sqlite: Libsql.Database, busyTimeout: number): void {
  try {
    sqlite.exec("PRAGMA busy_timeout = 0; PRAGMA cache_size = 8; BEGIN IMMEDIATE")
    sqlite.exec(`INSERT INTO contents (hash, text) VALUES ('', zeroblob(${ROOM}))`)
  } catch {
    // Another connection writes, or the disk is full: it goes without.
  }
  try {
    if (sqlite.inTransaction) sqlite.exec("ROLLBACK")
    sqlite.exec(`PRAGMA busy_timeout = ${busyTimeout}; PRAGMA cache_size = -2000`)
  } catch {
    // No caller asked for this: what is wrong shows in the next commit, which a caller waits for.
  }
}
