import fc from "fast-check"
import { expect, it } from "vitest"
import { type Block, type InlinePart, parseInline, parseMarkdown } from "../src/page/text/markdown.js"

it("reads the blocks that plans are made of", () => {
  const plan = [
    "# Plan",
    "First *read*, then **write** `a.ts`.",
    "",
    "1. Read",
    "   - [x] the lexer",
    "   - [ ] the parser",
    "2. Write",
    "",
    "```ts",
    "# no heading",
    "```",
    "> quoted",
    "---",
    "| a | b |",
    "| - | - |",
    "| 1 | 2 |",
  ].join("\n")
  const text = (value: string): Block => ({ is: "text", text: value })
  expect(parseMarkdown(plan)).toEqual([
    { is: "heading", level: 1, text: "Plan" },
    text("First *read*, then **write** `a.ts`."),
    {
      is: "list",
      start: 1,
      items: [
        [text("Read"), { is: "list", items: [[text("☑ the lexer")], [text("☐ the parser")]] }],
        [text("Write")],
      ],
    },
    { is: "code", text: "# no heading" },
    { is: "quote", blocks: [text("quoted")] },
    { is: "rule" },
    { is: "table", head: ["a", "b"], rows: [["1", "2"]] },
  ])
})

it("reads emphasis and code, gives a link its address as text, and leaves HTML and names with underscores alone", () => {
  expect(parseInline("a **b** `*c*` [d](http://e) <b>f</b> snake_case_name a_b_")).toEqual([
    { is: "text", text: "a " },
    { is: "strong", parts: [{ is: "text", text: "b" }] },
    { is: "text", text: " " },
    { is: "code", text: "*c*" },
    { is: "text", text: " " },
    { is: "link", parts: [{ is: "text", text: "d" }], to: "http://e" },
    { is: "text", text: " <b>f</b> snake_case_name a_b_" },
  ])
})

it("ends for every text, however deep it nests, and loses no word", () => {
  const piece = fc.constantFrom(
    "> ",
    "- ",
    "  ",
    "1. ",
    "# ",
    "```",
    "\n",
    "|",
    "*",
    "_",
    "`",
    "word",
    "[",
    "](",
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join("")
      const shown = JSON.stringify(parseMarkdown(text))
      const count = (of: string) => of.split("word").length
      // The line that opens a fence names the language, and is not shown.
      if (!text.includes("```")) expect(count(shown)).toBe(count(text))
    }),
  )
  expect(() => parseMarkdown(`${"> ".repeat(5_000)}deep`)).not.toThrow()
  const words = (parts: readonly InlinePart[]): string =>
    parts.map((part) => ("text" in part ? part.text : words(part.parts))).join("")
  expect(words(parseInline("*".repeat(10_000)))).toBe("*".repeat(10_000))
})
