import type { Entry, Session } from "@sotto/core"
import { encodeBytes } from "@sotto/core/anthropic"
import { usageRowOf } from "@sotto/core/economy"
import { describe, expect, it } from "vitest"
import { storeAt, storeKinds } from "./store-kinds.js"
import { failing, opening, restored, stored, work } from "./store-support.js"

/** What would be sent next, as bytes. */
function nextBody(session: Session): string {
  const next = session.next()
  if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
  return Buffer.concat(encodeBytes(next.request)).toString("utf8")
}

describe.each(storeKinds())("in $name,", ({ place }) => {
  describe("a session", () => {
    it("is in the store as it is in memory, entry by entry", async () => {
      const store = await storeAt(place())
      const session = await stored(store, "s1")
      work(session, "Read it")
      work(session, "And again")
      expect(await store.load("s1")).toEqual(session.log)
      expect(nextBody(await restored(store, "s1"))).toBe(nextBody(session))
    })

    it("comes in parts as it comes whole, however long it is", async () => {
      const store = await storeAt(place())
      await store.create({ cwd: "/a" }, opening("long", 0))
      const noted = (seq: number): Entry => ({ type: "noted", signal: { type: "x" }, seq, at: seq })
      for (const length of [1, 499, 500, 501, 2_000, 2_001]) {
        const { length: known } = await store.load("long")
        store.appendLater(
          "long",
          Array.from({ length: length - known }, (_, i) => noted(known + i)),
        )
        const parts: Entry[] = []
        for await (const part of store.loadParts("long")) parts.push(...part)
        expect(parts).toHaveLength(length)
        expect(parts).toEqual(await store.load("long"))
      }
      await expect(async () => {
        for await (const _ of store.loadParts("unknown")) break
      }).rejects.toMatchObject({ code: "unknown-session" })
    })

    it("is listed with what a person wants to know of it, the newest first", async () => {
      const store = await storeAt(place())
      const session = await stored(store, "s1", "/a")
      session.say("Hello")
      session.switchAgent("plan")
      session.switchModel({ id: "openai/gpt-5.6" })
      await store.durable("s1")
      await store.describe("s1", { title: "A greeting" })
      await store.create({ cwd: "/a", parent: "s1" }, opening("child", 5_000))
      await store.create({ cwd: "/b" }, opening("s2", 4_000))
      expect(await store.list()).toEqual([
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
      expect((await store.latest("/a"))?.id).toBe("s1")
      expect(await store.latest("/nowhere")).toBeUndefined()
    })

    it("is described by a title, labels and metadata, each of which can be changed and taken away", async () => {
      const at = place()
      const store = await storeAt(at)
      const about = { labels: ["b", "a", "b"], metadata: { ticket: "12", Größe: "“”🙂" } }
      await store.create({ cwd: "/a", title: "First", ...about }, opening("s1", 0))
      const second = await storeAt(at)
      const read = async () => {
        const { title, labels, metadata } = await second.about("s1")
        expect((await second.list())[0]).toMatchObject({ ...(title && { title }), ...(labels && { labels }) })
        return { title, labels, metadata }
      }
      expect(await read()).toEqual({ title: "First", labels: ["a", "b"], metadata: about.metadata })
      await second.describe("s1", { title: null, labels: ["c"] })
      expect(await read()).toEqual({ title: undefined, labels: ["c"], metadata: about.metadata })
      await second.describe("s1", { labels: [], metadata: {}, title: "Second" })
      expect(await read()).toEqual({ title: "Second", labels: undefined, metadata: undefined })
      await second.describe("s1", {})
      expect(await read()).toMatchObject({ title: "Second" })
      expect(await failing(() => store.describe("x", {}))).toMatchObject({ code: "unknown-session" })
    })

    it("tells what its requests used, also of words that a database cannot read as JSON", async () => {
      const store = await storeAt(place())
      await store.create({ cwd: "/a" }, opening("s1", 0))
      const usage = { input: 10, output: 2, cacheRead: 3, cacheWrite: 4 }
      const words = '\0 \ud83d alone "usage":{"input":7} \\u0000 \\ud800'
      const entries = [
        { type: "step", seq: 1, at: 0, epoch: { pins: { model: "m-1" } }, economy: { extended: true } },
        { type: "replied", seq: 2, at: 0, reply: { parts: [{ type: "text", text: words }], usage } },
        { type: "step", seq: 3, at: 0 },
        { type: "replied", seq: 4, at: 40, reply: { parts: [{ type: "text", text: words }] } },
        { type: "replied", seq: 5, at: 0, reply: { parts: [], stop: "overflow" } },
        { type: "said", seq: 6, at: 0, content: [{ type: "text", text: words }] },
        { type: "aborted", seq: 7, at: 70, interrupts: { request: "r", kept: { parts: [], usage } } },
        {
          type: "said",
          seq: 8,
          at: 80,
          content: [],
          interrupts: { request: "r", kept: { parts: [], usage } },
        },
        { type: "aborted", seq: 9, at: 0, interrupts: { request: "r", kept: { parts: [] } } },
        { type: "billed", seq: 10, at: 100, purpose: "title", model: "m-2", usage, cacheLifetime: 3_600 },
        { type: "billed", seq: 11, at: 110, purpose: "retry", model: "m-2" },
        { type: "cancelled", seq: 12, at: 0, id: words },
      ] as unknown as readonly Entry[]
      await store.append("s1", entries)
      const rows = [
        { is: "request", seq: 1, model: "m-1", isLong: true },
        { is: "reply", seq: 2, at: 0, usage },
        { is: "request", seq: 3, isLong: false },
        { is: "reply", seq: 4, at: 40 },
        { is: "reply", seq: 7, at: 70, usage },
        { is: "reply", seq: 8, at: 80, usage },
        { is: "billed", seq: 10, at: 100, purpose: "title", model: "m-2", usage, isLong: true },
        { is: "billed", seq: 11, at: 110, purpose: "retry", model: "m-2", isLong: false },
      ]
      expect(await store.usage("s1", 0)).toEqual(rows)
      expect(entries.flatMap((entry) => usageRowOf(entry) ?? [])).toEqual(rows)
      expect(await store.usage("s1", 3)).toEqual(rows.slice(2))
      expect(await store.usage("s1", 12)).toEqual([])
    })

    it("lists the sessions of subagents, and of theirs", async () => {
      const store = await storeAt(place())
      await store.create({ cwd: "/a" }, opening("s1", 0))
      await store.create({ cwd: "/a", parent: "s1" }, opening("child", 0))
      await store.create({ cwd: "/a", parent: "child" }, opening("grandchild", 0))
      await store.create({ cwd: "/a" }, opening("other", 0))
      expect((await store.subagents("s1")).map(({ id }) => id)).toEqual(["child", "grandchild"])
      expect(await store.subagents("grandchild")).toEqual([])
    })

    it("leaves a fork without what its origin has paid", async () => {
      const store = await storeAt(place())
      const [first] = opening("fork", 0)
      await store.create({ cwd: "/a" }, [{ ...first, copied: 7 } as Entry])
      expect(await store.usage("fork", 0)).toEqual([{ is: "copied", seq: 0, before: 7 }])
    })

    it("that is not there is said not to be", async () => {
      const store = await storeAt(place())
      for (const ask of [
        () => store.load("x"),
        () => store.open("x"),
        () => store.exportJsonl("x"),
        () => store.describe("x", { title: "y" }),
        () => store.usage("x", 0),
      ])
        expect(await failing(ask)).toMatchObject({
          code: "unknown-session",
          message: expect.stringContaining("sotto sessions"),
        })
    })

    it("takes several entries whole or not at all", async () => {
      const store = await storeAt(place())
      await store.create({ cwd: "/a" }, opening("s1", 0))
      const said = (seq: number): Entry => ({ type: "cancelled", id: "m", seq, at: 0 })
      await expect(async () => store.append("s1", [said(1), said(1)])).rejects.toThrow()
      expect((await failing(() => store.append("s1", [said(7)]))).code).toBe("conflict")
      expect(await store.load("s1")).toHaveLength(1)
      await store.append("s1", [said(1), said(2)])
      await store.append("s1", [])
      expect(await store.load("s1")).toHaveLength(3)
      expect((await failing(() => store.create({ cwd: "/a" }, opening("s1", 0)))).code).toBe("duplicate")
    })

    it("is written to only while it is open, by one at a time", async () => {
      const path = place()
      const first = await storeAt(path)
      const second = await storeAt(path)
      await first.create({ cwd: "/a" }, opening("s1", 0))
      const more: Entry = { type: "cancelled", id: "m", seq: 1, at: 0 }
      expect((await failing(() => second.append("s1", [more]))).code).toBe("not-open")
      expect(await failing(() => second.open("s1"))).toMatchObject({
        code: "locked",
        message: expect.stringContaining("in this process"),
      })
      expect((await failing(() => first.open("s1"))).code).toBe("locked")
      expect(await second.load("s1")).toHaveLength(1)
      await first.release("s1")
      expect(await second.open("s1")).toHaveLength(1)
      await second.append("s1", [more])
      expect((await failing(() => first.append("s1", [more]))).code).toBe("not-open")
      await second.close()
      expect(await first.open("s1")).toHaveLength(2)
      expect((await failing(() => second.list())).code).toBe("not-open")
    })
  })

  describe("an export", () => {
    it("is a header and a line for each entry, and comes back byte for byte", async () => {
      const store = await storeAt(place())
      const session = await stored(store, "s1", "/a")
      work(session, "Read it")
      await store.describe("s1", { title: "Reading" })
      const lines = await store.exportJsonl("s1")
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

      const other = await storeAt(place())
      expect(await other.importJsonl(`${lines.join("\n")}\n`)).toBe("s1")
      expect(await other.exportJsonl("s1")).toEqual(lines)
      expect(await other.list()).toEqual(await store.list())
      expect(await other.open("s1")).toEqual(await store.load("s1"))
      expect(nextBody(await restored(other, "s1"))).toBe(nextBody(session))
    })

    it("is not taken twice", async () => {
      const store = await storeAt(place())
      await store.create({ cwd: "/a" }, opening("s1", 0))
      const text = (await store.exportJsonl("s1")).join("\n")
      expect(await failing(() => store.importJsonl(text))).toMatchObject({ code: "duplicate", line: 1 })
    })

    const header = '{"sotto":"session","version":1,"id":"s1","cwd":"/a","created":0}'
    const opened = JSON.stringify(opening("s1", 0)[0])
    const note = (seq: number) => `{"type":"cancelled","id":"m","seq":${seq},"at":0}`
    it.each([
      ["", 1, "empty"],
      ["{}", 1, "header"],
      [header.replace('"cwd":"/a",', ""), 1, "no cwd"],
      [header.replace("}", ',"labels":"a"}'), 1, "labels should be a list"],
      [header.replace("}", ',"metadata":{"a":1}}'), 1, 'metadata should have a text as "a"'],
      [header, 2, "opened"],
      [`${header}\n${note(0)}`, 2, "opened"],
      [`${header}\n${opened.replace('"s1"', '"s2"')}`, 2, "s2"],
      [`${header}\n${opened}\n${note(2)}`, 3, "should be 1 and is 2"],
      [`${header}\n${opened}\n${note(1)}\n${note(1)}`, 4, "should be 2 and is 1"],
      [`${header}\n${opened}\n\n${note(1)}`, 3, "empty"],
      [`${header}\n${opened}\n${note(1).slice(0, -9)}`, 3, "not JSON"],
      [`${header}\n${opened}\n[]`, 3, "no object"],
      [`${header}\n${opened}\n{"type":"toString","seq":1,"at":0}`, 3, "no entry"],
    ])("that is damaged is refused with the line (%#)", async (text, line, words) => {
      const store = await storeAt(place())
      const error = await failing(() => store.importJsonl(text))
      expect(error).toMatchObject({ code: "bad-import", line, message: expect.stringContaining(words) })
      expect(error.message).toContain(`Line ${line}`)
      expect(await store.list()).toEqual([])
    })

    it.each([
      [header.replace('"version":1', '"version":9'), 1],
      [`${header}\n${opened.replace('"version":1', '"version":9')}`, 2],
    ])("of a newer Sotto is left to that (%#)", async (text, line) => {
      expect(await failing(async () => (await storeAt(place())).importJsonl(text))).toMatchObject({
        code: "newer",
        line,
      })
    })
  })

  describe("what is appended later", () => {
    const noted = (seq: number) => ({ type: "noted", signal: { type: "x" }, seq, at: seq }) as const

    it("is on disk for all who asked in the same breath, in one transaction, and only then told", async () => {
      const store = await storeAt(place())
      for (const id of ["s1", "s2"]) await store.create({ cwd: "/a" }, opening(id, 0))
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
      const store = await storeAt(place())
      for (const id of ["s1", "s2"]) await store.create({ cwd: "/a" }, opening(id, 0))
      store.onDurable("s1", () => store.appendLater("s2", [noted(2)]))
      store.appendLater("s1", [noted(1)])
      store.appendLater("s2", [noted(1)])
      await store.durable("s1")
      await store.durable("s2")
      expect((await store.load("s2")).map(({ seq }) => seq)).toEqual([0, 1, 2])
    })

    it("fails for the session that was taken over, and for no other", async () => {
      const store = await storeAt(place())
      for (const id of ["s1", "s2"]) await store.create({ cwd: "/a" }, opening(id, 0))
      store.appendLater("s1", [noted(7)])
      store.appendLater("s2", [noted(1)])
      const [first, second] = await Promise.allSettled([store.durable("s1"), store.durable("s2")])
      expect(first).toMatchObject({ status: "rejected", reason: { code: "conflict" } })
      expect(second.status).toBe("fulfilled")
      expect(await store.load("s2")).toHaveLength(2)
    })
  })
})
