import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Entry } from "@sotto/core"
import Sqlite from "libsql"
import { describe, expect, it, onTestFinished } from "vitest"
import { archiveSessions } from "../src/store/archive.js"
import { exportText } from "../src/store/archive-files.js"
import { readStored } from "../src/store/read.js"
import { openStore, type Store } from "../src/store/store.js"
import { stored, temporary, work } from "./store-support.js"

function storeAt(path = join(temporary(), "sotto.db")): Store {
  const store = openStore(path)
  onTestFinished(() => store.close())
  return store
}

/** A store with the sessions "good" and "bad", both given back. */
function twoSessions(): Store {
  const store = storeAt()
  for (const id of ["good", "bad"]) {
    work(stored(store, id), `Read it, ${id}`)
    store.release(id)
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
    (column) => {
      const store = twoSessions()
      damage(store, `UPDATE sessions SET ${column} = ${NOT_UTF8} WHERE id = 'bad'`)
      const listed = new Map(store.list().map(({ id, damaged }) => [id, damaged]))
      expect(listed.get("bad")).toContain(column)
      expect(listed.get("good")).toBeUndefined()
      expect(() => store.exportJsonl("bad")).toThrow(/bad .*`sotto sessions repair bad`/)
      expect(store.latest("/work")?.id).toBe("good")
      expect(store.repair("bad")).toMatchObject({ id: "bad", why: expect.stringContaining(column) })
      expect(store.list().every((one) => one.damaged === undefined)).toBe(true)
      expect(readStored(store, "bad").view()).toHaveLength(3)
    },
  )

  it("as the id of a session leaves it known by the name that it is listed under", () => {
    const store = twoSessions()
    damage(store, "UPDATE sessions SET id = CAST(x'62ff64' AS TEXT) WHERE id = 'bad'")
    const broken = store.list().find((one) => one.damaged !== undefined)
    expect(broken?.id).toBe("b\ufffdd")
    expect(store.repair("b\ufffdd")).toMatchObject({ id: "bad" })
    expect(store.load("bad").length).toBeGreaterThan(3)
  })

  it("in an entry is said of that session, and the others can be read", () => {
    const store = twoSessions()
    damage(store, `UPDATE entries SET body = ${NOT_UTF8} WHERE seq = 2 AND session = ${BAD}`)
    for (const read of [() => store.load("bad"), () => store.open("bad"), () => store.exportJsonl("bad")])
      expect(read).toThrow(/entry 2 of session bad cannot be read.*`sotto sessions repair bad`/)
    expect(readStored(store, "good").view()).toHaveLength(3)
  })

  it("as the content of a file or the holder of a session is as good as none", () => {
    const store = twoSessions()
    store.open("bad")
    damage(
      store,
      `INSERT INTO contents (hash, text) VALUES ('h', ${NOT_UTF8}); UPDATE locks SET place = ${NOT_UTF8}`,
    )
    expect(store.content("h")).toBeUndefined()
    expect(() => storeAt(store.path).open("bad")).toThrow(/is open/)
  })
})

it.each([
  ["empty", ""],
  ["too long", "x".repeat(300)],
])("an agent in the log whose name is %s is said of that session, with the remedy", (_, name) => {
  const store = twoSessions()
  const other = `json_set(body, '$.agent', '${name}')`
  damage(store, `UPDATE entries SET body = ${other} WHERE seq = 0 AND session = ${BAD}`)
  expect(() => readStored(store, "bad")).toThrow(/agents.*of session bad.*`sotto sessions repair bad`/)
  expect(readStored(store, "good").view()).toHaveLength(3)
})

describe("a time that is none", () => {
  it.each(["9e15", "'soon'", "x'00'", "1e300"])("(%s) marks its session, and hides no other", (value) => {
    const store = twoSessions()
    damage(store, `UPDATE sessions SET updated = ${value} WHERE id = 'bad'`)
    for (const { updated } of store.list()) expect(new Date(updated).toISOString()).toBeTruthy()
    expect(store.list()).toHaveLength(2)
  })
})

describe("repairing", () => {
  it.each([
    ["is no JSON", "UPDATE entries SET body = '{'"],
    ["is missing", "DELETE FROM entries"],
    ["lacks a field", "UPDATE entries SET body = json_remove(body, '$.outcomes')"],
    ["is of no known type", "UPDATE entries SET body = json_set(body, '$.type', 'dreamt')"],
  ])("keeps what comes before an entry that %s, and the original as a file", (_, sql) => {
    const store = twoSessions()
    const before = store.load("bad")
    damage(store, `${sql} WHERE seq = 2 AND session = ${BAD}`)
    const repair = store.repair("bad")
    expect(repair).toMatchObject({ id: "bad", kept: 2, before: before.length })
    expect(store.load("bad")).toEqual(before.slice(0, 2))
    expect(readStored(store, "bad").queue()).toHaveLength(1)
    const saved = readFileSync(repair.saved ?? "", "utf8")
      .trim()
      .split("\n")
    expect(saved.at(-1)).toBe(JSON.stringify(before.at(-1)))
    expect(statSync(repair.saved ?? "").mode & 0o777).toBe(0o600)
    expect(store.repair("bad")).toEqual({ id: "bad", kept: 2, before: 2 })
    store.open("bad")
    store.append("bad", [{ type: "cancelled", id: "m1", seq: 2, at: 0 }])
  })

  it("says that nothing can be kept of a session without a beginning, and leaves it", () => {
    const store = twoSessions()
    damage(store, `UPDATE entries SET body = '{' WHERE seq = 0 AND session = ${BAD}`)
    expect(() => store.repair("bad")).toThrow(/Nothing of session bad can be kept.*sotto sessions delete bad/)
    expect(store.delete("bad")).toEqual(["bad"])
    expect(store.list().map(({ id }) => id)).toEqual(["good"])
  })

  it("and deleting wait until nobody has the session open", () => {
    const store = twoSessions()
    const other = storeAt(store.path)
    other.open("bad")
    for (const act of [
      () => store.repair("bad"),
      () => store.delete("bad"),
      () => store.remove("bad", () => 1),
    ])
      expect(act).toThrow(expect.objectContaining({ code: "locked" }))
    other.release("bad")
    expect(store.delete("bad")).toEqual(["bad"])
    expect(() => store.delete("bad")).toThrow(expect.objectContaining({ code: "unknown-session" }))
  })
})

describe("deleting", () => {
  it("removes the session, its subagents' and the texts of files that no other session names", () => {
    const store = twoSessions()
    const shared = "a".repeat(64)
    const own = "b".repeat(64)
    const reads = (seq: number, hash: string): Entry => ({
      ...{ type: "observed", key: `file:${hash}.ts`, seq, at: 0 },
      fact: { is: "known", value: { hash } },
    })
    store.keep(shared, "shared")
    store.keep(own, "own")
    const log = store.open("bad")
    store.append("bad", [reads(log.length, shared), reads(log.length + 1, own)])
    store.append("good", store.open("good").slice(0, 0))
    store.append("good", [reads(log.length, shared)])
    const [opened] = log
    if (opened?.type !== "opened") throw new Error("no beginning")
    store.create({ cwd: "/work", parent: "bad" }, [{ ...opened, id: "child" }])
    for (const id of ["bad", "good", "child"]) store.release(id)
    expect(store.delete("bad")).toEqual(["bad", "child"])
    expect(store.list().map(({ id }) => id)).toEqual(["good"])
    expect(storeAt(store.path).content(shared)).toBe("shared")
    expect(storeAt(store.path).content(own)).toBeUndefined()
  })
})

describe("archiving", () => {
  it("moves old sessions to compressed exports that can be imported, and leaves what is open or damaged", async () => {
    const store = twoSessions()
    work(stored(store, "open"), "Still here")
    work(stored(store, "broken"), "Broken")
    store.release("broken")
    damage(
      store,
      "UPDATE entries SET body = '{' WHERE session = (SELECT key FROM sessions WHERE id = 'broken')",
    )
    const before = store.exportJsonl("good")
    const archived = await archiveSessions(store, { before: Date.now() })
    expect(new Map(archived.sessions.map((one) => [one.id, "path" in one ? "moved" : one]))).toEqual(
      new Map([
        ["good", "moved"],
        ["bad", "moved"],
        ["open", { id: "open", why: expect.stringContaining("is open") }],
        ["broken", { id: "broken", why: expect.stringContaining("cannot be read") }],
      ]),
    )
    expect(
      store
        .list()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(["broken", "open"])
    const file = join(dirname(store.path), "archive", "good.jsonl.gz")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    store.importJsonl(exportText(readFileSync(file)))
    expect(store.exportJsonl("good")).toEqual(before)
    expect((await archiveSessions(store, { before: 0 })).sessions).toEqual([])
    expect(() => exportText(readFileSync(file).subarray(0, 40))).toThrow("Nothing was imported")
  })
})

describe("a log of SQLite that was damaged", () => {
  const noted = (seq: number): Entry => ({ type: "noted", signal: { type: "x" }, seq, at: seq })

  /** A copy of a store with nine entries that were said to be on disk, as kill -9 would have left it. */
  async function leftBehind(): Promise<string> {
    const store = storeAt()
    const session = stored(store, "s")
    session.say("Begin.")
    for (let seq = 2; seq < 9; seq++) {
      store.appendLater("s", [noted(seq)])
      await store.durable("s")
    }
    store.release("s")
    const path = join(temporary(), "sotto.db")
    for (const end of ["", "-wal", "-acknowledged"]) copyFileSync(`${store.path}${end}`, `${path}${end}`)
    return path
  }

  it("loses nothing and warns of nothing if it is whole, or has more at its end than was said", async () => {
    const path = await leftBehind()
    const store = storeAt(path)
    expect(store.load("s")).toHaveLength(9)
    expect(store.lost()).toEqual([])
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
      const store = storeAt(path)
      const losses = store.lost()
      expect(losses).toHaveLength(1)
      expect(losses[0]?.message).toMatch(/^The store was damaged.*session s/)
      const left = losses[0]?.left ?? 0
      // This process lives, which the one that was killed would not.
      damage(store, "DELETE FROM locks")
      if (left > 0) {
        expect(store.open("s")).toHaveLength(left)
        const saved = readdirSync(join(dirname(path), "damaged"))
        expect(saved).toEqual(["sotto.db-wal-1"])
        store.append("s", [noted(left)])
        expect(store.lost()).toEqual([])
      } else {
        store.delete("s")
        expect(store.lost()).toEqual([])
      }
    },
  )

  it("and is gone altogether is told, until the session is deleted", async () => {
    const path = await leftBehind()
    truncateSync(`${path}-wal`, 0)
    truncateSync(path, 0)
    const store = storeAt(path)
    expect(store.lost()).toMatchObject([{ session: "s", left: 0 }])
    work(stored(store, "new"), "Another one")
    expect(store.lost()).toMatchObject([{ session: "s", left: 0 }])
    expect(store.delete("s")).toEqual(["s"])
    expect(store.lost()).toEqual([])
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
