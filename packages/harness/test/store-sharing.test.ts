import type { Entry } from "@sotto/core"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { storeAt, storeKinds } from "./store-kinds.js"
import { failing, opening } from "./store-support.js"

const noted = (seq: number, text = ""): Entry => ({
  type: "noted",
  signal: { type: "x", text },
  seq,
  at: seq,
})

/** Resolves when `register` has called back. */
function heard(register: (listener: () => void) => () => void): Promise<void> {
  return new Promise((resolve) => {
    const stop = register(() => {
      stop()
      resolve()
    })
  })
}

describe.each(storeKinds())("in $name,", ({ place }) => {
  /** Two stores at one place. The first has the session "s" open. */
  async function two() {
    const at = place()
    const first = await storeAt(at)
    await first.create({ cwd: "/a" }, opening("s", 0))
    return { at, first, second: await storeAt(at) }
  }

  describe("a session that is open", () => {
    it("is held, and others see by whom and what it asks", async () => {
      const { first, second } = await two()
      expect(first.holds("s")).toBe(true)
      expect(second.holds("s")).toBe(false)
      expect(await first.holder("s")).toMatchObject({ pid: process.pid, isThis: true, asking: [] })
      await first.setAsking("s", [{ question: "May I?" }])
      expect(await second.holder("s")).toMatchObject({
        pid: process.pid,
        host: expect.stringMatching(/./),
        isThis: false,
        asking: [{ question: "May I?" }],
      })
      expect((await first.holder("s"))?.asking).toEqual([{ question: "May I?" }])
      await first.release("s")
      expect(first.holds("s")).toBe(false)
      expect(await second.holder("s")).toBeUndefined()
    })

    it("can be given back and taken again and again, here and there", async () => {
      const { first, second } = await two()
      await first.release("s")
      for (let seq = 1; seq < 6; seq++)
        for (const store of [first, second].slice(seq % 2, (seq % 2) + 1)) {
          expect(await store.open("s")).toHaveLength(seq)
          await store.append("s", [noted(seq)])
          await store.release("s")
        }
    })

    it("is confirmed to be ours although nothing was to be written", async () => {
      const { first } = await two()
      await first.durable("s")
      await first.append("s", [noted(1)])
      await first.durable("s")
      expect(await first.load("s")).toHaveLength(2)
    })
  })

  describe("a posted command", () => {
    it("is heard of by others, and waits until it is carried out with its entries", async () => {
      const { first, second } = await two()
      expect(await first.posted("s")).toEqual([])
      const told = heard((listener) => first.onPosted(listener))
      await second.post("s", { id: "p1", command: { say: "Hello\0" } })
      await second.post("s", { id: "p1", command: { say: "again" } })
      await second.post("s", { id: "p2", command: ["two"] })
      await told
      expect(await first.posted("s")).toEqual([
        { id: "p1", command: { say: "Hello\0" } },
        { id: "p2", command: ["two"] },
      ])
      expect(await second.outcome("s", "p1")).toBeUndefined()
      await first.carryOut("s", "p1", () => {
        void first.append("s", [noted(1)])
        return { is: "done", result: 7 }
      })
      expect(await second.outcome("s", "p1")).toEqual({ is: "done", result: 7 })
      expect((await first.posted("s")).map(({ id }) => id)).toEqual(["p2"])
      expect(await second.load("s")).toHaveLength(2)
    })

    it("is heard of after it was found that there is none", async () => {
      const { first, second } = await two()
      for (let i = 0; i < 5; i++) {
        const told = heard((listener) => first.onPosted(listener))
        expect(await first.posted("s")).toEqual([])
        await second.post("s", { id: `p${i}`, command: i })
        while ((await first.posted("s")).length === 0) await Promise.race([told, new Promise(setImmediate)])
        expect(await first.posted("s")).toEqual([{ id: `p${i}`, command: i }])
        await first.carryOut("s", `p${i}`, () => ({ is: "refused", code: "no", message: "No." }))
        expect(await second.outcome("s", `p${i}`)).toEqual({ is: "refused", code: "no", message: "No." })
      }
    })

    it("that failed waits for the next try", async () => {
      const { first } = await two()
      await first.post("s", { id: "p", command: 1 })
      await expect(async () =>
        first.carryOut("s", "p", () => {
          throw new Error("no")
        }),
      ).rejects.toThrow("no")
      expect(await first.posted("s")).toHaveLength(1)
      await first.append("s", [noted(1)])
      expect(await first.posted("s")).toHaveLength(1)
    })

    it("for a session that is not there is refused", async () => {
      const { first } = await two()
      expect((await failing(() => first.post("x", { id: "p", command: 1 }))).code).toBe("unknown-session")
    })
  })

  describe("what another store writes", () => {
    it("is heard of, and can be read from where the reader was", async () => {
      const { first, second } = await two()
      const told = heard((listener) => second.onChange(listener))
      // The listener may be told of the time before it listened; what counts is that it is told at all.
      await first.append("s", [noted(1), noted(2)])
      await told
      expect(await second.loadFrom("s", 1)).toEqual([noted(1), noted(2)])
      expect(await second.loadFrom("s", 3)).toEqual([])
    })
  })

  describe("a session waits for a worker", () => {
    it("when something was posted for it, or its work was cut short, and nobody has it", async () => {
      const at = place()
      const first = await storeAt(at)
      for (const [id, workspace] of [["plain"], ["team", "repo"], ["other", "elsewhere"]] as const)
        await first.create({ cwd: "/a", ...(workspace !== undefined && { workspace }) }, opening(id ?? "", 0))
      const ids = async (workspaces: readonly string[]) =>
        (await first.waiting(workspaces)).map(({ id }) => id)
      expect(await ids(["", "repo", "elsewhere"])).toEqual([])
      for (const id of ["plain", "team", "other"]) await first.post(id, { id: "p", command: 1 })
      expect(await ids(["", "repo", "elsewhere"])).toEqual([])
      for (const id of ["plain", "team", "other"]) await first.release(id)
      expect(await ids(["", "repo"])).toEqual(["plain", "team"])
      expect(await first.waiting(["repo"])).toEqual([{ id: "team", cwd: "/a", workspace: "repo" }])
      expect(await first.waiting([""])).toEqual([{ id: "plain", cwd: "/a" }])

      await first.open("team")
      await first.carryOut("team", "p", () => ({ is: "done" }))
      first.setAtWork("team", true)
      first.appendLater("team", [noted(1)])
      await first.durable("team")
      await first.release("team")
      expect(await ids(["repo"])).toEqual(["team"])
      await first.open("team")
      first.setAtWork("team", false)
      await first.durable("team")
      await first.release("team")
      expect(await ids(["repo"])).toEqual([])
      expect(await first.load("team")).toHaveLength(2)
    })

    it("and says only of a session that is open here whether it is at work", async () => {
      const { second } = await two()
      expect((await failing(() => second.setAtWork("s", true))).code).toBe("not-open")
    })
  })

  describe("a workspace", () => {
    it("is listed and exported with its session, and an export without one is taken as before", async () => {
      const first = await storeAt(place())
      await first.create({ cwd: "/a", workspace: "repo" }, opening("s", 0))
      await first.create({ cwd: "/a" }, opening("t", 0))
      expect((await first.about("s")).workspace).toBe("repo")
      expect("workspace" in (await first.about("t"))).toBe(false)
      const other = await storeAt(place())
      for (const id of ["s", "t"]) await other.importJsonl((await first.exportJsonl(id)).join("\n"))
      expect(await other.list()).toEqual(await first.list())
      expect(await other.exportJsonl("s")).toEqual(await first.exportJsonl("s"))
    })
  })

  describe("strange texts", () => {
    const STRANGE = [
      "\0",
      "a\0b",
      "\ud800",
      "\udfff\ud800",
      "\u2028\u2029",
      '"\\',
      "\\u0000",
      "\ufeffx",
      "🙂\uffff",
      "{1,2}",
      "NULL",
      "\r\n",
    ]

    it("in entries come back as they were, to the byte", async () => {
      const { first, second } = await two()
      const entries = STRANGE.map((text, i) => noted(i + 1, text))
      await first.append("s", entries)
      expect((await second.load("s")).slice(1)).toEqual(entries)
      const seq = entries.length + 1
      let next = seq
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: "binary", maxLength: 50 }), async (text) => {
          const entry = noted(next, text)
          await first.append("s", [entry])
          expect(await second.loadFrom("s", next)).toEqual([entry])
          next++
        }),
        { numRuns: 50 },
      )
      expect((await second.exportJsonl("s")).slice(1)).toEqual(
        (await first.load("s")).map((entry) => JSON.stringify(entry)),
      )
    })

    it("in files come back as they were", async () => {
      const { first, second } = await two()
      const files = ["", "\0", "a\0\0b\n", "🙂\u2028", "\ufeffbom", "\\x00", "'; --", "x".repeat(300_000)]
      for (const [i, text] of files.entries()) first.keep(`hash-${i}-${"x".repeat(20)}`, text)
      for (const store of [first, second])
        for (const [i, text] of files.entries()) {
          if (store === second && i === 0) await first.append("s", [noted(1)])
          expect(await store.content(`hash-${i}-${"x".repeat(20)}`)).toBe(text)
        }
      expect(await second.content("nothing")).toBeUndefined()
    })

    it("in titles hurt nobody", async () => {
      const { first, second } = await two()
      await first.describe("s", { title: "A\0 title '; DROP TABLE sessions" })
      await first.describe("s", { summary: "What\0 came of it" })
      expect((await second.about("s")).title).toContain("DROP TABLE")
      expect(await second.list()).toHaveLength(1)
    })
  })
})
