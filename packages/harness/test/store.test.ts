import fs, { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import type { Entry, Session } from "@sotto/core"
import { encodeBytes } from "@sotto/core/anthropic"
import Sqlite from "libsql"
import { describe, expect, it, onTestFinished } from "vitest"
import { StoreError } from "../src/store/error.js"
import { Flush } from "../src/store/sqlite/flush.js"
import { openStore, type Store } from "../src/store/store.js"
import { configFolder, dataFolder } from "../src/workspace/folders.js"
import { options, restored, stored, temporary, work } from "./store-support.js"

function storeAt(path = join(temporary(), "deep", "sotto.db")): Store {
  const store = openStore(path)
  onTestFinished(() => store.close())
  return store
}

function failing(work: () => unknown): StoreError {
  try {
    work()
  } catch (error) {
    if (error instanceof StoreError) return error
    throw error
  }
  throw new Error("expected a StoreError")
}

/** What would be sent next, as bytes. */
function nextBody(session: Session): string {
  const next = session.next()
  if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
  return Buffer.concat(encodeBytes(next.request)).toString("utf8")
}

describe("a session", () => {
  it("is in the store as it is in memory, entry by entry", () => {
    const store = storeAt()
    const session = stored(store, "s1")
    work(session, "Read it")
    work(session, "And again")
    expect(store.load("s1")).toEqual(session.log)
    expect(nextBody(restored(store, "s1"))).toBe(nextBody(session))
  })

  it("is listed with what a person wants to know of it, the newest first", () => {
    const store = storeAt()
    const session = stored(store, "s1", "/a")
    session.say("Hello")
    session.switchAgent("plan")
    session.switchModel({ id: "openai/gpt-5.6" })
    store.setTitle("s1", "A greeting")
    store.create({ cwd: "/a", parent: "s1" }, opening("child", 5_000))
    store.create({ cwd: "/b" }, opening("s2", 4_000))
    expect(store.list()).toEqual([
      expect.objectContaining({ id: "child", parent: "s1", messages: 0 }),
      expect.objectContaining({ id: "s2", cwd: "/b" }),
      {
        id: "s1",
        cwd: "/a",
        title: "A greeting",
        agent: "plan",
        model: "openai/gpt-5.6",
        created: 1_000,
        updated: 1_003,
        messages: 1,
      },
    ])
    expect(store.latest("/a")?.id).toBe("s1")
    expect(store.latest("/nowhere")).toBeUndefined()
  })

  it("that is not there is said not to be", () => {
    const store = storeAt()
    for (const ask of [
      () => store.load("x"),
      () => store.open("x"),
      () => store.exportJsonl("x"),
      () => store.setTitle("x", "y"),
    ])
      expect(failing(ask)).toMatchObject({
        code: "unknown-session",
        message: expect.stringContaining("sotto sessions"),
      })
  })

  it("takes several entries whole or not at all", () => {
    const store = storeAt()
    store.create({ cwd: "/a" }, opening("s1", 0))
    const said = (seq: number): Entry => ({ type: "cancelled", id: "m", seq, at: 0 })
    expect(() => store.append("s1", [said(1), said(1)])).toThrow()
    expect(failing(() => store.append("s1", [said(7)])).code).toBe("conflict")
    expect(store.load("s1")).toHaveLength(1)
    store.append("s1", [said(1), said(2)])
    store.append("s1", [])
    expect(store.load("s1")).toHaveLength(3)
    expect(failing(() => store.create({ cwd: "/a" }, opening("s1", 0))).code).toBe("duplicate")
  })

  it("is written to only while it is open, by one at a time", () => {
    const path = join(temporary(), "sotto.db")
    const first = storeAt(path)
    const second = storeAt(path)
    first.create({ cwd: "/a" }, opening("s1", 0))
    const more: Entry = { type: "cancelled", id: "m", seq: 1, at: 0 }
    expect(failing(() => second.append("s1", [more])).code).toBe("not-open")
    expect(failing(() => second.open("s1"))).toMatchObject({
      code: "locked",
      message: expect.stringContaining("in this process"),
    })
    expect(failing(() => first.open("s1")).code).toBe("locked")
    expect(second.load("s1")).toHaveLength(1)
    first.release("s1")
    expect(second.open("s1")).toHaveLength(1)
    second.append("s1", [more])
    expect(failing(() => first.append("s1", [more])).code).toBe("not-open")
    second.close()
    expect(first.open("s1")).toHaveLength(2)
    expect(failing(() => second.list()).code).toBe("not-open")
  })
})

describe("an export", () => {
  it("is a header and a line for each entry, and comes back byte for byte", () => {
    const store = storeAt()
    const session = stored(store, "s1", "/a")
    work(session, "Read it")
    store.setTitle("s1", "Reading")
    const lines = store.exportJsonl("s1")
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      sotto: "session",
      version: 1,
      id: "s1",
      cwd: "/a",
      created: 1_000,
      title: "Reading",
    })
    expect(lines).toHaveLength(session.log.length + 1)
    expect(lines.some((line) => line.includes("\n"))).toBe(false)

    const other = storeAt()
    expect(other.importJsonl(`${lines.join("\n")}\n`)).toBe("s1")
    expect(other.exportJsonl("s1")).toEqual(lines)
    expect(other.list()).toEqual(store.list())
    expect(other.open("s1")).toEqual(store.load("s1"))
    expect(nextBody(restored(other, "s1"))).toBe(nextBody(session))
  })

  it("is not taken twice", () => {
    const store = storeAt()
    store.create({ cwd: "/a" }, opening("s1", 0))
    const text = store.exportJsonl("s1").join("\n")
    expect(failing(() => store.importJsonl(text))).toMatchObject({ code: "duplicate", line: 1 })
  })

  const header = '{"sotto":"session","version":1,"id":"s1","cwd":"/a","created":0}'
  const opened = JSON.stringify(opening("s1", 0)[0])
  const note = (seq: number) => `{"type":"cancelled","id":"m","seq":${seq},"at":0}`
  it.each([
    ["", 1, "empty"],
    ["{}", 1, "header"],
    [header.replace('"cwd":"/a",', ""), 1, "no cwd"],
    [header, 2, "opened"],
    [`${header}\n${note(0)}`, 2, "opened"],
    [`${header}\n${opened.replace('"s1"', '"s2"')}`, 2, "s2"],
    [`${header}\n${opened}\n${note(2)}`, 3, "should be 1 and is 2"],
    [`${header}\n${opened}\n${note(1)}\n${note(1)}`, 4, "should be 2 and is 1"],
    [`${header}\n${opened}\n\n${note(1)}`, 3, "empty"],
    [`${header}\n${opened}\n${note(1).slice(0, -9)}`, 3, "not JSON"],
    [`${header}\n${opened}\n[]`, 3, "no object"],
    [`${header}\n${opened}\n{"type":"toString","seq":1,"at":0}`, 3, "no entry"],
  ])("that is damaged is refused with the line (%#)", (text, line, words) => {
    const store = storeAt()
    const error = failing(() => store.importJsonl(text))
    expect(error).toMatchObject({ code: "bad-import", line, message: expect.stringContaining(words) })
    expect(error.message).toContain(`Line ${line}`)
    expect(store.list()).toEqual([])
  })

  it.each([
    [header.replace('"version":1', '"version":9'), 1],
    [`${header}\n${opened.replace('"version":1', '"version":9')}`, 2],
  ])("of a newer Sotto is left to that (%#)", (text, line) => {
    expect(failing(() => storeAt().importJsonl(text))).toMatchObject({ code: "newer", line })
  })
})

describe("a file", () => {
  function refusedAndUntouched(path: string): StoreError {
    const before = readFileSync(path)
    const error = failing(() => openStore(path))
    expect(readFileSync(path)).toEqual(before)
    expect(error.message).toContain(path)
    return error
  }

  it("is for its owner's eyes only", () => {
    expect(statSync(storeAt().path).mode & 0o777).toBe(0o600)
  })

  it("that is no database is refused, and not overwritten", () => {
    const path = join(temporary(), "sotto.db")
    writeFileSync(path, "These are my notes, and not a database. ".repeat(200))
    expect(refusedAndUntouched(path)).toMatchObject({
      code: "damaged",
      message: expect.stringContaining("Move it away"),
    })
  })

  it("that was cut short is refused, and not overwritten", () => {
    const path = join(temporary(), "sotto.db")
    const store = openStore(path)
    store.create({ cwd: "/a" }, opening("s1", 0))
    store.close()
    // All of it into the one file, as when the machine was shut down in order.
    const sqlite = new Sqlite(path)
    sqlite.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all()
    sqlite.close()
    truncateSync(path, 4096)
    const before = readFileSync(path)
    const error = failing(() => {
      const damaged = storeAt(path)
      damaged.list()
    })
    expect(error).toMatchObject({ code: "damaged", message: expect.stringContaining("Move it away") })
    expect(readFileSync(path)).toEqual(before)
  })

  it("of a newer Sotto is refused, and not overwritten", () => {
    const path = join(temporary(), "sotto.db")
    openStore(path).close()
    const sqlite = new Sqlite(path)
    sqlite.exec("PRAGMA user_version = 99")
    sqlite.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all()
    sqlite.close()
    expect(refusedAndUntouched(path)).toMatchObject({
      code: "newer",
      message: expect.stringContaining("Use a newer Sotto"),
    })
  })

  it("of another program is refused, and not overwritten", () => {
    const path = join(temporary(), "sotto.db")
    const sqlite = new Sqlite(path)
    sqlite.exec("CREATE TABLE recipes (name TEXT)")
    sqlite.close()
    expect(refusedAndUntouched(path)).toMatchObject({ message: expect.stringContaining("another program") })
  })

  it("with an entry that cannot be read says which", () => {
    const store = storeAt()
    store.create({ cwd: "/a" }, opening("s1", 0))
    const sqlite = new Sqlite(store.path)
    sqlite.exec("UPDATE entries SET body = '{'")
    sqlite.close()
    expect(failing(() => store.load("s1"))).toMatchObject({
      code: "damaged",
      message: expect.stringContaining("entry 0 of session s1"),
    })
  })

  it("that cannot be made says why", () => {
    const folder = temporary()
    writeFileSync(join(folder, "taken"), "")
    expect(failing(() => openStore(join(folder, "taken", "sotto.db"))).code).toBe("unavailable")
    expect(failing(() => openStore(folder)).code).toBe("unavailable")
  })
})

describe("the folders", () => {
  it.each([
    [{ SOTTO_HOME: "/s", XDG_DATA_HOME: "/d", HOME: "/h" }, "/s", "/s"],
    [{ XDG_DATA_HOME: "/d", XDG_CONFIG_HOME: "/c", HOME: "/h" }, "/d/sotto", "/c/sotto"],
    [{ XDG_DATA_HOME: "relative", HOME: "/h" }, "/h/.local/share/sotto", "/h/.config/sotto"],
    [{ SOTTO_HOME: "", HOME: "/h" }, "/h/.local/share/sotto", "/h/.config/sotto"],
  ])("for %j are %s and %s", (env, data, config) => {
    expect([dataFolder(env), configFolder(env)]).toEqual([data, config])
  })
})

function opening(id: string, at: number): readonly Entry[] {
  const { model } = options(id)
  return [{ type: "opened", version: 1, id, agent: "build", model, seq: 0, at }]
}

describe("what is appended later", () => {
  const noted = (seq: number) => ({ type: "noted", signal: { type: "x" }, seq, at: seq }) as const

  it("is on disk for all who asked in the same breath, in one transaction, and only then told", async () => {
    const store = storeAt()
    for (const id of ["s1", "s2"]) store.create({ cwd: "/a" }, opening(id, 0))
    const told: string[] = []
    for (const id of ["s1", "s2"])
      store.onDurable(id, (entries) => {
        told.push(`${id}: ${entries.map(({ seq }) => seq).join()}`)
      })
    store.appendLater("s1", [noted(1)])
    store.appendLater("s2", [noted(1), noted(2)])
    const waiting = [store.durable("s1"), store.durable("s2")]
    expect(told).toEqual([])
    await Promise.all(waiting)
    expect(told).toEqual(["s1: 1", "s2: 1,2"])
    await store.durable("s1")
    expect(told).toHaveLength(2)
  })

  it("can be more of it in the moment in which somebody hears that the rest is on disk", async () => {
    const store = storeAt()
    for (const id of ["s1", "s2"]) store.create({ cwd: "/a" }, opening(id, 0))
    store.onDurable("s1", () => store.appendLater("s2", [noted(2)]))
    store.appendLater("s1", [noted(1)])
    store.appendLater("s2", [noted(1)])
    await store.durable("s1")
    await store.durable("s2")
    expect(store.load("s2").map(({ seq }) => seq)).toEqual([0, 1, 2])
  })

  it("fails for the session that was taken over, and for no other", async () => {
    const store = storeAt()
    for (const id of ["s1", "s2"]) store.create({ cwd: "/a" }, opening(id, 0))
    store.appendLater("s1", [noted(7)])
    store.appendLater("s2", [noted(1)])
    const [first, second] = await Promise.allSettled([store.durable("s1"), store.durable("s2")])
    expect(first).toMatchObject({ status: "rejected", reason: { code: "conflict" } })
    expect(second.status).toBe("fulfilled")
    expect(store.load("s2")).toHaveLength(2)
  })

  it("has room in the log that SQLite writes ahead, and leaves nothing else behind", async () => {
    const store = storeAt()
    store.create({ cwd: "/a" }, opening("s", 0))
    const sizes: number[] = []
    for (let seq = 1; seq <= 20; seq++) {
      store.appendLater("s", [noted(seq)])
      await store.durable("s")
      await new Promise(setImmediate)
      sizes.push(statSync(`${store.path}-wal`).size)
    }
    expect(new Set(sizes).size).toBe(1)
    expect(store.load("s")).toHaveLength(21)
    expect(store.content("")).toBeUndefined()
    const other = storeAt(store.path)
    expect(other.load("s")).toHaveLength(21)
  })

  it("is asked of the disk by whoever cannot wait", () => {
    const store = storeAt()
    store.create({ cwd: "/a" }, opening("s", 0))
    const real = fs.fdatasyncSync
    let asked = 0
    onTestFinished(() => {
      fs.fdatasyncSync = real
      syncBuiltinESMExports()
    })
    fs.fdatasyncSync = (file) => {
      asked++
      real(file)
    }
    syncBuiltinESMExports()
    store.append("s", [noted(1)])
    store.appendLater("s", [noted(2)])
    expect(asked).toBe(1)
    store.append("s", [])
    store.append("s", [])
    expect(asked).toBe(2)
  })

  it("is on disk by itself where SQLite has no log to write ahead", async () => {
    const flush = new Flush(undefined)
    expect(flush.wrote()).toBe(1)
    expect(flush.done).toBe(1)
    await flush.wait()
    flush.now()
    flush.close()
  })

  it("is refused once somebody has removed what it is written to", async () => {
    const store = openStore(join(temporary(), "sotto.db"))
    store.create({ cwd: "/a" }, opening("s", 0))
    rmSync(`${store.path}-wal`)
    store.appendLater("s", [noted(1)])
    await expect(store.durable("s")).rejects.toThrow(/^Somebody removed.*sotto\.db .*start again/)
    expect(() => store.append("s", [noted(2)])).toThrow("Somebody removed")
    store.close()
  })
})
