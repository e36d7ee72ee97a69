import fc from "fast-check"
import { describe, expect, it, test } from "vitest"
import { EventReader, EventTooLarge, type SentEvent } from "../src/models/sse.js"

function read(...pieces: readonly (string | Uint8Array)[]): readonly SentEvent[] {
  const reader = new EventReader()
  const events = pieces.flatMap((piece) =>
    reader.push(typeof piece === "string" ? new TextEncoder().encode(piece) : piece),
  )
  return [...events, ...reader.end()]
}

const data = (...texts: readonly string[]) => texts.map((text) => ({ event: "message", data: text }))

describe("an event stream", () => {
  it("ends its lines with LF, CRLF or CR", () => {
    expect(read("data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\n\n")).toEqual(data("a", "b", "c", "d"))
  })

  it("may be cut between CR and LF", () => {
    expect(read("data: a\r", "\n", "data: b\r", "\n\r", "\n")).toEqual(data("a\nb"))
  })

  it("joins several lines of data", () => {
    expect(read("data: a\ndata:b\ndata\ndata:  c\n\n")).toEqual(data("a\nb\n\n c"))
  })

  it("has names, comments and fields of no interest", () => {
    expect(
      read(": alive\nid: 7\nevent: ping\nretry: 3\ndata: {}\n\n:\n\nevent: nothing\n\ndata: x\n\n"),
    ).toEqual([{ event: "ping", data: "{}" }, ...data("x")])
  })

  it("may lack its last empty line, or the end of its last line", () => {
    expect(read("data: a\n\ndata: b\n")).toEqual(data("a", "b"))
    expect(read("data: a\n\ndata: b")).toEqual(data("a", "b"))
    expect(read("data: a\r")).toEqual(data("a"))
  })

  it("may begin with a byte order mark", () => {
    expect(read("\uFEFFdata: a\n\n")).toEqual(data("a"))
  })

  it("may be empty", () => {
    expect(read()).toEqual([])
    expect(read("\n\n\r\n: nothing\n")).toEqual([])
  })
})

test("where the bytes are cut makes no difference", () => {
  const line = fc.oneof(
    fc.constantFrom("", "data: ", "event: x", ": c", "data"),
    fc.string({ unit: "grapheme" }).map((text) => `data: ${text.replace(/[\r\n]/g, "")}`),
  )
  const text = fc
    .array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r", "\n\n")))
    .map((lines) => lines.flat().join(""))
  fc.assert(
    fc.property(text, fc.array(fc.nat()), (whole, cuts) => {
      const bytes = new TextEncoder().encode(whole)
      const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
      const pieces = at.slice(1).map((end, i) => bytes.subarray(at[i], end))
      expect(read(...pieces)).toEqual(read(bytes))
    }),
    { numRuns: 500 },
  )
})

describe("a large event", () => {
  it("is read, in however many pieces it comes", () => {
    const text = "x".repeat(4_000_000)
    const bytes = new TextEncoder().encode(`data: ${text}\n\n`)
    const pieces = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, i) =>
      bytes.subarray(i * 1000, (i + 1) * 1000),
    )
    expect(read(...pieces)).toEqual(data(text))
  })

  it("is refused once it is larger than it may be, in one line or in many", () => {
    const piece = new TextEncoder().encode("data: 0123456789\n")
    const many = () => {
      const reader = new EventReader(100)
      for (let i = 0; i < 20; i++) reader.push(piece)
    }
    expect(many).toThrow(EventTooLarge)
    expect(() => new EventReader(100).push(new TextEncoder().encode("x".repeat(101)))).toThrow(EventTooLarge)
  })

  it("is not made of comments, of which any number may come", () => {
    const reader = new EventReader(100)
    const comment = new TextEncoder().encode(": still here\n")
    for (let i = 0; i < 1000; i++) expect(reader.push(comment)).toEqual([])
    expect(reader.push(new TextEncoder().encode("data: a\n\n"))).toEqual(data("a"))
  })
})
