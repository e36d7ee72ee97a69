import { execFile } from "node:child_process"
import fs, { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import Sqlite from "libsql"
import { describe, expect, it, onTestFinished } from "vitest"
import { configFolder, dataFolder } from "../src/platform/workspace/folders.js"
import type { StoreError } from "../src/store/error.js"
import { Flush } from "../src/store/sqlite/flush.js"
import { openStore } from "../src/store/store.js"
import { storeAt } from "./store-kinds.js"
import { failing, opening, temporary } from "./store-support.js"

const newFile = () => join(temporary(), "deep", "sotto.db")

describe("a file", () => {
  async function refusedAndUntouched(path: string): Promise<StoreError> {
    const before = readFileSync(path)
    const error = await failing(() => openStore(path))
    expect(readFileSync(path)).toEqual(before)
    expect(error.message).toContain(path)
    return error
  }

  it("is for its owner's eyes only", async () => {
    expect(statSync((await storeAt(newFile())).path).mode & 0o777).toBe(0o600)
  })

  it("that is no database is refused, and not overwritten", async () => {
    const path = join(temporary(), "sotto.db")
    writeFileSync(path, "These are my notes, and not a database. ".repeat(200))
    expect(await refusedAndUntouched(path)).toMatchObject({
      code: "damaged",
      message: expect.stringContaining("Move it away"),
    })
  })

  it("that was cut short is refused, and not overwritten", async () => {
    const path = join(temporary(), "sotto.db")
    const store = await openStore(path)
    await store.create({ cwd: "/a" }, opening("s1", 0))
    await store.close()
    // All of it into the one file, as when the machine was shut down in order.
    const sqlite = new Sqlite(path)
    sqlite.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all()
    sqlite.close()
    truncateSync(path, 4096)
    const before = readFileSync(path)
    const error = await failing(async () => {
      const damaged = await storeAt(path)
      await damaged.list()
    })
    expect(error).toMatchObject({ code: "damaged", message: expect.stringContaining("Move it away") })
    expect(readFileSync(path)).toEqual(before)
  })

  it("of a newer Sotto is refused, and not overwritten", async () => {
    const path = join(temporary(), "sotto.db")
    await (await openStore(path)).close()
    const sqlite = new Sqlite(path)
    sqlite.exec("PRAGMA user_version = 99")
    sqlite.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all()
    sqlite.close()
    expect(await refusedAndUntouched(path)).toMatchObject({
      code: "newer",
      message: expect.stringContaining("Use a newer Sotto"),
    })
  })

  it("of another program is refused, and not overwritten", async () => {
    const path = join(temporary(), "sotto.db")
    const sqlite = new Sqlite(path)
    sqlite.exec("CREATE TABLE recipes (name TEXT)")
    sqlite.close()
    expect(await refusedAndUntouched(path)).toMatchObject({
      message: expect.stringContaining("another program"),
    })
  })

  it("that is new can be made by several processes at the same moment", async () => {
    const folder = temporary()
    const index = fileURLToPath(new URL("../dist/index.js", import.meta.url))
    const script = `
      const { openStore } = await import(${JSON.stringify(index)})
      const [folder, first] = process.argv.slice(1)
      for (let round = 0; round < 60; round++) {
        while (Date.now() < Number(first) + round * 25);
        const store = await openStore(folder + "/" + round + ".db")
        await store.close()
      }`
    const first = String(Date.now() + 1_500)
    const made = Array.from({ length: 3 }, () =>
      promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, folder, first]),
    )
    for (const one of made) await one
  })

  it("with an entry that cannot be read says which", async () => {
    const store = await storeAt(newFile())
    await store.create({ cwd: "/a" }, opening("s1", 0))
    const sqlite = new Sqlite(store.path)
    sqlite.exec("UPDATE entries SET body = '{'")
    sqlite.close()
    expect(await failing(() => store.load("s1"))).toMatchObject({
      code: "damaged",
      message: expect.stringContaining("entry 0 of session s1"),
    })
  })

  it("that cannot be made says why", async () => {
    const folder = temporary()
    writeFileSync(join(folder, "taken"), "")
    expect((await failing(() => openStore(join(folder, "taken", "sotto.db")))).code).toBe("unavailable")
    expect((await failing(() => openStore(folder))).code).toBe("unavailable")
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

describe("what is appended later", () => {
  const noted = (seq: number) => ({ type: "noted", signal: { type: "x" }, seq, at: seq }) as const

  it("has room in the log that SQLite writes ahead, and leaves nothing else behind", async () => {
    const store = await storeAt(newFile())
    await store.create({ cwd: "/a" }, opening("s", 0))
    const sizes: number[] = []
    for (let seq = 1; seq <= 20; seq++) {
      store.appendLater("s", [noted(seq)])
      await store.durable("s")
      await new Promise(setImmediate)
      sizes.push(statSync(`${store.path}-wal`).size)
    }
    expect(new Set(sizes).size).toBe(1)
    expect(await store.load("s")).toHaveLength(21)
    expect(store.content("")).toBeUndefined()
    const other = await storeAt(store.path)
    expect(await other.load("s")).toHaveLength(21)
  })

  it("is asked of the disk by whoever cannot wait", async () => {
    const store = await storeAt(newFile())
    await store.create({ cwd: "/a" }, opening("s", 0))
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
    const store = await openStore(join(temporary(), "sotto.db"))
    await store.create({ cwd: "/a" }, opening("s", 0))
    rmSync(`${store.path}-wal`)
    store.appendLater("s", [noted(1)])
    await expect(store.durable("s")).rejects.toThrow(/^Somebody removed.*sotto\.db .*start again/)
    expect(() => store.append("s", [noted(2)])).toThrow("Somebody removed")
    await store.close()
  })
})

describe("a command that another process has posted", () => {
  it("is found at the next look, however quickly one follows the other", async () => {
    const path = newFile()
    const [holder, poster] = [await storeAt(path), await storeAt(path)]
    await holder.create({ cwd: "/a" }, opening("s", 0))
    await holder.durable("s")
    for (let i = 0; i < 50; i++) {
      expect(await holder.posted("s")).toEqual([])
      await poster.post("s", { id: `p${i}`, command: i })
      expect(await holder.posted("s")).toEqual([{ id: `p${i}`, command: i }])
      await holder.carryOut("s", `p${i}`, () => ({ is: "done" }))
    }
  })

  it("is found although nobody could ring: those who listen look now and then", async () => {
    const path = newFile()
    const [holder, poster] = [await storeAt(path), await storeAt(path)]
    await holder.create({ cwd: "/a" }, opening("s", 0))
    await holder.durable("s")
    const told = new Promise<void>((resolve) => {
      onTestFinished(holder.onPosted(() => resolve()))
    })
    expect(await holder.posted("s")).toEqual([])
    const real = fs.appendFileSync
    onTestFinished(() => {
      fs.appendFileSync = real
      syncBuiltinESMExports()
    })
    fs.appendFileSync = () => {
      throw new Error("the disk is full")
    }
    syncBuiltinESMExports()
    await poster.post("s", { id: "p", command: 1 })
    await told
    expect(await holder.posted("s")).toHaveLength(1)
  })
})
