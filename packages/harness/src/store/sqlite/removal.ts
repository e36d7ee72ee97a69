import { namesIn } from "../names.js"
import type { Database } from "./database.js"
import { rawLog } from "./log-rows.js"
import { nearestText, textIn } from "./text.js"

/** Removes a session and what only it has: its log with the queue in it, its lock, texts of files that no other log names. */
export function removeSession(database: Database, key: number): void {
  const texts = textsOnlyIn(database, key)
  for (const hash of texts) database.run("DELETE FROM contents WHERE hash = ?", hash)
  removeRows(database, key)
}

/** Removes the rows of a session, and leaves texts of files where they are. */
export function removeRows(database: Database, key: number): void {
  database.run("DELETE FROM entries WHERE session = ?", key)
  database.run("DELETE FROM posted WHERE session = ?", key)
  database.run("DELETE FROM locks WHERE session = ?", key)
  database.run("DELETE FROM sessions WHERE key = ?", key)
}

/** Lists the texts that the log of a session names. */
export function textsIn(database: Database, key: number): ReadonlySet<string> {
  const kept = new Set(
    database
      .rows("SELECT CAST(hash AS BLOB) AS hash FROM contents")
      .flatMap(({ hash }) => textIn(hash) ?? []),
  )
  const own = new Set<string>()
  for (const name of namesOf(database, key)) if (kept.has(name)) own.add(name)
  return own
}

function textsOnlyIn(database: Database, key: number): ReadonlySet<string> {
  const own = new Set(textsIn(database, key))
  for (const { key: other } of database.rows("SELECT CAST(key AS INTEGER) AS key FROM sessions")) {
    if (own.size === 0) break
    if (other !== key) for (const name of namesOf(database, Number(other))) own.delete(name)
  }
  return own
}

function* namesOf(database: Database, key: number): Generator<string> {
  for (const { body } of rawLog(database, key)) yield* namesIn(nearestText(body))
}
