import fc from "fast-check"
import { expect, it } from "vitest"
import { documentOf, inert, isInlineable } from "../src/document.js"

const parts = {
  title: "<b>a</b>",
  script: "go()",
  scriptHash: "abc=",
  style: "a{}",
  styleHash: "def=",
  data: "{}",
}

it("writes one file whose policy allows its own script and style, and nothing else", () => {
  const html = documentOf(parts)
  expect(html).toContain("default-src 'none'; script-src 'sha256-abc='; style-src 'sha256-def='")
  expect(html).not.toContain("unsafe")
  expect(html).toContain("<title>&#60;b&#62;a&#60;/b&#62;</title>")
})

it("puts any data into the file so that it reads as the same data and ends no element", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const json = JSON.stringify({ text: `${text}</script><!--<script>\u2028` })
      expect(inert(json)).not.toMatch(/[<\u2028\u2029]/)
      expect(JSON.parse(inert(json))).toEqual(JSON.parse(json))
    }),
  )
  expect(isInlineable("a < b")).toBe(true)
  expect(isInlineable("'</SCRIPT>'")).toBe(false)
})
