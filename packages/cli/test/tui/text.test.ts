import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { endOfBlock, finishedBlocks } from "../../src/tui/markdown/blocks.js"
import { renderMarkdown } from "../../src/tui/markdown/render.js"
import { cutLine, line, textOfLine, widthOfLine, wrap } from "../../src/tui/text/line.js"
import { painterFor, paletteFor } from "../../src/tui/text/paint.js"
import { clean, cut, visible, widthOf } from "../../src/tui/text/width.js"

const rows = (markdown: string, width = 40) => renderMarkdown(markdown, width).map(textOfLine)
// Fixed, so that a failure is found again.
const SEED = { seed: 9 }
const anything = fc.string({ unit: "grapheme", maxLength: 80 })

describe("a line", () => {
  it("is broken into rows that fit, and loses nothing but the spaces at the seams", () => {
    fc.assert(
      fc.property(anything.map(clean), fc.integer({ min: 8, max: 30 }), (text, width) => {
        const single = text.replaceAll("\n", " ")
        const broken = wrap(line(single), width)
        for (const row of broken) expect(widthOfLine(row)).toBeLessThanOrEqual(width)
        const squeezed = (one: string) => one.replaceAll(" ", "")
        expect(squeezed(broken.map(textOfLine).join(""))).toBe(squeezed(single))
      }),
      SEED,
    )
  })

  it("is cut to a width with a mark", () => {
    fc.assert(
      fc.property(anything.map(clean), fc.integer({ min: 4, max: 30 }), (text, width) => {
        const single = text.replaceAll("\n", " ")
        expect(widthOf(cut(single, width))).toBeLessThanOrEqual(width)
        expect(widthOfLine(cutLine([...line(single), ...line(single)], width))).toBeLessThanOrEqual(width)
      }),
      SEED,
    )
    expect(cut("abcdef", 4)).toBe("abc…")
    expect(cut("語語語", 4)).toBe("語…")
  })

  it("from outside steers nothing", () => {
    expect(clean("a\u001b[31mb\u001b[0m\u001b]0;title\u0007c\u0008\r\nd\te")).toBe("ab␛]0;title␇c␈\nd   e")
    expect(clean("safe\u202etxt.exe")).toBe("safe\\u{202e}txt.exe")
    expect(visible("rm \u001b[8m-rf /\u001b[0m")).toBe("rm ␛[8m-rf /␛[0m")
  })
})

describe("colours", () => {
  it("are as many as the terminal has, and none with NO_COLOR", () => {
    expect(paletteFor({ TERM: "xterm-256color" })).toBe("256")
    expect(paletteFor({ TERM: "xterm", COLORTERM: "truecolor" })).toBe("any")
    expect(paletteFor({ TERM: "xterm" })).toBe("16")
    expect(paletteFor({ TERM: "xterm-256color", NO_COLOR: "1" })).toBe("none")
    const orange = [{ text: "x", style: { colour: "#ff8800", bold: true } }]
    expect(painterFor("any")(orange)).toBe("\u001b[1;38;2;255;136;0mx\u001b[0m")
    expect(painterFor("none")(orange)).toBe("\u001b[1mx\u001b[0m")
  })
})

describe("Markdown", () => {
  it("becomes rows", () => {
    expect(rows("# One\n\nTwo **three** `four`\nfive.\n\n1. a\n2. b\n   - c\n\n> quoted")).toEqual([
      ...["One", "", "Two three four five.", "", "1. a", "2. b", "   • c", "", "│ quoted"],
    ])
    expect(rows("```\nconst  a = 1\n```")).toEqual(["▏ const  a = 1"])
    expect(rows("- [x] done\n- [ ] open")).toEqual(["• ☒ done", "• ☐ open"])
    expect(rows("[a link](https://example.org)")).toEqual(["a link (https://example.org)"])
  })

  it("lays a table out in columns, and as lists where there is no room", () => {
    const table = "| name | value |\n| --- | --- |\n| one | 1 |\n| two | a longer value |"
    expect(rows(table)).toEqual([
      "name │ value         ",
      "─────┼───────────────",
      "one  │ 1             ",
      "two  │ a longer value",
    ])
    expect(rows(table, 11)).toEqual([
      "name: one",
      "value: 1",
      "────────",
      "name: two",
      "value: a",
      "  longer",
      "  value",
    ])
  })

  it("never makes a row wider than the window", () => {
    const pieces = fc.constantFrom(
      ...[
        "# head",
        "text **bold**",
        "- item",
        "  - deeper",
        "> quote",
        "```ts\nconst x = 1\n```",
        "| a | b |\n|---|---|\n| 1 | 2 |",
      ],
      ...["wordwordwordwordwordword", "語語語語語語語語語", "<b>html</b>", "1. first", "---"],
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }), fc.integer({ min: 16, max: 40 }), (parts, width) => {
        for (const row of renderMarkdown(parts.join("\n\n"), width))
          expect(widthOfLine(row)).toBeLessThanOrEqual(width)
      }),
      SEED,
    )
  })

  it("that streams in is printed block by block and in the end whole", () => {
    const source =
      "# Head\n\nA paragraph\nof two lines.\n\n- one\n\n- two\n\n```ts\nconst a = 1\n\nconst b = 2\n```\n\nEnd."
    let printed = ""
    let rest = ""
    for (const letter of source) {
      const { done, rest: growing } = finishedBlocks(rest + letter)
      printed += done
      rest = growing
    }
    expect(printed + rest).toBe(source)
    expect(rest).toBe("End.")
    expect(finishedBlocks("```ts\nconst a = 1\n\nconst b").done).toBe("")
  })

  it("that grows long is drawn by its end, code as code", () => {
    const code = Array.from({ length: 500 }, (_, i) => `line ${i}`)
    const end = endOfBlock(["```ts", ...code].join("\n"), 10).split("\n")
    expect(end).toEqual(["```ts", ...code.slice(-20)])
    expect(endOfBlock(code.join("\n"), 10).split("\n")).toEqual(code.slice(-20))
    expect(endOfBlock("short\ntext", 10)).toBe("short\ntext")
  })
})
