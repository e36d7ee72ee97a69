import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { opencodeSessions } from "@sotto/harness"
import type Libsql from "libsql"
import { afterAll, expect, it } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "sotto-foreign-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A database as opencode 1.18 writes it, with what it has not yet taken out of SQLite's log. */
function database(path: string): Libsql.Database {
  const Sqlite = createRequire(import.meta.url)("libsql") as typeof Libsql
  const made = new Sqlite(path)
  made.exec("PRAGMA journal_mode = WAL")
  made.exec("CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT)")
  made.exec("CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT)")
  const message = made.prepare("INSERT INTO message VALUES (?, ?, ?)")
  const part = made.prepare("INSERT INTO part VALUES (?, ?, ?, ?)")
  message.run("m2", "s1", '{"role":"assistant","modelID":"m"}')
  message.run("m1", "s1", '{"role":"user"}')
  message.run("m3", "s2", '{"role":\n"user"')
  part.run("p2", "m1", "s1", '{"type":"text","text":"there"}')
  part.run("p1", "m1", "s1", '{"type":"text","text":"Hello"}')
  return made
}

it("reads the sessions of a database of opencode while that is open, and writes nothing beside it", () => {
  const path = join(folder, "opencode.db")
  const open = database(path)
  const files = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "base64")])
  const before = files()
  const sessions = opencodeSessions(path).map(({ id, messages }) => [id, [...messages()]])
  expect(sessions).toEqual([
    [
      "s1",
      [
        '{"info":{"id":"m1","sessionID":"s1","role":"user"},"parts":[{"type":"text","text":"Hello"},{"type":"text","text":"there"}]}',
        '{"info":{"id":"m2","sessionID":"s1","role":"assistant","modelID":"m"},"parts":[]}',
      ],
    ],
    ["s2", ['{"role": "user"']],
  ])
  expect(files()).toEqual(before)
  open.close()
})

it("refuses another database", () => {
  const path = join(folder, "other.db")
  writeFileSync(path, "SQLite format 3\u0000 and nothing else")
  expect(() => opencodeSessions(path)).toThrow()
})
