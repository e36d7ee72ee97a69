import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { exposed, InertStream, inert, oneLine, visibleJson } from "../../src/screen/inert.js"
import { inkFor } from "../../src/screen/ink.js"
import { Printer } from "../../src/screen/printer.js"
import { line, span, textOfLine, wrap } from "../../src/tui/text/line.js"
import { painterFor } from "../../src/tui/text/paint.js"
import { hiddenIn, SEQUENCES } from "./sequences.js"

const RUNS = Number(process.env.SOTTO_RUNS ?? 300)
const pieces = fc.oneof(
  fc.constantFrom(...SEQUENCES),
  fc.string({ unit: "binary", maxLength: 4 }),
  fc.constant("words"),
)
const hostile = fc.array(pieces, { maxLength: 10 }).map((all) => all.join(""))

describe("a text from outside", () => {
  it.each(SEQUENCES.map((one) => [JSON.stringify(one), one]))("is inert: %s", (_, sequence) => {
    const text = `before ${sequence} after`
    for (const shown of [inert(text), exposed(text), oneLine(text)]) {
      expect(hiddenIn(shown)).toEqual([])
      expect(shown).toContain("before ")
      expect(shown).toContain(" after")
    }
    expect(hiddenIn(textOfLine(line(text)))).toEqual([])
    expect(hiddenIn(painterFor("none")([span(text)]))).toEqual([])
  })

  it("is inert however sequences are put together, and stays as it is when cleaned again", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(hiddenIn(exposed(text), /\n/)).toEqual([])
        expect(oneLine(text)).not.toMatch(/[\n\t\r]/)
        expect(inert(inert(text))).toBe(inert(text))
        for (const row of wrap(line(text), 20)) expect(hiddenIn(textOfLine(row), /$^/)).toEqual([])
      }),
      { seed: 13, numRuns: RUNS },
    )
  })

  it("is the same whether it comes at once or in pieces", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 5 }), (text, size) => {
        const stream = new InertStream()
        let shown = ""
        for (let i = 0; i < text.length; i += size) shown += stream.push(text.slice(i, i + size))
        expect(shown + stream.end()).toBe(inert(text))
      }),
      { seed: 13, numRuns: RUNS },
    )
  })

  it("keeps what people write", () => {
    for (const text of [
      "👩‍👩‍👧‍👦 ❤️ 1️⃣ 👍🏽 🏳️‍🌈 🤷🏽‍♀️",
      "می‌خواهم",
      "क्‍ष",
      "日本語 ─ │ é e\u0301 naïve",
      "\tindented\n",
    ])
      expect(inert(text)).toBe(text)
    expect(inert("\u001b[31mred\u001b[0m\r\n")).toBe("red\n")
    expect(exposed("npm test\u00a0# \u200b")).toBe("npm test\\u{a0}# \\u{200b}")
  })
})

describe("the printer", () => {
  it("paints only what it has cleaned", () => {
    const written: string[] = []
    const printer = new Printer(
      () => ({ isTTY: true, write: (text: string) => written.push(text) > 0 }) as never,
    )
    const ink = inkFor(true, {})
    for (const sequence of SEQUENCES) {
      printer.line(ink.bold(`a ${sequence}`), ` b ${sequence} `, ink.dim(sequence), `${ink.red(sequence)}`)
      const line = written.pop() ?? ""
      expect(hiddenIn(withoutInk(line))).toEqual([])
    }
  })

  it("writes JSON as it is for programs, and the same JSON in sight for people", () => {
    for (const isTTY of [true, false]) {
      const written: string[] = []
      const printer = new Printer(() => ({ isTTY, write: (text: string) => written.push(text) > 0 }) as never)
      const value = { text: SEQUENCES.join(" ") }
      printer.json(JSON.stringify(value))
      const [line = ""] = written
      expect(JSON.parse(line)).toEqual(value)
      if (isTTY) expect(hiddenIn(line)).toEqual([])
      else expect(line).toBe(`${JSON.stringify(value)}\n`)
    }
    expect(visibleJson('"\u202e"')).toBe('"\\u202e"')
  })
})

const INK = ["0", "1", "2"].map((code) => `\u001b[${code}m`)

function withoutInk(line: string): string {
  return INK.reduce((rest, code) => rest.replaceAll(code, ""), line)
}

describe("docs/trust.md", () => {
  it("has as many terminal sequences as there are", () => {
    const page = readFileSync(new URL("../../../../docs/trust.md", import.meta.url), "utf8")
    expect(page).toContain(`| terminal sequences | ${SEQUENCES.length} |`)
  })
})
