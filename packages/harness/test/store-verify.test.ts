import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Sqlite from "libsql"
import { describe, expect, it } from "vitest"
import { openStore } from "../src/store/store.js"
import { verifyStore } from "../src/store/verify.js"
import { newAddress, storeAt, usePostgres } from "./store-kinds.js"
import { opening, temporary } from "./store-support.js"
import { beside, hashOf, wholeSession } from "./store-upkeep-support.js"

const server = usePostgres()
const KINDS = [
  { name: "SQLite", place: () => join(temporary(), "sotto.db"), yes: "1", text: "text" },
  { name: "PostgreSQL", place: () => newAddress(server()), yes: "true", text: "bytes" },
] as const

const BAD = "(SELECT key FROM $.sessions WHERE id = 'bad')"
const ONE = `session = ${BAD} AND seq = 2`

describe.each(KINDS)("verifying a store in $name", ({ name, place, text }) => {
  async function twoSessions() {
    const at = place()
    const store = await storeAt(at)
    for (const id of ["good", "bad"]) await wholeSession(store, id)
    return { at, store }
  }

  it("finds nothing wrong with one that is whole, also while a session is open", async () => {
    const { store } = await twoSessions()
    await store.open("good")
    const entries = (await store.load("good")).length + (await store.load("bad")).length
    expect(await verifyStore(store)).toEqual({ sessions: 2, entries, texts: 2, problems: [], notes: [] })
  })

  it.each([
    ["an entry that is missing", `DELETE FROM $.entries WHERE ${ONE}`, "entry 2 is missing."],
    [
      "a first entry that is missing",
      `DELETE FROM $.entries WHERE session = ${BAD} AND seq = 0`,
      "entry 0 is missing.",
    ],
    ["an entry that is no JSON", `UPDATE $.entries SET body = '{' WHERE ${ONE}`, "entry 2 is no JSON."],
    [
      "an entry of no known type",
      `UPDATE $.entries SET body = replace(body, '"type":"step"', '"type":"dreamt"') WHERE ${ONE}`,
      "entry 2:",
    ],
    [
      "a row that counts more entries",
      "UPDATE $.sessions SET entries = entries + 1 WHERE id = 'bad'",
      "its row counts",
    ],
    [
      "a row that counts other messages",
      "UPDATE $.sessions SET messages = 99 WHERE id = 'bad'",
      "its row counts 99 messages",
    ],
    [
      "a row with another model",
      "UPDATE $.sessions SET model = 'x/y' WHERE id = 'bad'",
      'its row says model "x/y"',
    ],
    [
      "labels that are no list",
      "UPDATE $.sessions SET labels = '{}' WHERE id = 'bad'",
      "its labels should be",
    ],
    [
      "metadata that is no JSON",
      "UPDATE $.sessions SET metadata = '{' WHERE id = 'bad'",
      "its metadata should be",
    ],
  ])("finds %s, names the remedy, and the remedy helps", async (_, sql, what) => {
    const { at, store } = await twoSessions()
    await beside(at, server, sql)
    const { problems } = await verifyStore(store)
    expect(problems[0]).toMatchObject({ session: "bad", remedy: "`sotto sessions repair bad`" })
    expect(problems[0]?.what).toContain(what)
    expect(problems).toHaveLength(1)
    if (what.startsWith("entry 0")) return
    await store.repair("bad")
    expect((await verifyStore(store)).problems).toEqual([])
  })

  it("finds a posted command that is no JSON, and repairing removes it", async () => {
    const { at, store } = await twoSessions()
    await beside(at, server, `UPDATE $.posted SET body = '{' WHERE id = 'first' AND session = ${BAD}`)
    expect((await verifyStore(store)).problems).toMatchObject([
      { session: "bad", what: "the posted command first is no JSON.", remedy: "`sotto sessions repair bad`" },
    ])
    const before = (await store.load("bad")).length
    expect(await store.repair("bad")).toMatchObject({
      kept: before,
      before,
      why: "the posted command first is no JSON",
    })
    expect((await store.posted("bad")).map(({ id }) => id)).toEqual(["second"])
    expect((await verifyStore(store)).problems).toEqual([])
  })

  it("finds rows that belong to no session, and a text that is not what its hash says", async () => {
    const { at, store } = await twoSessions()
    const hash = hashOf("text of good\0 – “ünï” 🙂")
    await beside(at, server, `UPDATE $.contents SET ${text} = 'other' WHERE hash = '${hash}'`)
    await beside(at, server, "DELETE FROM $.sessions WHERE id = 'bad'")
    const { problems } = await verifyStore(store)
    const words = problems.map(({ what }) => what)
    expect(words).toContainEqual(expect.stringMatching(/^\d+ rows of entries belong to no session\.$/))
    expect(words).toContain("3 rows of posted commands belong to no session.")
    expect(words).toContain(`The text of a file that is kept as ${hash} is damaged.`)
    for (const { remedy } of problems) expect(remedy).toContain("sotto")
  })

  it("says which parent is not there, which is no damage", async () => {
    const store = await storeAt(place())
    await store.create({ cwd: "/work", parent: "gone" }, opening("child", 5_000))
    const { problems, notes } = await verifyStore(store)
    expect(problems).toEqual([])
    expect(notes).toEqual([expect.stringContaining("session gone, which is not in the store")])
  })

  it(`says what the store holds and who holds what (${name})`, async () => {
    const at = place()
    const store = await storeAt(at, { worker: "w1" })
    for (const id of ["good", "bad"]) await wholeSession(store, id)
    await store.open("good")
    const looker = await storeAt(at)
    const figures = await looker.upkeep.figures()
    expect(figures).toMatchObject({ sessions: 2, texts: 2, entries: 2 * (await store.load("bad")).length })
    const sizes = await looker.upkeep.sizes()
    const lengths = (await store.exportJsonl("bad")).slice(1).map((line) => Buffer.byteLength(line))
    expect(sizes.get("bad")).toBe(lengths.reduce((sum, length) => sum + length, 0))
    expect(figures.bytesOnDisk).toBeGreaterThan(0)
    expect(await looker.upkeep.holders()).toMatchObject([{ session: "good", pid: process.pid }])
    expect(await looker.upkeep.busy()).toEqual(new Set(["good", "bad"]))
    expect((await looker.waiting([""])).map(({ id }) => id)).toEqual(["bad"])
    expect(await looker.upkeep.hearing()).toMatchObject({
      hearing: name === "SQLite" ? "files" : "notifications",
    })
  })

  it("lets one at a time do work of a name", async () => {
    const at = place()
    const [one, other] = [await storeAt(at), await storeAt(at)]
    const outcome = await one.upkeep.exclusively("x", async () => [
      await other.upkeep.exclusively("x", async () => "both"),
      await other.upkeep.exclusively("y", async () => "another"),
    ])
    expect(outcome).toEqual([undefined, "another"])
    expect(await other.upkeep.exclusively("x", async () => "later")).toBe("later")
  })
})

it("asks SQLite whether its file is whole", async () => {
  const path = join(temporary(), "sotto.db")
  const store = await openStore(path)
  for (let i = 0; i < 40; i++) await wholeSession(store, `s${i}`)
  await store.close()
  const sqlite = new Sqlite(path)
  sqlite.pragma("wal_checkpoint(TRUNCATE)")
  sqlite.close()
  const bytes = readFileSync(path)
  const size = bytes.readUInt16BE(16)
  const pages = Array.from({ length: bytes.length / size }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  )
  // A leaf of a table with at least two rows, whose order is turned round.
  const leaf = pages.slice(1).find((page) => page[0] === 0x0d && page.readUInt16BE(3) >= 2)
  if (leaf === undefined) throw new Error("no leaf")
  const [first, second] = [leaf.readUInt16BE(8), leaf.readUInt16BE(10)]
  leaf.writeUInt16BE(second, 8)
  leaf.writeUInt16BE(first, 10)
  writeFileSync(path, bytes)
  const { problems } = await verifyStore(await storeAt(path))
  expect(problems[0]?.what).toMatch(/^SQLite says: /)
})
