import type { Entry } from "@sotto/core"
import { openStore, type Store } from "@sotto/harness"

import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { newAddress, readAddress, schemaOf, storeAt, usePostgres } from "../../harness/test/store-kinds.js"
import { failing, opening } from "../../harness/test/store-support.js"
import { Connection } from "../src/connection.js"
import { migrate } from "../src/migrate.js"
import { MIGRATIONS, type Migration } from "../src/schema.js"

const server = usePostgres()
const noted = (seq: number): Entry => ({ type: "noted", signal: { type: "x" }, seq, at: seq })

const NEXT = MIGRATIONS.length + 1
/** What a newer program may add: what older ones do not know, and need not. */
const additive: Migration = {
  minReader: 1,
  sql: (schema) => `
    ALTER TABLE ${schema}.sessions ADD COLUMN colour text;
    CREATE TABLE ${schema}.labels (session bigint NOT NULL REFERENCES ${schema}.sessions (key), label text NOT NULL);
  `,
}

/** Opens the store as a newer program does, which knows one more step. */
async function upgrade(address: string, step: Migration): Promise<number> {
  const known = readAddress(address)
  const connection = new Connection(known)
  try {
    return await migrate(connection, known, [...MIGRATIONS, step])
  } finally {
    await connection.close()
  }
}

/** A store at which a worker of the older version is at work on the session "s", until it is told to stop. */
async function atWork(address: string) {
  const store = await storeAt(address)
  await store.create({ cwd: "/a" }, opening("s", 0))
  let isOver = false
  let written = 0
  const writing = (async () => {
    while (!isOver) {
      store.appendLater("s", [noted(written + 1)])
      await store.durable("s")
      written++
    }
  })()
  return {
    store,
    written: () => written,
    stop: async () => {
      isOver = true
      await writing
      return written
    },
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe("a schema of version 1", () => {
  /** The columns that a worker of version 1 writes when it makes a session. */
  const COLUMNS = "id, cwd, agent, model, created, updated, entries, messages"

  it("is brought to labels and metadata while a worker of version 1 writes to it", async () => {
    const address = newAddress(server())
    const known = readAddress(address)
    const connection = new Connection(known)
    onTestFinished(() => connection.close())
    expect(await migrate(connection, known, MIGRATIONS.slice(0, 1))).toBe(1)
    const older = async (id: string) => {
      const insert = `INSERT INTO ${schemaOf(address)}.sessions (${COLUMNS}) VALUES ($1, '/a', 'build', 'm', 0, 0, 1, 0) RETURNING key`
      const [row] = await connection.rows(insert, [id])
      const log = `INSERT INTO ${schemaOf(address)}.entries (session, seq, body) VALUES ($1, 0, $2)`
      await connection.rows(log, [row?.key, JSON.stringify(opening(id, 0)[0])])
    }
    await older("before")
    const newer = await storeAt(address)
    expect(newer.state().version).toBe(MIGRATIONS.length)
    await older("after")
    for (const id of ["before", "after"]) {
      expect(await newer.about(id)).not.toHaveProperty("labels")
      await newer.describe(id, { labels: ["a"], metadata: { ticket: "12" } })
      // What an append of the older worker updates leaves them as they are.
      await connection.rows(`UPDATE ${schemaOf(address)}.sessions SET title = 'Old' WHERE id = $1`, [id])
      expect(await newer.about(id)).toMatchObject({
        ...{ title: "Old", labels: ["a"], metadata: { ticket: "12" } },
      })
      expect(await newer.open(id)).toHaveLength(1)
    }
  })
})

describe("a newer version", () => {
  it("that only adds is rolled out while older workers are at work, which lose nothing", async () => {
    const address = newAddress(server())
    const older = await atWork(address)
    await until(() => older.written() > 20)
    expect(await upgrade(address, additive)).toBe(NEXT)
    const before = older.written()
    await until(() => older.written() > before + 20)
    // One that is started now, of the older version, goes on too.
    const second = await storeAt(address)
    await second.create({ cwd: "/b" }, opening("t", 0))
    expect(second.state().version).toBe(NEXT)
    await second.check()
    const written = await older.stop()
    expect(older.store.lease("s")?.fence).toBe(1)
    expect((await second.load("s")).map(({ seq }) => seq)).toEqual(
      Array.from({ length: written + 1 }, (_, i) => i),
    )
    await older.store.release("s")
    expect(await second.open("s")).toHaveLength(written + 1)
  })

  it("waits for a report that holds a table, a moment at a time, and workers keep their leases", async () => {
    const address = newAddress(server(), "&lease=4")
    const older = await atWork(address)
    await until(() => older.written() > 5)
    const report = new pg.Client({ connectionString: address.replace(/\?.*/, "") })
    await report.connect()
    onTestFinished(() => report.end())
    await report.query("BEGIN")
    await report.query(`SELECT count(*) FROM ${schemaOf(address)}.sessions`)
    const upgrading = upgrade(address, additive)
    const isWaiting = async () => {
      const [row] = await server().query(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
        [`ALTER TABLE%${schemaOf(address)}%`],
      )
      return row !== undefined
    }
    while (!(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 5))
    // Workers wait behind the migration, and go on when it gives up for now.
    const before = older.written()
    await until(() => older.written() > before + 5)
    const [waiting] = await server().query(
      `SELECT max(version) AS version FROM ${schemaOf(address)}.migrations`,
    )
    expect(waiting).toEqual({ version: MIGRATIONS.length })
    await report.query("COMMIT")
    expect(await upgrading).toBe(NEXT)
    await older.stop()
    expect(older.store.lease("s")?.fence).toBe(1)
  })

  it("that older workers cannot read takes their sessions away, and they say that they must be replaced", async () => {
    const address = newAddress(server())
    const older = await storeAt(address)
    await older.create({ cwd: "/a" }, opening("s", 0))
    older.appendLater("s", [noted(1)])
    await older.durable("s")
    const lost = new Promise<string>((resolve) => older.onLost("s", ({ code }) => resolve(code)))
    expect(await upgrade(address, { ...additive, minReader: NEXT })).toBe(NEXT)
    older.appendLater("s", [noted(2)])
    expect((await failing(() => older.durable("s"))).code).toBe("lost")
    expect(await lost).toBe("lost")
    const replaced = { code: "newer", message: expect.stringContaining("Use a newer Sotto") }
    await older.release("s")
    const refused: readonly ((store: Store) => unknown)[] = [
      (store) => store.check(),
      (store) => store.open("s"),
      (store) => store.create({ cwd: "/b" }, opening("t", 0)),
    ]
    for (const ask of refused) expect(await failing(() => ask(older))).toMatchObject(replaced)
    expect(await failing(() => openStore(address))).toMatchObject(replaced)
    // What it had is there for the newer one, which finds the session free.
    const [row] = await server().query(
      `SELECT s.entries, l.until < now() AS free FROM ${schemaOf(address)}.sessions s JOIN ${schemaOf(address)}.leases l ON l.session = s.key`,
    )
    expect(row).toEqual({ entries: 2, free: true })
  })
})
