import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { copySessions } from "../src/store/copy.js"
import { openStore, type Store } from "../src/store/store.js"
import { newAddress, storeAt, usePostgres } from "./store-kinds.js"
import { opening, program, run, stored, temporary, work } from "./store-support.js"
import { allOf, beside, hashOf, idleSession, naming, wholeSession } from "./store-upkeep-support.js"

const server = usePostgres()
const sqlite = () => join(temporary(), "sotto.db")
const postgres = () => newAddress(server())

const WAYS = [
  { name: "from SQLite to PostgreSQL", from: sqlite, to: postgres },
  { name: "from PostgreSQL to SQLite", from: postgres, to: sqlite },
  { name: "from SQLite to SQLite", from: sqlite, to: sqlite },
]

const outcomes = async (from: Store, to: Store, options = {}) =>
  Object.fromEntries((await copySessions(from, to, options)).sessions.map(({ id, is }) => [id, is]))

describe.each(WAYS)("copying $name", (way) => {
  it("takes along every row of a session, byte for byte, and the texts that it names", async () => {
    const [from, to] = [await storeAt(way.from()), await storeAt(way.to())]
    for (const id of ["one", "two"]) await wholeSession(from, id)
    await from.create({ cwd: "/work/sub", parent: "one", workspace: "team" }, opening("child", 5_000))
    await from.release("child")
    const unnamed = "nobody names this"
    from.keep(hashOf(unnamed), unnamed)
    const report = await copySessions(from, to)
    expect(report).toMatchObject({ texts: 2, damagedTexts: [], verified: 3, differences: [] })
    const copied = await allOf(to)
    expect(copied).toEqual(await allOf(from))
    expect(copied[1]).toMatchObject({
      ...{ title: "The title of one “🙂”", summary: "What came of one", cwd: "/work/one", atWork: true },
      ...{ labels: '["a label","grün"]', metadata: '{"ticket":"no. one"}' },
      posted: [
        { id: "carried", done: true, outcome: '{"is":"done","result":{"queued":true}}' },
        { id: "first", done: false },
        { id: "second", done: false },
      ],
    })
    expect(await to.exportJsonl("one")).toEqual(await from.exportJsonl("one"))
    expect(await to.content(hashOf("text of one\0 – “ünï” 🙂"))).toBe("text of one\0 – “ünï” 🙂")
    expect(await to.content(hashOf(unnamed))).toBeUndefined()
    expect((await to.posted("one")).map(({ id }) => id)).toEqual(["first", "second"])
    expect(await to.outcome("one", "carried")).toEqual({ is: "done", result: { queued: true } })
    expect((await to.waiting(["", "team"])).map(({ id }) => id)).toEqual(["one", "two"])
    expect(await to.lost()).toEqual([])
  })

  it("skips what is there, goes on where a log ends, and brings what changed beside it", async () => {
    const [from, to] = [await storeAt(way.from()), await storeAt(way.to())]
    for (const id of ["one", "two", "three"]) await idleSession(from, id)
    expect(await outcomes(from, to)).toEqual({ one: "copied", two: "copied", three: "copied" })
    expect(await outcomes(from, to)).toEqual({ one: "equal", two: "equal", three: "equal" })
    const length = (await from.open("one")).length
    await from.append("one", [naming(length), naming(length + 1)])
    await from.release("one")
    await from.describe("two", { labels: ["new"] })
    await from.post("three", { id: "p", command: {} })
    expect(await copySessions(from, to)).toMatchObject({
      sessions: [
        { id: "two", is: "updated", added: 0 },
        { id: "three", is: "updated", added: 0 },
        { id: "one", is: "continued", added: 2, entries: length + 2 },
      ],
      verified: 3,
      differences: [],
    })
    expect(await allOf(to)).toEqual(await allOf(from))
    expect(await outcomes(from, to)).toEqual({ one: "equal", two: "equal", three: "equal" })
  })

  it("refuses a session whose log differs, names the entry, and copies the others", async () => {
    const [from, to] = [await storeAt(way.from()), await storeAt(way.to())]
    await idleSession(from, "same", "Here")
    await idleSession(to, "same", "There")
    await idleSession(from, "other")
    const before = await to.upkeep.read("same")
    const { sessions } = await copySessions(from, to)
    expect(sessions.map(({ id, is }) => [id, is])).toEqual([
      ["same", "refused"],
      ["other", "copied"],
    ])
    expect(sessions[0]?.why).toMatch(/entry 1 of its log is another one in the target/)
    expect(await to.upkeep.read("same")).toEqual(before)
  })

  it("leaves a session alone that has gone on in the target", async () => {
    const [from, to] = [await storeAt(way.from()), await storeAt(way.to())]
    await idleSession(from, "one")
    await copySessions(from, to)
    const length = (await to.open("one")).length
    await to.append("one", [naming(length)])
    await to.describe("one", { title: "Renamed there" })
    await to.release("one")
    const { sessions, differences } = await copySessions(from, to)
    expect(sessions).toMatchObject([{ id: "one", is: "ahead", added: 0, entries: length + 1 }])
    expect(differences).toEqual([])
    expect((await to.about("one")).title).toBe("Renamed there")
    expect(await to.load("one")).toHaveLength(length + 1)
  })

  it("copies an open session up to now, without the work that its holder has; when it is idle the rest follows", async () => {
    const [from, to] = [await storeAt(way.from()), await storeAt(way.to())]
    await wholeSession(from, "one")
    const length = (await from.open("one")).length
    expect((await copySessions(from, to, { idleOnly: true })).sessions).toMatchObject([
      { id: "one", is: "refused", why: "somebody has it open." },
    ])
    expect(await to.list()).toEqual([])
    expect((await copySessions(from, to)).sessions).toMatchObject([
      { id: "one", is: "copied", isOpen: true, entries: length },
    ])
    expect(await to.waiting([""])).toEqual([])
    expect(await to.posted("one")).toEqual([])
    await from.append("one", [naming(length)])
    await from.release("one")
    expect((await copySessions(from, to)).sessions).toMatchObject([{ id: "one", is: "continued", added: 1 }])
    expect(await allOf(to)).toEqual(await allOf(from))
  })

  it("does not carry out again what the target has carried out, and writes to no session that is open there", async () => {
    const [from, to] = [await storeAt(way.from()), await storeAt(way.to())]
    await wholeSession(from, "one")
    await copySessions(from, to)
    const length = (await to.open("one")).length
    await to.carryOut("one", "first", () => ({ is: "done" }))
    await from.open("one")
    await from.append("one", [naming(length)])
    await from.release("one")
    expect((await copySessions(from, to)).sessions).toMatchObject([
      { id: "one", is: "refused", why: expect.stringContaining("is open in") },
    ])
    await to.release("one")
    expect(await outcomes(from, to)).toEqual({ one: "continued" })
    expect((await to.posted("one")).map(({ id }) => id)).toEqual(["second"])
  })

  it("takes only named sessions with their subagents', and changes nothing in a dry run", async () => {
    const [from, to] = [await storeAt(way.from()), await storeAt(way.to())]
    for (const id of ["one", "two"]) await idleSession(from, id)
    await from.create({ cwd: "/work", parent: "one" }, opening("child", 5_000))
    await from.create({ cwd: "/work", parent: "child" }, opening("grandchild", 5_001))
    for (const id of ["child", "grandchild"]) await from.release(id)
    expect(await outcomes(from, to, { sessions: ["one"], dryRun: true })).toEqual({
      ...{ one: "copied", child: "copied", grandchild: "copied" },
    })
    expect(await to.list()).toEqual([])
    await copySessions(from, to, { sessions: ["one"] })
    expect((await to.list()).map(({ id }) => id)).toEqual(["grandchild", "child", "one"])
    await expect(copySessions(from, to, { sessions: ["nobody"] })).rejects.toThrow("no session nobody")
  })

  it("leaves out a damaged text and a damaged session, and names both", async () => {
    const place = way.from()
    const [from, to] = [await storeAt(place), await storeAt(way.to())]
    for (const id of ["one", "two"]) await wholeSession(from, id)
    const kept = place.startsWith("postgres") ? "bytes = 'other'" : "text = 'other'"
    const hash = hashOf("text of one\0 – “ünï” 🙂")
    await beside(place, server, `UPDATE $.contents SET ${kept} WHERE hash = '${hash}'`)
    await beside(
      place,
      server,
      "DELETE FROM $.entries WHERE seq = 1 AND session = (SELECT key FROM $.sessions WHERE id = 'two')",
    )
    const { sessions, damagedTexts } = await copySessions(from, to)
    expect(damagedTexts).toEqual([hash])
    expect(sessions).toMatchObject([
      { id: "one", is: "copied" },
      { id: "two", is: "refused", why: expect.stringContaining("`sotto sessions repair two`") },
    ])
    expect(await to.content(hash)).toBeUndefined()
  })

  it("that is killed leaves whole sessions only, and goes on when it is asked again", async () => {
    const [source, target] = [way.from(), way.to()]
    const from = await storeAt(source)
    for (let i = 0; i < 12; i++) await wholeSession(from, `s${i}`)
    const copier = fileURLToPath(new URL("../src/store/copy.ts", import.meta.url))
    const file = program(
      temporary(),
      `import { copySessions } from ${JSON.stringify(copier)}
       const [from, to] = await Promise.all(process.argv.slice(2).map((place) => openStore(place)))
       await copySessions(from, to, { onProgress: (_, done) => writeSync(1, done + "\\n") })`,
    )
    const copying = run(file, source, target)
    while ((await copying.line()) !== "5");
    copying.child.kill("SIGKILL")
    await copying.ended
    const to = await storeAt(target)
    const there = await allOf(to)
    expect(there.length).toBeGreaterThanOrEqual(5)
    const all = await allOf(from)
    for (const session of there) expect(all).toContainEqual(session)
    expect(await copySessions(from, to)).toMatchObject({ verified: 12, differences: [] })
    expect(await allOf(to)).toEqual(all)
  })
})

it("copies a session while it is written: what is there is a beginning of its log, and the next copy has the rest", async () => {
  const [source, target] = [sqlite(), postgres()]
  const [writer, from, to] = [await openStore(source), await storeAt(source), await storeAt(target)]
  const session = await stored(writer, "busy")
  const copying = async () => await copySessions(from, to)
  for (let i = 0; i < 5; i++) {
    const copy = copying()
    for (let j = 0; j < 4; j++) {
      work(session, `Read ${i} ${j}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await copy).toMatchObject({ sessions: [{ id: "busy", isOpen: true }], differences: [] })
    const there = await to.load("busy")
    expect(there).toEqual(session.log.slice(0, there.length))
  }
  await writer.close()
  await copySessions(from, to)
  expect(await to.load("busy")).toEqual(session.log)
})
