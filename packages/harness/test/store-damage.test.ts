import { copyFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Entry } from "@sotto/core"
import Sqlite from "libsql"
import { describe, expect, it, onTestFinished } from "vitest"
import { readStored } from "../src/store/read.js"
import { openStore, type Store } from "../src/store/store.js"
import { stored, temporary, work } from "./store-support.js"

async function storeAt(path = join(temporary(), "sotto.db")): Promise<Store> {
  const store = await openStore(path)
  onTestFinished(() => store.close())
  return store
}

/** A store with the sessions "good" and "bad", both given back. */
async function twoSessions(): Promise<Store> {
  const store = await storeAt()
  for (const id of ["good", "bad"]) {
    work(await stored(store, id), `Read it, ${id}`)
    await store.release(id)
  }
  return store
}

function damage(store: Store, sql: string): void {
  const sqlite = new Sqlite(store.path)
  sqlite.exec(sql)
  sqlite.close()
}

const NOT_UTF8 = "CAST(x'22ff22' AS TEXT)"
const BAD = "(SELECT key FROM sessions WHERE id = 'bad')"

describe("a text that is not UTF-8", () => {
  it.each(["title", "cwd", "agent", "model", "summary", "parent"])(
    "as the %s of a session marks that session, and hides no other",
    async (column) => {
      const store = await twoSessions()
      damage(store, `UPDATE sessions SET ${column} = ${NOT_UTF8} WHERE id = 'bad'`)
      const listed = new Map((await store.list()).map(({ id, damaged }) => [id, damaged]))
      expect(listed.get("bad")).toContain(column)
      expect(listed.get("good")).toBeUndefined()
      await expect(async () => store.exportJsonl("bad")).rejects.toThrow(/bad .*`sotto sessions repair bad`/)
      expect((await store.latest("/work"))?.id).toBe("good")
      expect(await store.repair("bad")).toMatchObject({ id: "bad", why: expect.stringContaining(column) })
      expect((await store.list()).every((one) => one.damaged === undefined)).toBe(true)
      expect((await readStored(store, "bad")).view()).toHaveLength(3)
    },
  )

  it("as the id of a session leaves it known by the name that it is listed under", async () => {
    const store = await twoSessions()
    damage(store, "UPDATE sessions SET id = CAST(x'62ff64' AS TEXT) WHERE id = 'bad'")
    const broken = (await store.list()).find((one) => one.damaged !== undefined)
    expect(broken?.id).toBe("b\ufffdd")
    expect(await store.repair("b\ufffdd")).toMatchObject({ id: "bad" })
    expect((await store.load("bad")).length).toBeGreaterThan(3)
  })

  it("in an entry is said of that session, and the others can be read", async () => {
    const store = await twoSessions()
    damage(store, `UPDATE entries SET body = ${NOT_UTF8} WHERE seq = 2 AND session = ${BAD}`)
    for (const read of [() => store.load("bad"), () => store.open("bad"), () => store.exportJsonl("bad")])
      await expect(async () => read()).rejects.toThrow(
        /entry 2 of session bad cannot be read.*`sotto sessions repair bad`/,
      )
    expect((await readStored(store, "good")).view()).toHaveLength(3)
  })

  it("as the content of a file or the holder of a session is as good as none", async () => {
    const store = await twoSessions()
    await store.open("bad")
    damage(
      store,
      `INSERT INTO contents (hash, text) VALUES ('h', ${NOT_UTF8}); UPDATE locks SET place = ${NOT_UTF8}`,
    )
    expect(store.content("h")).toBeUndefined()
    await expect(async () => (await storeAt(store.path)).open("bad")).rejects.toThrow(/is open/)
  })
})

it.each([
  ["empty", ""],
  ["too long", "x".repeat(300)],
])("an agent in the log whose name is %s is said of that session, with the remedy", async (_, name) => {
  const store = await twoSessions()
  const other = `json_set(body, '$.agent', '${name}')`
  damage(store, `UPDATE entries SET body = ${other} WHERE seq = 0 AND session = ${BAD}`)
  await expect(async () => readStored(store, "bad")).rejects.toThrow(
    /agents.*of session bad.*`sotto sessions repair bad`/,
  )
  expect((await readStored(store, "good")).view()).toHaveLength(3)
})

describe("a time that is none", () => {
  it.each(["9e15", "'soon'", "x'00'", "1e300"])(
    "(%s) marks its session, and hides no other",
    async (value) => {
      const store = await twoSessions()
      damage(store, `UPDATE sessions SET updated = ${value} WHERE id = 'bad'`)
      for (const { updated } of await store.list()) expect(new Date(updated).toISOString()).toBeTruthy()
      expect(await store.list()).toHaveLength(2)
    },
  )
})

describe("a log of SQLite that was damaged", () => {
  const noted = (seq: number): Entry => ({ type: "noted", signal: { type: "x" }, seq, at: seq })

  /** A copy of a store with nine entries that were said to be on disk, as kill -9 would have left it. */
  async function leftBehind(): Promise<string> {
    const store = await storeAt()
    const session = await stored(store, "s")
    session.say("Begin.")
    for (let seq = 2; seq < 9; seq++) {
      store.appendLater("s", [noted(seq)])
      await store.durable("s")
    }
    await store.release("s")
    const path = join(temporary(), "sotto.db")
    for (const end of ["", "-wal", "-acknowledged"]) copyFileSync(`${store.path}${end}`, `${path}${end}`)
    return path
  }

  it("loses nothing and warns of nothing if it is whole, or has more at its end than was said", async () => {
    const path = await leftBehind()
    const store = await storeAt(path)
    expect(await store.load("s")).toHaveLength(9)
    expect(await store.lost()).toEqual([])
  })

  it.each([0.5, 0.8])(
    "and lost entries that had been on disk is told, with the session (%d)",
    async (share) => {
      const path = await leftBehind()
      const wal = readFileSync(`${path}-wal`)
      // The frames that were written, without the room behind them.
      const end = Math.floor(lastCommit(wal) * share)
      wal.fill(0x5a, end, end + 64)
      writeFileSync(`${path}-wal`, wal)
      const store = await storeAt(path)
      const losses = await store.lost()
      expect(losses).toHaveLength(1)
      expect(losses[0]?.message).toMatch(/^The store was damaged.*session s/)
      const left = losses[0]?.left ?? 0
      // This process lives, which the one that was killed would not.
      damage(store, "DELETE FROM locks")
      if (left > 0) {
        expect(await store.open("s")).toHaveLength(left)
        const saved = readdirSync(join(dirname(path), "damaged"))
        expect(saved).toEqual(["sotto.db-wal-1"])
        store.append("s", [noted(left)])
        expect(await store.lost()).toEqual([])
      } else {
        await store.delete("s")
        expect(await store.lost()).toEqual([])
      }
    },
  )

  it("and is gone altogether is told, until the session is deleted", async () => {
    const path = await leftBehind()
    truncateSync(`${path}-wal`, 0)
    truncateSync(path, 0)
    const store = await storeAt(path)
    expect(await store.lost()).toMatchObject([{ session: "s", left: 0 }])
    work(await stored(store, "new"), "Another one")
    expect(await store.lost()).toMatchObject([{ session: "s", left: 0 }])
    expect(await store.delete("s")).toEqual(["s"])
    expect(await store.lost()).toEqual([])
  })
})

/** Where the last frame ends that ends a transaction. */
function lastCommit(wal: Buffer): number {
  const page = wal.readUInt32BE(8)
  let end = 32
  for (let at = 32; at + 24 + page <= wal.length; at += 24 + page)
    if (wal.readUInt32BE(at + 4) > 0 && wal.subarray(at + 8, at + 16).equals(wal.subarray(16, 24)))
      end = at + 24 + page
  return end
}
