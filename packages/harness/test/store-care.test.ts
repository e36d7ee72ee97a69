import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { Entry } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { archiveSessions } from "../src/store/archive.js"
import { exportText } from "../src/store/archive-files.js"
import { readStored } from "../src/store/read.js"
import { storeAt, storeKinds } from "./store-kinds.js"
import { stored, work } from "./store-support.js"

describe.each(storeKinds())("in $name,", ({ place, tamper }) => {
  /** A store with the sessions "good" and "bad", both given back. */
  async function twoSessions() {
    const at = place()
    const store = await storeAt(at)
    for (const id of ["good", "bad"]) {
      work(await stored(store, id), `Read it, ${id}`)
      await store.release(id)
    }
    return { store, at }
  }

  describe("repairing", () => {
    it.each([
      ["is no JSON", () => "{"],
      ["is missing", () => undefined],
      ["lacks a field", (body: string) => JSON.stringify({ ...JSON.parse(body), outcomes: undefined })],
      ["is of no known type", (body: string) => JSON.stringify({ ...JSON.parse(body), type: "dreamt" })],
    ])("keeps what comes before an entry that %s, and the original as a file", async (_, change) => {
      const { store, at } = await twoSessions()
      const before = await store.load("bad")
      await tamper(at, "bad", 2, change)
      const repair = await store.repair("bad")
      expect(repair).toMatchObject({ id: "bad", kept: 2, before: before.length })
      expect(await store.load("bad")).toEqual(before.slice(0, 2))
      expect((await readStored(store, "bad")).queue()).toHaveLength(1)
      const saved = readFileSync(repair.saved ?? "", "utf8")
        .trim()
        .split("\n")
      expect(saved.at(-1)).toBe(JSON.stringify(before.at(-1)))
      expect(statSync(repair.saved ?? "").mode & 0o777).toBe(0o600)
      expect(await store.repair("bad")).toEqual({ id: "bad", kept: 2, before: 2 })
      await store.open("bad")
      await store.append("bad", [{ type: "cancelled", id: "m1", seq: 2, at: 0 }])
    })

    it("says that nothing can be kept of a session without a beginning, and leaves it", async () => {
      const { store, at } = await twoSessions()
      await tamper(at, "bad", 0, () => "{")
      await expect(async () => store.repair("bad")).rejects.toThrow(
        /Nothing of session bad can be kept.*sotto sessions delete bad/,
      )
      expect(await store.delete("bad")).toEqual(["bad"])
      expect((await store.list()).map(({ id }) => id)).toEqual(["good"])
    })

    it("and deleting wait until nobody has the session open", async () => {
      const { store, at } = await twoSessions()
      const other = await storeAt(at)
      await other.open("bad")
      for (const act of [
        () => store.repair("bad"),
        () => store.delete("bad"),
        () => store.remove("bad", () => 1),
      ])
        await expect(async () => act()).rejects.toThrow(expect.objectContaining({ code: "locked" }))
      await other.release("bad")
      expect(await store.delete("bad")).toEqual(["bad"])
      await expect(async () => store.delete("bad")).rejects.toThrow(
        expect.objectContaining({ code: "unknown-session" }),
      )
    })
  })

  describe("deleting", () => {
    it("removes the session, its subagents' and the texts of files that no other session names", async () => {
      const { store, at } = await twoSessions()
      const shared = "a".repeat(64)
      const own = "b".repeat(64)
      const reads = (seq: number, hash: string): Entry => ({
        ...{ type: "observed", key: `file:${hash}.ts`, seq, at: 0 },
        fact: { is: "known", value: { hash } },
      })
      store.keep(shared, "shared")
      store.keep(own, "own")
      const log = await store.open("bad")
      await store.append("bad", [reads(log.length, shared), reads(log.length + 1, own)])
      await store.append("good", (await store.open("good")).slice(0, 0))
      await store.append("good", [reads(log.length, shared)])
      const [opened] = log
      if (opened?.type !== "opened") throw new Error("no beginning")
      await store.create({ cwd: "/work", parent: "bad" }, [{ ...opened, id: "child" }])
      for (const id of ["bad", "good", "child"]) await store.release(id)
      expect(await store.delete("bad")).toEqual(["bad", "child"])
      expect((await store.list()).map(({ id }) => id)).toEqual(["good"])
      expect(await (await storeAt(at)).content(shared)).toBe("shared")
      expect(await (await storeAt(at)).content(own)).toBeUndefined()
    })
  })

  describe("archiving", () => {
    it("moves old sessions to compressed exports that can be imported, and leaves what is open or damaged", async () => {
      const { store, at } = await twoSessions()
      work(await stored(store, "open"), "Still here")
      work(await stored(store, "broken"), "Broken")
      await store.release("broken")
      await tamper(at, "broken", 1, () => "{")
      const before = await store.exportJsonl("good")
      const archived = await archiveSessions(store, { before: Date.now() })
      expect(new Map(archived.sessions.map((one) => [one.id, "why" in one ? one.why : "moved"]))).toEqual(
        new Map([
          ["good", "moved"],
          ["bad", "moved"],
          ["open", expect.stringContaining("is open")],
          ["broken", expect.stringContaining("cannot be read")],
        ]),
      )
      expect((await store.list()).map(({ id }) => id).sort()).toEqual(["broken", "open"])
      const file = join(store.folder, "archive", "good.jsonl.gz")
      expect(statSync(file).mode & 0o777).toBe(0o600)
      await store.importJsonl(exportText(readFileSync(file)))
      expect(await store.exportJsonl("good")).toEqual(before)
      expect((await archiveSessions(store, { before: 0 })).sessions).toEqual([])
      expect(() => exportText(readFileSync(file).subarray(0, 40))).toThrow("Nothing was imported")
    })
  })
})
