import { closeSync, openSync } from "node:fs"
import { createRequire } from "node:module"
import type Libsql from "libsql"

/** Opens a database. Loads SQLite here and not before: it takes longer to load than all the rest. */
export function connect(path: string): Libsql.Database {
  const Sqlite = loadLibsql(createRequire(import.meta.url))
  make(path)
  return new Sqlite(path)
}

/**
 * Loads libsql without the report on the whole process that it asks Node for only to learn which C library there is. Of two
 * ways to learn it, the report is the first and takes longer than to load the rest. If the other one alone leads to no
 * module, libsql is loaded with both.
 */
function loadLibsql(require: NodeJS.Require): typeof Libsql {
  const { report } = process
  if (report === undefined) return require("libsql")
  const { getReport } = report
  let isFirst = true
  report.getReport = (error) => {
    if (!isFirst) return getReport.call(report, error)
    isFirst = false
    return {}
  }
  try {
    return require("libsql")
  } catch {
    report.getReport = getReport
    return require("libsql")
  } finally {
    report.getReport = getReport
  }
}

/**
 * Makes the file readable by its owner only, because conversations are private; SQLite gives its other files the same
 * mode. Does not even open a file that is there: closing it again would undo the locks that other stores of this
 * process have on it.
 */
function make(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600))
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  }
}
