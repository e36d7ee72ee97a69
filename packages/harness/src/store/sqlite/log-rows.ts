import type { Entry } from "@sotto/core"
import { jsonIn } from "@sotto/core/dialect"
import type { Database } from "./database.js"
import { textIn } from "./text.js"

/** A log as far as it can be read. */
export interface ReadableLog {
  readonly entries: readonly Entry[]
  /** Why the log ends here, if there should be more of it. */
  readonly broken?: string
}

/** Reads a log up to the first entry that is missing or no JSON. */
export function readLog(database: Database, key: number): ReadableLog {
  const [session] = database.rows(
    "SELECT CAST(entries AS INTEGER) AS entries FROM sessions WHERE key = ?",
    key,
  )
  const entries: Entry[] = []
  for (const { seq, body } of rawLog(database, key)) {
    const found = seq === entries.length ? (jsonIn(textIn(body)) as Entry | undefined) : undefined
    if (found === undefined) return { entries, broken: `entry ${entries.length}` }
    entries.push(found)
  }
  return entries.length === session?.entries ? { entries } : { entries, broken: `entry ${entries.length}` }
}

/** Reads the entries of a log from a sequence number on, up to the first that is missing or is not JSON. */
export function readLogFrom(database: Database, key: number, from: number, most = -1): readonly Entry[] {
  const entries: Entry[] = []
  const rows = database.rows(
    "SELECT CAST(seq AS INTEGER) AS seq, CAST(body AS BLOB) AS body FROM entries WHERE session = ? AND seq >= ? ORDER BY seq LIMIT ?",
    ...[key, from, most],
  )
  for (const { seq, body } of rows) {
    const found = seq === from + entries.length ? (jsonIn(textIn(body)) as Entry | undefined) : undefined
    if (found === undefined) break
    entries.push(found)
  }
  return entries
}

/** Reads the rows of a log as they are, in order. */
export function rawLog(database: Database, key: number) {
  return database.rows(
    "SELECT CAST(seq AS INTEGER) AS seq, CAST(body AS BLOB) AS body FROM entries WHERE session = ? ORDER BY seq",
    key,
  )
}
