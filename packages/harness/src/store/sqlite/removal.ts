import type { Database } from "./database.js"
import { rawLog } from "./log-rows.js"
import { nearestText, textIn } from "./text.js"

/** Removes a session and what only it has: its log with the queue in it, its lock, texts of files that no other log names. */
export function removeSession(database: Database, key: number): void {
  const texts = textsOnlyIn(database, key)
  for (const hash of texts) database.run("DELETE FROM contents WHERE hash = ?", hash)
  database.run("DELETE FROM entries WHERE session = ?", key)
  database.run("DELETE FROM posted WHERE session = ?", key)
  database.run("DELETE FROM locks WHERE session = ?", key)
  database.run("DELETE FROM sessions WHERE key = ?", key)
}

/** What a log could name a text by: its hash, as a string of its own. */
const NAMES = /"([\w+/=-]{16,200})"/g

function textsOnlyIn(database: Database, key: number): ReadonlySet<string> {
  const kept = new Set(
    database
      .rows("SELECT CAST(hash AS BLOB) AS hash FROM contents")
      .flatMap(({ hash }) => textIn(hash) ?? []),
  )
  const own = new Set<string>()
  for (const name of namesIn(database, key)) if (kept.has(name)) own.add(name)
  for (const { key: other } of database.rows("SELECT CAST(key AS INTEGER) AS key FROM sessions")) {
    if (own.size === 0) break
    if (other !== key) for (const name of namesIn(database, Number(other))) own.delete(name)
  }
  return own
}

function* namesIn(database: Database, key: number): Generator<string> {
  for (const { body } of rawLog(database, key))
    for (const [, name] of nearestText(body).matchAll(NAMES)) if (name !== undefined) yield name
}
