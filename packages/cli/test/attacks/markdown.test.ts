import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { endOfBlock, finishedBlocks } from "../../src/tui/markdown/blocks.js"
import { renderMarkdown } from "../../src/tui/markdown/render.js"
import { emptyScreen, reduce } from "../../src/tui/state/reduce.js"
import { textOfLine, widthOfLine } from "../../src/tui/text/line.js"

const RUNS = Number(process.env.SOTTO_RUNS ?? 15)
const WIDTH = 40

const UNITS = [
  ...[
    ">",
    "> ",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "10) ",
    "> - ",
    "- > ",
    "  - a\n",
    "*",
    "**",
    "_",
    "_a",
    "*a ",
    "**a *b ",
    "a**b",
    "x*y_z",
  ],
  ...[
    "[",
    "![",
    "a[",
    "[](",
    "[a][b]",
    "](b)",
    "[a](<",
    "[a]: b\n",
    "<",
    "<a ",
    "<!--",
    "<div>\n",
    "&",
    "&amp;",
    "`",
    "`a``b",
    "~",
    "~~a ",
  ],
  ...[
    "|",
    "|a",
    "|-",
    "|a|b|\n|-|-|\n",
    "#",
    "# a\n",
    "\n",
    " ",
    "\t",
    "\\",
    "http://",
    "www.a",
    "a@a.",
    "-",
    "=",
    "a\n=\n",
    "```\n",
    "~~~\n",
  ],
  ...["- a\n", "- a\n\n", "> a\n", "1. a\n", "a  \n", "語", "👩‍👩‍👧 ", "word ", "\u001b[31m", "\u202e", "\r"],
]
const HUGE = 20_000

const shown = (text: string) => renderMarkdown(text, WIDTH)

describe("Markdown that was made to hurt", () => {
  // By the square or worse this would not end within the time that a test has.
  it.each(UNITS.map((unit) => [JSON.stringify(unit), unit]))("ends and fits: %s, many times", (_, unit) => {
    const text = unit.repeat(Math.ceil(HUGE / unit.length))
    for (const row of shown(`before\n\n${text}\n\nafter`)) expect(widthOfLine(row)).toBeLessThanOrEqual(WIDTH)
    const { done, rest } = finishedBlocks(text)
    expect(done + rest).toBe(text)
  })

  it.each([
    ["quotes in quotes", ">".repeat(20_000)],
    [
      "a quote a line deeper each time",
      Array.from({ length: 200 }, (_, i) => `${"> ".repeat(i)}a`).join("\n"),
    ],
    [
      "a list a line deeper each time",
      Array.from({ length: 200 }, (_, i) => `${"  ".repeat(i)}- a`).join("\n"),
    ],
    ["emphasis in emphasis", `${"*".repeat(10_000)}a${"*".repeat(10_000)}`],
    ["links in links", `${"[".repeat(20_000)}a${"](b)".repeat(20_000)}`],
    [
      "a table of ten thousand columns",
      `${"|a".repeat(10_000)}|\n${"|-".repeat(10_000)}|\n${"|b".repeat(10_000)}|`,
    ],
    ["a table of three thousand rows", `|a|b|\n|-|-|\n${"|c|d|\n".repeat(3_000)}`],
    ["code of 130,000 lines", `\`\`\`ts\n${"x\n".repeat(130_000)}\`\`\``],
    ["code that never ends", `\`\`\`\n${"`` a\n".repeat(5_000)}`],
    ["a paragraph of 20,000 lines", "word\n".repeat(20_000)],
  ])("ends, and loses no word: %s", (_, text) => {
    const rows = shown(`${text}\n\nafter`)
    expect(rows.length).toBeGreaterThan(0)
    expect(textOfLine(rows.at(-1) ?? [])).toContain("after")
    expect(endOfBlock(text, 20).length).toBeLessThanOrEqual(Math.max(text.length, 41_000))
  })

  it("ends and fits, however it is put together", () => {
    const hostile = fc.array(fc.tuple(fc.constantFrom(...UNITS), fc.integer({ min: 1, max: 60 })), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(hostile, fc.integer({ min: 16, max: 100 }), (parts, width) => {
        const text = parts.map(([unit, times]) => unit.repeat(times)).join("")
        for (const row of renderMarkdown(text, width)) expect(widthOfLine(row)).toBeLessThanOrEqual(width)
        // Carriage returns are gone before a text is taken apart.
        const streamed = text.replaceAll("\r", "")
        const { done, rest } = finishedBlocks(streamed)
        expect(done + rest).toBe(streamed)
      }),
      { seed: 20, numRuns: RUNS },
    )
  })

  it("streams in without being taken apart again and again", () => {
    for (const unit of ["> ", "_a", "- a\n", "word "]) {
      let screen = reduce(emptyScreen("s", "build", "m"), { type: "step", n: 1 }, 0)
      for (let i = 0; i < 3_000; i++) screen = reduce(screen, { type: "text", text: unit }, 0)
      const text = screen.items.map((item) => (item.is === "text" ? item.text : "")).join("") + screen.text
      expect(text).toBe(unit.repeat(3_000))
    }
  })

  it("is shown as it should be where it is not", () => {
    const long = Array.from({ length: 800 }, (_, i) => `Paragraph ${i} with **bold** words.`).join("\n\n")
    const rows = shown(long).map(textOfLine)
    expect(rows.filter((row) => row !== "")).toEqual(
      Array.from({ length: 800 }, (_, i) => `Paragraph ${i} with bold words.`),
    )
    expect(rows.filter((row) => row === "")).toHaveLength(799)
  })
})
