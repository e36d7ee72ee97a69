import { closeSync, openSync } from "node:fs"
import { createRequire } from "node:module"
import type Libsql from "libsql"

/** SQLite is loaded here and not before: it takes longer to load than all the rest. */
export function connect(path: string): Libsql.Database {
  const Sqlite = createRequire(import.meta.url)("libsql") as typeof Libsql
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
