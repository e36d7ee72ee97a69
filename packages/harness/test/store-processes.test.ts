import { once } from "node:events"
import { readdirSync, utimesSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import type { Entry } from "@sotto/core"
import Sqlite from "libsql"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { openStore, type Store } from "../src/store/store.js"
import { storeKinds } from "./store-kinds.js"
import { program, run, temporary } from "./store-support.js"

/** Appends for ever, and says after each entry that it is durable. */
const WRITER = `
const [path, id] = process.argv.slice(2)
const store = await openStore(path)
await store.create({ cwd: "/w" }, [{ type: "opened", version: 1, id, agent: "build", model: { id: "m" }, seq: 0, at: 0 }])
for (let seq = 1; ; seq++) {
  await store.append(id, [{ type: "noted", signal: { type: "x", text: "y".repeat(seq % 9000) }, seq, at: seq }])
  writeSync(1, seq + "\\n")
}
`

/** Opens a session, says what came of it, and keeps it until its input ends. */
const HOLDER = `
const [path, id] = process.argv.slice(2)
const store = await openStore(path)
try {
  writeSync(1, "open " + (await store.open(id)).length + "\\n")
} catch (error) {
  writeSync(1, error.code + " " + error.message + "\\n")
}
process.stdin.on("end", async () => { await store.close(); writeSync(1, "closed\\n") }).resume()
`

/** Opens a session as soon as the lease of its dead holder has ended. */
async function openedBy(store: Store, id: string): Promise<readonly Entry[]> {
  return await vi.waitFor(() => store.open(id), { timeout: 20_000, interval: 50 })
}

/** A store that has a session `s` open. */
async function withSession(path: string) {
  const store = await openStore(path)
  onTestFinished(() => store.close())
  await store.create({ cwd: "/w" }, [
    { type: "opened", version: 1, id: "s", agent: "build", model: { id: "m" }, seq: 0, at: 0 },
  ])
  return store
}

describe.each(storeKinds("&lease=2"))("in $name,", ({ place }) => {
  test("what a process was told is durable is there after SIGKILL, whenever that comes", async () => {
    const folder = temporary()
    const path = place()
    const writer = program(folder, WRITER)
    for (const [i, count] of [1, 2, 7, 40, 150].entries()) {
      const { child, line, ended } = run(writer, path, `s${i}`)
      let told = 0
      while (told < count) told = Number(await line())
      child.kill("SIGKILL")
      for (let more = await line(); more !== undefined; more = await line()) told = Number(more)
      await ended
      const store = await openStore(path)
      // The dead hold nothing, or not for long: it has all it was told and at most one entry more.
      const log = await openedBy(store, `s${i}`)
      expect(log.length - 1).toBeGreaterThanOrEqual(told)
      expect(log.length - 1).toBeLessThanOrEqual(told + 1)
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, seq) => seq))
      store.append(`s${i}`, [{ type: "cancelled", id: "m", seq: log.length, at: 0 }])
      await store.close()
    }
  })

  test("a session that another process has open is refused with its number, until that lets go", async () => {
    const folder = temporary()
    const path = place()
    const store = await withSession(path)
    const holder = program(folder, HOLDER)

    const refused = run(holder, path, "s")
    expect(await refused.line()).toMatch(
      new RegExp(`^locked The session s is open in process ${process.pid} on `),
    )
    refused.child.stdin?.end()

    await store.release("s")
    const other = run(holder, path, "s")
    expect(await other.line()).toBe("open 1")
    await expect(async () => store.open("s")).rejects.toThrow(expect.objectContaining({ code: "locked" }))
    expect(await store.load("s")).toHaveLength(1)
    other.child.stdin?.end()
    expect(await other.line()).toBe("closed")
    expect(await store.open("s")).toHaveLength(1)
  })

  test("many processes may make the store and write to it at once", async () => {
    const folder = temporary()
    const path = place()
    const writer = program(folder, WRITER)
    const running = Array.from({ length: 4 }, (_, i) => run(writer, path, `s${i}`))
    const told = await Promise.all(
      running.map(async ({ child, line, ended }) => {
        let seq = 0
        while (seq < 50) seq = Number(await line())
        child.kill("SIGKILL")
        for (let more = await line(); more !== undefined; more = await line()) seq = Number(more)
        await ended
        return seq
      }),
    )
    const store = await openStore(path)
    onTestFinished(() => store.close())
    for (const [i, seq] of told.entries()) expect((await store.load(`s${i}`)).length).toBeGreaterThan(seq)
  })
})

test("what is written stays where others find it, however often this process opens the store and others close it", async () => {
  const folder = temporary()
  const path = join(folder, "sotto.db")
  const store = await withSession(path)
  const again = await openStore(path)
  onTestFinished(() => again.close())
  const holder = program(folder, HOLDER)
  const visitor = run(holder, path, "nobody")
  expect(await visitor.line()).toMatch(/^unknown-session /)
  visitor.child.stdin?.end()
  expect(await visitor.line()).toBe("closed")

  store.append("s", [{ type: "cancelled", id: "m", seq: 1, at: 0 }])
  await store.release("s")
  const other = run(holder, path, "s")
  expect(await other.line()).toBe("open 2")
  other.child.stdin?.end()
  await other.ended
})

test("a number that another process has by now does not keep a session closed", async () => {
  const path = join(temporary(), "sotto.db")
  const store = await withSession(path)
  const sqlite = new Sqlite(path)
  sqlite.exec("UPDATE locks SET token = 'gone', birth = 'long ago'")
  sqlite.close()
  expect(() => store.append("s", [{ type: "cancelled", id: "m", seq: 1, at: 0 }])).toThrow(
    expect.objectContaining({ code: "conflict" }),
  )
  expect(await store.open("s")).toHaveLength(1)
})

test("nothing of SQLite is loaded before a store is opened", async () => {
  const folder = temporary()
  const file = program(
    folder,
    `
    const loaded = () => process.report.getReport().sharedObjects.some((name) => name.includes("libsql"))
    writeSync(1, String(loaded()))
    await (await openStore(process.argv[2])).close()
    writeSync(1, " " + loaded() + "\\n")
    `,
  )
  const { child, line } = run(file, join(folder, "sotto.db"))
  expect(await line()).toBe("false true")
  if (child.exitCode === null) await once(child, "exit")
  expect(child.exitCode).toBe(0)
})

test("a holder that was killed holds nothing, even if its number, or the name of its machine, is somebody else's by now", async () => {
  const folder = temporary()
  const path = join(folder, "sotto.db")
  await (await withSession(path)).release("s")
  const killed = run(program(folder, HOLDER), path, "s")
  expect(await killed.line()).toBe("open 1")
  killed.child.kill("SIGKILL")
  await killed.ended
  // As in a container that is started again: the same number, which is alive, in a namespace that cannot be looked into.
  const sqlite = new Sqlite(path)
  sqlite.exec(`UPDATE locks SET pid = ${process.pid}, place = 'elsewhere pid:[1] ', beat = ${Date.now()}`)
  sqlite.close()
  const store = await openStore(path)
  onTestFinished(() => store.close())
  expect(await store.open("s")).toHaveLength(1)
})

test("a holder that lives keeps its session, whatever its number means here", async () => {
  const folder = temporary()
  const path = join(folder, "sotto.db")
  await (await withSession(path)).release("s")
  const holder = run(program(folder, HOLDER), path, "s")
  expect(await holder.line()).toBe("open 1")
  const sqlite = new Sqlite(path)
  sqlite.exec(
    `UPDATE locks SET pid = ${process.pid}, birth = 'long ago', place = 'elsewhere pid:[1] x', beat = 0`,
  )
  sqlite.close()
  const store = await openStore(path)
  onTestFinished(() => store.close())
  await expect(async () => store.open("s")).rejects.toThrow(
    `The session s is open in process ${process.pid} on elsewhere.`,
  )
  holder.child.stdin?.end()
  expect(await holder.line()).toBe("closed")
  expect(await store.open("s")).toHaveLength(1)
})

test.each([
  [
    "of an earlier start of this machine",
    () => `'${hostname()} ' || substr(place, instr(place, ' ') + 1)`,
    "boot",
    true,
  ],
  ["that was silent for long elsewhere", () => "'elsewhere pid:[1] other'", "old", true],
  ["that was heard of just now elsewhere", () => "'elsewhere pid:[1] other'", "new", false],
])(
  "without a lock of the system, a holder %s is judged by its place and its last sign",
  async (_, place, when, isFree) => {
    const path = join(temporary(), "sotto.db")
    await withSession(path)
    const beat = when === "old" ? Date.now() - 3_600_000 : Date.now()
    const sqlite = new Sqlite(path)
    sqlite.exec(`UPDATE locks SET token = 'gone', beat = ${beat}, place = ${place()}`)
    if (when === "boot") sqlite.exec("UPDATE locks SET place = place || '-before'")
    sqlite.close()
    const store = await openStore(path)
    onTestFinished(() => store.close())
    if (isFree) expect(await store.open("s")).toHaveLength(1)
    else await expect(async () => store.open("s")).rejects.toThrow("is open in process")
  },
)

test("locks of processes that ended without a word are cleared away, and those of the living are not", async () => {
  const folder = temporary()
  const path = join(folder, "sotto.db")
  const store = await withSession(path)
  const locks = `${path}-locks`
  const [own = ""] = readdirSync(locks)
  const longAgo = new Date(Date.now() - 3_600_000)
  for (let i = 0; i < 30; i++) writeFileSync(join(locks, `dead-${i}`), "")
  for (const name of readdirSync(locks)) utimesSync(join(locks, name), longAgo, longAgo)
  const other = await openStore(path)
  await other.create({ cwd: "/w" }, [
    { type: "opened", version: 1, id: "t", agent: "build", model: { id: "m" }, seq: 0, at: 0 },
  ])
  expect(readdirSync(locks)).toHaveLength(2)
  expect(readdirSync(locks)).toContain(own)
  await other.close()
  store.append("s", [{ type: "cancelled", id: "m", seq: 1, at: 0 }])
  expect(readdirSync(locks)).toEqual([own])
})
