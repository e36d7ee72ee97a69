import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import {
  type Buffer,
  backspace,
  bufferWith,
  deleteNext,
  EMPTY,
  expand,
  imagesIn,
  insert,
  insertStandIn,
  killToEnd,
  killToStart,
  killWordBefore,
  labelled,
  left,
  lineEnd,
  lineStart,
  right,
  wordLeft,
  wordRight,
} from "../../src/tui/input/buffer.js"
import { layoutOf, vertical } from "../../src/tui/input/layout.js"
import { paste } from "../../src/tui/input/paste.js"
import { widthOf } from "../../src/tui/text/width.js"

const FAMILY = "👩‍👩‍👧"
// Fixed, so that a failure is found again.
const SEED = { seed: 9 }
const shown = ({ text, cursor }: Buffer) => `${text.slice(0, cursor)}|${text.slice(cursor)}`

describe("a text buffer", () => {
  it("moves and deletes by what a person takes for one character", () => {
    const written = insert(EMPTY, `a${FAMILY}e\u0301語`)
    expect(shown(left(written))).toBe(`a${FAMILY}e\u0301|語`)
    expect(shown(left(left(written)))).toBe(`a${FAMILY}|e\u0301語`)
    expect(shown(backspace(backspace(written)))).toBe(`a${FAMILY}|`)
    expect(shown(backspace(backspace(backspace(written))))).toBe("a|")
    expect(shown(deleteNext(bufferWith(`${FAMILY}b`, 0)))).toBe("|b")
    expect(shown(right(bufferWith(`${FAMILY}b`, 0)))).toBe(`${FAMILY}|b`)
  })

  it("moves by words and lines", () => {
    const text = bufferWith("one two\nthree  four", 12)
    expect(shown(wordLeft(text))).toBe("one two\n|three  four")
    expect(shown(wordLeft(wordLeft(text)))).toBe("one |two\nthree  four")
    expect(shown(wordRight(text))).toBe("one two\nthree|  four")
    expect(shown(lineStart(text))).toBe("one two\n|three  four")
    expect(shown(lineEnd(text))).toBe("one two\nthree  four|")
  })

  it("cuts to the ends of the line and words, and says what it cut", () => {
    const text = bufferWith("one two\nthree", 4)
    expect(killToEnd(text)).toMatchObject({ killed: "two", buffer: { text: "one \nthree" } })
    expect(killToEnd(killToEnd(text).buffer)).toMatchObject({ killed: "\n", buffer: { text: "one three" } })
    expect(killToStart(text)).toMatchObject({ killed: "one ", buffer: { text: "two\nthree", cursor: 0 } })
    expect(killWordBefore(bufferWith("one two  "))).toMatchObject({
      killed: "two  ",
      buffer: { text: "one " },
    })
  })

  it("never stands within a character, whatever is done to it", () => {
    const moves = [left, right, wordLeft, wordRight, lineStart, lineEnd, backspace, deleteNext]
    const pieces = fc.constantFrom("a", " ", "\n", FAMILY, "語", "e\u0301", "🇩🇪")
    fc.assert(
      fc.property(
        fc.array(pieces),
        fc.array(fc.constantFrom(...moves, "write" as const)),
        (written, done) => {
          let buffer = insert(EMPTY, written.join(""))
          for (const move of done) buffer = move === "write" ? insert(buffer, "x") : move(buffer)
          const graphemes = [...new Intl.Segmenter().segment(buffer.text)].map(({ index }) => index)
          expect([...graphemes, buffer.text.length]).toContain(buffer.cursor)
        },
      ),
    )
  })
})

describe("what stands in for more", () => {
  it("is one character to the cursor, a label to the eye, and whole when it is sent", () => {
    const long = Array.from({ length: 12 }, (_, i) => `line ${i}`).join("\n")
    const written = insert(paste(insert(EMPTY, "See "), long, "/"), " there")
    expect(labelled(written)).toBe("See [Pasted 12 lines] there")
    expect(expand(written)).toBe(`See ${long} there`)
    let back = written
    for (let i = 0; i < " there".length + 1; i++) back = backspace(back)
    expect(expand(back)).toBe("See ")
  })

  it("cannot be forged by what is typed", () => {
    const held = insertStandIn(EMPTY, { is: "paste", text: "secret", label: "[Pasted]" })
    const mark = held.text
    expect(expand(insert(EMPTY, `a${mark}b`))).toBe("ab")
  })

  const folder = mkdtempSync(join(tmpdir(), "sotto-paste-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("is an image where the path of one is pasted, however it is written", () => {
    writeFileSync(join(folder, "a b.png"), "")
    const path = join(folder, "a b.png")
    for (const text of [
      path,
      `'${path}'`,
      path.replace(" ", "\\ "),
      `file://${path.replace(" ", "%20")}`,
      "a b.png",
    ])
      expect(imagesIn(paste(EMPTY, text, folder))).toEqual([path])
    for (const text of ["missing.png", "a b.txt", "see a b.png"])
      expect(imagesIn(paste(EMPTY, text, folder))).toEqual([])
  })
})

describe("the layout of a text", () => {
  it("breaks between words, and knows where the cursor is", () => {
    const { rows, cursor } = layoutOf(bufferWith("one two three\nfour"), 8)
    expect(rows.map(({ text }) => text)).toEqual(["one two ", "three", "four"])
    expect(cursor).toEqual({ row: 2, column: 4 })
  })

  it("never puts more into a row than fits, and loses nothing", () => {
    const text = fc.string({ unit: fc.constantFrom("a", " ", "語", FAMILY, "bcd"), maxLength: 60 })
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (written, width) => {
        const { rows } = layoutOf(insert(EMPTY, written), width)
        expect(rows.map((row) => row.text).join("")).toBe(written)
        for (const row of rows) expect(widthOf(row.text)).toBeLessThanOrEqual(width)
      }),
      SEED,
    )
  })

  it("moves up and down by rows, and out of the text nowhere", () => {
    const text = bufferWith("one two three\nfour", 2)
    const second = vertical(text, 8, 1)
    expect(second && shown(second)).toBe("one two th|ree\nfour")
    expect(vertical(text, 8, -1)).toBeUndefined()
    expect(vertical(bufferWith("one"), 8, 1)).toBeUndefined()
  })
})
