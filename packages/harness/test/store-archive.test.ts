import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { archiveSessions } from "../src/store/archive.js"
import { exportText } from "../src/store/archive-files.js"
import { storeAt, storeKinds } from "./store-kinds.js"
import { failing, opening, temporary } from "./store-support.js"
import { hashOf, idleSession, naming } from "./store-upkeep-support.js"

const ids = (sessions: readonly { readonly id: string }[]) => sessions.map(({ id }) => id)

describe.each(storeKinds())("archiving in $name", ({ place }) => {
  it("moves a session with its subagents' to files, which bring them back byte for byte", async () => {
    const store = await storeAt(place())
    const to = join(temporary(), "deep", "archive")
    await idleSession(store, "one")
    const labels = { labels: ["a", "b"], metadata: { ticket: "12" } }
    await store.describe("one", { title: "A title", summary: "A summary", ...labels })
    await store.create({ cwd: "/work", parent: "one", workspace: "team" }, opening("child", 5_000))
    await store.release("child")
    const before = new Map<string, readonly string[]>()
    for (const id of ["one", "child"]) before.set(id, await store.exportJsonl(id))
    const rows = [await store.upkeep.read("one"), await store.upkeep.read("child")]
    const { sessions } = await archiveSessions(store, { before: Date.now(), to })
    expect(sessions).toEqual(
      ["child", "one"].map((id) => ({ id, path: join(to, `${id}.jsonl.gz`), bytes: expect.any(Number) })),
    )
    expect(await store.list()).toEqual([])
    expect(await store.lost()).toEqual([])
    for (const id of ["one", "child"]) {
      const path = join(to, `${id}.jsonl.gz`)
      expect(statSync(path).mode & 0o777).toBe(0o600)
      await store.importJsonl(exportText(readFileSync(path)))
      expect(await store.exportJsonl(id)).toEqual(before.get(id))
    }
    expect([await store.upkeep.read("one"), await store.upkeep.read("child")]).toEqual(rows)
    expect(await store.about("one")).toMatchObject(labels)
    await archiveSessions(store, { before: Date.now(), to })
    expect(readdirSync(to).sort()).toEqual([
      "child-2.jsonl.gz",
      "child.jsonl.gz",
      "one-2.jsonl.gz",
      "one.jsonl.gz",
    ])
  })

  it("leaves what is open, at work or waited for, with its whole family, and says why", async () => {
    const at = place()
    const [store, other] = [await storeAt(at), await storeAt(at)]
    for (const id of ["idle", "open", "working", "waiting", "parent"]) await idleSession(store, id)
    await store.create({ cwd: "/work", parent: "parent" }, opening("child", 5_000))
    await store.release("child")
    await other.open("open")
    await other.open("child")
    await store.open("working")
    store.setAtWork("working", true)
    await store.release("working")
    await store.post("waiting", { id: "p", command: {} })
    const { sessions } = await archiveSessions(store, { before: Date.now(), to: temporary() })
    const why = Object.fromEntries(sessions.map((one) => [one.id, "why" in one ? one.why : "moved"]))
    expect(why).toEqual({
      idle: "moved",
      open: expect.stringMatching(/^it is open in process \d+$/),
      working: "it has something to do",
      waiting: "it has something to do",
      parent: expect.stringMatching(/^session child of a subagent is open in process \d+$/),
    })
    expect(await store.list()).toHaveLength(5)
    expect((await failing(() => store.remove("waiting", () => 1))).code).toBe("locked")
    expect((await failing(() => store.remove("parent", () => 1))).code).toBe("locked")
    expect(await store.posted("waiting")).toHaveLength(1)
  })

  it("keeps everything if the files cannot be written", async () => {
    const store = await storeAt(place())
    const folder = temporary()
    writeFileSync(join(folder, "file"), "")
    await idleSession(store, "one")
    const failed = archiveSessions(store, { before: Date.now(), to: join(folder, "file") })
    await expect(failed).rejects.toThrow(/file cannot be used: .*Check that the disk has room/)
    expect(ids(await store.list())).toEqual(["one"])
    expect((await store.open("one")).length).toBeGreaterThan(0)
  })

  it("goes by age, by size with the oldest first, and keeps the latest", async () => {
    const store = await storeAt(place())
    const size = 20_000
    for (let i = 0; i < 5; i++) {
      const [opened] = opening(`s${i}`, 1_000 * i)
      if (opened === undefined) throw new Error("no opening")
      await store.create({ cwd: "/work" }, [opened, { ...naming(1, "x".repeat(size)), at: 1_000 * i + 1 }])
      await store.release(`s${i}`)
    }
    const to = temporary()
    const dry = async (wanted: Parameters<typeof archiveSessions>[1]) => {
      const { sessions, reclaimed } = await archiveSessions(store, { ...wanted, to, dryRun: true })
      expect(reclaimed).toEqual({ bytes: 0 })
      return ids(sessions)
    }
    expect(await dry({ before: 2_001 })).toEqual(["s0", "s1"])
    expect(await dry({ bytes: 3.5 * size })).toEqual(["s0", "s1"])
    expect(await dry({ bytes: 0, keepLatest: 3 })).toEqual(["s0", "s1"])
    expect(await dry({ bytes: 1e9 })).toEqual([])
    expect(readdirSync(to)).toEqual([])
    expect(await store.list()).toHaveLength(5)
    const report = await archiveSessions(store, { bytes: 3.5 * size, to })
    expect(ids(report.sessions)).toEqual(["s0", "s1"])
    expect(report.before).toBeGreaterThan(5 * size)
    expect(report.after).toBeLessThan(3.5 * size)
    expect(ids(await store.list())).toEqual(["s4", "s3", "s2"])
  })

  it("removes texts that only archived sessions name, and counts them as size", async () => {
    const store = await storeAt(place())
    const [own, shared] = ["own ".repeat(10_000), "shared"]
    for (const [i, id] of ["old", "new"].entries()) {
      store.keep(hashOf(own), own)
      store.keep(hashOf(shared), shared)
      const [opened] = opening(id, 1_000 * i)
      if (opened === undefined) throw new Error("no opening")
      await store.create({ cwd: "/work" }, [opened])
      const texts = id === "old" ? [own, shared] : [shared]
      await store.append(id, [{ ...naming(1, ...texts.map(hashOf)), at: 1_000 * i + 1 }])
      await store.release(id)
    }
    const report = await archiveSessions(store, { bytes: 2_000, to: temporary() })
    expect(ids(report.sessions)).toEqual(["old"])
    expect(await store.content(hashOf(own))).toBeUndefined()
    expect(await store.content(hashOf(shared))).toBe(shared)
  })
})

it("archiving in SQLite gives room back to the disk once no session is open", async () => {
  const path = join(temporary(), "sotto.db")
  const store = await storeAt(path)
  for (const [i, id] of ["a", "b", "c"].entries()) {
    const [opened] = opening(id, 1_000 * i)
    if (opened === undefined) throw new Error("no opening")
    await store.create({ cwd: "/work" }, [opened, { ...naming(1, "x".repeat(500_000)), at: 1_000 * i + 1 }])
    await store.release(id)
  }
  await store.create({ cwd: "/work" }, opening("open", 9_000))
  await store.release("open")
  const other = await storeAt(path)
  await other.open("open")
  const to = temporary()
  const kept = await archiveSessions(store, { before: 500, to })
  expect(kept.reclaimed).toEqual({
    bytes: 0,
    why: expect.stringContaining("session open is open in process"),
  })
  const sizeNow = async () => (await store.upkeep.figures()).bytesOnDisk
  const before = await sizeNow()
  await other.release("open")
  const { reclaimed } = await archiveSessions(store, { before: 1_500, to })
  expect(reclaimed.bytes).toBeGreaterThan(900_000)
  expect(await sizeNow()).toBeLessThan(before - 900_000)
  // A process that had the file open goes on with it.
  await other.open("open")
  await other.append("open", [naming((await other.load("open")).length)])
  expect(ids(await other.list())).toEqual(["open", "c"])
})
