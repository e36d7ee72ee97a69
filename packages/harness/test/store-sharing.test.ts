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
  function two() {
    const at = place()
    const first = storeAt(at)
    first.create({ cwd: "/a" }, opening("s", 0))
    return { at, first, second: storeAt(at) }
  }

  describe("a session that is open", () => {
    it("is held, and others see by whom and what it asks", () => {
      const { first, second } = two()
      expect(first.holds("s")).toBe(true)
      expect(second.holds("s")).toBe(false)
      expect(first.holder("s")).toMatchObject({ pid: process.pid, isThis: true, asking: [] })
      first.setAsking("s", [{ question: "May I?" }])
      expect(second.holder("s")).toMatchObject({
        pid: process.pid,
        host: expect.stringMatching(/./),
        isThis: false,
        asking: [{ question: "May I?" }],
      })
      expect(first.holder("s")?.asking).toEqual([{ question: "May I?" }])
      first.release("s")
      expect(first.holds("s")).toBe(false)
      expect(second.holder("s")).toBeUndefined()
    })

    it("can be given back and taken again and again, here and there", () => {
      const { first, second } = two()
      first.release("s")
      for (let seq = 1; seq < 6; seq++)
        for (const store of [first, second].slice(seq % 2, (seq % 2) + 1)) {
          expect(store.open("s")).toHaveLength(seq)
          store.append("s", [noted(seq)])
          store.release("s")
        }
    })

    it("is confirmed to be ours although nothing was to be written", async () => {
      const { first } = two()
      await first.durable("s")
      first.append("s", [noted(1)])
      await first.durable("s")
      expect(first.load("s")).toHaveLength(2)
    })
  })

  describe("a posted command", () => {
    it("is heard of by others, and waits until it is carried out with its entries", async () => {
      const { first, second } = two()
      expect(first.posted("s")).toEqual([])
      const told = heard((listener) => first.onPosted(listener))
      second.post("s", { id: "p1", command: { say: "Hello\0" } })
      second.post("s", { id: "p1", command: { say: "again" } })
      second.post("s", { id: "p2", command: ["two"] })
      await told
      expect(first.posted("s")).toEqual([
        { id: "p1", command: { say: "Hello\0" } },
        { id: "p2", command: ["two"] },
      ])
      expect(second.outcome("s", "p1")).toBeUndefined()
      first.carryOut("s", "p1", () => {
        first.append("s", [noted(1)])
        return { is: "done", result: 7 }
      })
      expect(second.outcome("s", "p1")).toEqual({ is: "done", result: 7 })
      expect(first.posted("s").map(({ id }) => id)).toEqual(["p2"])
      expect(second.load("s")).toHaveLength(2)
    })

    it("is heard of after it was found that there is none", async () => {
      const { first, second } = two()
      for (let i = 0; i < 5; i++) {
        const told = heard((listener) => first.onPosted(listener))
        expect(first.posted("s")).toEqual([])
        second.post("s", { id: `p${i}`, command: i })
        while (first.posted("s").length === 0) await Promise.race([told, new Promise(setImmediate)])
        expect(first.posted("s")).toEqual([{ id: `p${i}`, command: i }])
        first.carryOut("s", `p${i}`, () => ({ is: "refused", code: "no", message: "No." }))
        expect(second.outcome("s", `p${i}`)).toEqual({ is: "refused", code: "no", message: "No." })
      }
    })

    it("that failed waits for the next try", () => {
      const { first } = two()
      first.post("s", { id: "p", command: 1 })
      expect(() =>
        first.carryOut("s", "p", () => {
          throw new Error("no")
        }),
      ).toThrow("no")
      expect(first.posted("s")).toHaveLength(1)
      first.append("s", [noted(1)])
      expect(first.posted("s")).toHaveLength(1)
    })

    it("for a session that is not there is refused", () => {
      const { first } = two()
      expect(failing(() => first.post("x", { id: "p", command: 1 })).code).toBe("unknown-session")
    })
  })

  describe("what another store writes", () => {
    it("is heard of, and can be read from where the reader was", async () => {
      const { first, second } = two()
      const told = heard((listener) => second.onChange(listener))
      // The listener may be told of the time before it listened; what counts is that it is told at all.
      first.append("s", [noted(1), noted(2)])
      await told
      expect(second.loadFrom("s", 1)).toEqual([noted(1), noted(2)])
      expect(second.loadFrom("s", 3)).toEqual([])
    })
  })

  describe("a session waits for a worker", () => {
    it("when something was posted for it, or its work was cut short, and nobody has it", async () => {
      const at = place()
      const first = storeAt(at)
      for (const [id, workspace] of [["plain"], ["team", "repo"], ["other", "elsewhere"]] as const)
        first.create({ cwd: "/a", ...(workspace !== undefined && { workspace }) }, opening(id ?? "", 0))
      const ids = (workspaces: readonly string[]) => first.waiting(workspaces).map(({ id }) => id)
      expect(ids(["", "repo", "elsewhere"])).toEqual([])
      for (const id of ["plain", "team", "other"]) first.post(id, { id: "p", command: 1 })
      expect(ids(["", "repo", "elsewhere"])).toEqual([])
      for (const id of ["plain", "team", "other"]) first.release(id)
      expect(ids(["", "repo"])).toEqual(["plain", "team"])
      expect(first.waiting(["repo"])).toEqual([{ id: "team", cwd: "/a", workspace: "repo" }])
      expect(first.waiting([""])).toEqual([{ id: "plain", cwd: "/a" }])

      first.open("team")
      first.carryOut("team", "p", () => ({ is: "done" }))
      first.setAtWork("team", true)
      first.appendLater("team", [noted(1)])
      await first.durable("team")
      first.release("team")
      expect(ids(["repo"])).toEqual(["team"])
      first.open("team")
      first.setAtWork("team", false)
      await first.durable("team")
      first.release("team")
      expect(ids(["repo"])).toEqual([])
      expect(first.load("team")).toHaveLength(2)
    })

    it("and says only of a session that is open here whether it is at work", () => {
      const { second } = two()
      expect(failing(() => second.setAtWork("s", true)).code).toBe("not-open")
    })
  })

  describe("a workspace", () => {
    it("is listed and exported with its session, and an export without one is taken as before", () => {
      const first = storeAt(place())
      first.create({ cwd: "/a", workspace: "repo" }, opening("s", 0))
      first.create({ cwd: "/a" }, opening("t", 0))
      expect(first.about("s").workspace).toBe("repo")
      expect("workspace" in first.about("t")).toBe(false)
      const other = storeAt(place())
      for (const id of ["s", "t"]) other.importJsonl(first.exportJsonl(id).join("\n"))
      expect(other.list()).toEqual(first.list())
      expect(other.exportJsonl("s")).toEqual(first.exportJsonl("s"))
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

    it("in entries come back as they were, to the byte", () => {
      const { first, second } = two()
      const entries = STRANGE.map((text, i) => noted(i + 1, text))
      first.append("s", entries)
      expect(second.load("s").slice(1)).toEqual(entries)
      const seq = entries.length + 1
      let next = seq
      fc.assert(
        fc.property(fc.string({ unit: "binary", maxLength: 50 }), (text) => {
          const entry = noted(next, text)
          first.append("s", [entry])
          expect(second.loadFrom("s", next)).toEqual([entry])
          next++
        }),
        { numRuns: 50 },
      )
      expect(second.exportJsonl("s").slice(1)).toEqual(first.load("s").map((entry) => JSON.stringify(entry)))
    })

    it("in files come back as they were", () => {
      const { first, second } = two()
      const files = ["", "\0", "a\0\0b\n", "🙂\u2028", "\ufeffbom", "\\x00", "'; --", "x".repeat(300_000)]
      for (const [i, text] of files.entries()) first.keep(`hash-${i}-${"x".repeat(20)}`, text)
      for (const store of [first, second])
        for (const [i, text] of files.entries()) {
          if (store === second && i === 0) first.append("s", [noted(1)])
          expect(store.content(`hash-${i}-${"x".repeat(20)}`)).toBe(text)
        }
      expect(second.content("nothing")).toBeUndefined()
    })

    it("in titles hurt nobody", () => {
      const { first, second } = two()
      first.setTitle("s", "A\0 title '; DROP TABLE sessions")
      first.setSummary("s", "What\0 came of it")
      expect(second.about("s").title).toContain("DROP TABLE")
      expect(second.list()).toHaveLength(1)
    })
  })
})
