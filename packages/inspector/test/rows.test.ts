import { describe, expect, it } from "vitest"
import type { CallPage, PageSegment } from "../src/contract.js"
import type { Embedded } from "../src/embedded.js"
import { embeddedReader } from "../src/page/data/embedded.js"
import type { DataReader } from "../src/page/data/reader.js"
import { Rows } from "../src/page/data/rows.js"
import type { AnyRow } from "../src/page/data/shapes.js"

const subject = { type: "session", id: "s" } as const

/** A reader of which only the rows are asked for. */
function readerOf(all: AnyRow[], asked: number[]): DataReader {
  const rows: DataReader["rows"] = async (_, from, limit) => {
    asked.push(from)
    return { rows: all.slice(from - 1, from - 1 + limit), total: all.length }
  }
  return { rows } as DataReader
}

const row = (n: number): AnyRow => ({ n, said: `${n}` }) as AnyRow

describe("rows", () => {
  it("come in parts until all are there, each once", async () => {
    const asked: number[] = []
    const rows = new Rows(
      readerOf(
        Array.from({ length: 1_250 }, (_, i) => row(i + 1)),
        asked,
      ),
      subject,
    )
    await Promise.all([rows.load(), rows.load()])
    expect(asked).toEqual([1, 501, 1_001])
    expect([rows.total, rows.loaded]).toEqual([1_250, 1_250])
  })

  it("in view come at once, without those before them", async () => {
    const asked: number[] = []
    const all = Array.from({ length: 10_000 }, (_, i) => row(i + 1))
    const rows = new Rows(readerOf(all, asked), subject)
    const loading = rows.load()
    await Promise.resolve()
    // The first part says how many there are.
    await rows.need(1, 10)
    await new Promise<void>((resolve) => {
      const stop = rows.subscribe(() => {
        stop()
        resolve()
      })
    })
    await Promise.all([rows.need(9_990, 10_000), rows.need(9_990, 10_000)])
    expect(rows.all[9_999]?.said).toBe("10000")
    expect(asked.filter((from) => from === 9_501)).toEqual([9_501])
    expect(asked.indexOf(9_501)).toBeLessThan(5)
    await loading
    expect(rows.loaded).toBe(10_000)
  })

  it("fetch the newest again with what has come since", async () => {
    const all = [row(1), row(2)]
    const rows = new Rows(readerOf(all, []), subject)
    await rows.load()
    all[1] = { ...row(2), said: "changed" }
    all.push(row(3))
    await rows.refresh()
    expect(rows.all.map((one) => one?.said)).toEqual(["1", "changed", "3"])
  })

  it("say what went wrong, and try again when asked", async () => {
    let isBroken = true
    const good = readerOf([row(1)], [])
    const reader = {
      rows: (...args: Parameters<DataReader["rows"]>) =>
        isBroken ? Promise.reject(new Error("gone")) : good.rows(...args),
    } as DataReader
    const rows = new Rows(reader, subject)
    await rows.load()
    expect(rows.error?.message).toBe("gone")
    isBroken = false
    await rows.load()
    expect([rows.error, rows.total]).toEqual([undefined, 1])
  })
})

describe("a page that is one file", () => {
  const segment = (text: string): PageSegment => ({
    path: text,
    section: "messages",
    role: "user",
    kind: "text",
    text,
    tokens: 1,
    bytes: 1,
    isNew: true,
    reminders: [],
  })
  const page = (n: number, from: number, texts: readonly string[], previous?: number) =>
    ({
      row: { n },
      from,
      total: from + texts.length,
      segments: texts.map(segment),
      mends: [],
      reply: [],
      ...(previous && { previous }),
    }) as unknown as CallPage

  it("puts calls and results together, with the change that a call makes", async () => {
    const input = JSON.stringify({ path: "a.ts", old: "1", new: "2" })
    const first = { ...page(1, 0, ["a"]), next: 2, reply: [{ kind: "call", name: "edit", text: input }] }
    const second = { ...page(2, 1, []), segments: [{ ...segment("Edited."), kind: "result" }] }
    const pages = [first, second] as unknown as CallPage[]
    const reader = embeddedReader({ version: 1, subject, rows: [], breaks: [], pages } as unknown as Embedded)
    expect((await reader.tools(subject, 1)).tools).toMatchObject([
      { name: "edit", changes: [{ path: "a.ts", before: "1", after: "2" }], result: { text: "Edited." } },
    ])
    expect((await reader.tools(subject, 2)).tools).toEqual([])
  })

  it("finds the earlier segments of a request in the requests before it", async () => {
    // The third request changed its second segment: it goes back behind the first.
    const pages = [page(1, 0, ["a", "b"]), page(2, 2, ["c"], 1), page(3, 1, ["B", "c2"], 2)]
    const reader = embeddedReader({ version: 1, subject, rows: [], breaks: [], pages } as Embedded)
    const texts = async (n: number, from?: number) =>
      (await reader.page(subject, n, from === undefined ? {} : { from })).segments.map(({ text }) => text)
    expect(await texts(2)).toEqual(["c"])
    expect(await texts(2, 0)).toEqual(["a", "b", "c"])
    expect(await texts(3, 0)).toEqual(["a", "B", "c2"])
    expect((await reader.search(subject, "B")).hits.map(({ n }) => n)).toEqual([1, 3])
  })
})
