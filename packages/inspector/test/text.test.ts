import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { marked, shortened } from "../src/page/text/diff.js"
import { dollars, short } from "../src/page/text/figures.js"
import { visible, visibleText } from "../src/page/text/visible.js"

describe("text from outside", () => {
  it("names every character that would act instead of being seen", () => {
    expect(visibleText("a\u202Eb\u2066c\u0007d\u200Be\uFEFF")).toBe(
      "a[U+202E]b[U+2066]c[U+0007]d[U+200B]e[U+FEFF]",
    )
    expect(visible("\u202E")).toEqual([{ code: "U+202E", name: "right-to-left override" }])
    expect(visibleText("hidden \u{E0041}\u{E0042}")).toBe("hidden [U+E0041][U+E0042]")
    expect(visibleText("half \uD800 pair")).toBe("half [U+D800] pair")
  })

  it("leaves ordinary text alone: lines, tabs, other scripts and pictures", () => {
    for (const text of ["one\n\ttwo\r\n", "Größe 漢字 עברית", "👩‍👩‍👧 ☀️", "<b>&amp;"])
      expect(visible(text)).toEqual([{ text }])
  })

  it("shows no control or format character, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const shown = visibleText(text).replaceAll(/[\n\t\r\u200d]/g, "")
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }),
    )
  })
})

describe("marks of what changed", () => {
  const changed = (all: readonly { text: string; changed: boolean }[]) =>
    all.filter((one) => one.changed).map(({ text }) => text)

  it("marks words that differ, and the first and the last of them to the character", () => {
    const { before, after } = marked(
      "Today is the 16th of May, a Monday.",
      "Today is the 17th of May, a Tuesday.",
    )
    expect(changed(before)).toEqual(["6th", "Mon"])
    expect(changed(after)).toEqual(["7th", "Tues"])
    expect(changed(marked("the 16th.", "the 17th.").before)).toEqual(["6"])
  })

  it("gives back both texts, whatever they are, and marks nothing in equal ones", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
        const both = marked(a, b)
        expect(both.before.map(({ text }) => text).join("")).toBe(a)
        expect(both.after.map(({ text }) => text).join("")).toBe(b)
        const same = (all: typeof both.before) =>
          all
            .filter((one) => !one.changed)
            .map(({ text }) => text)
            .join("")
        expect(same(both.before)).toBe(same(both.after))
        expect(changed(marked(a, a).before)).toEqual([])
      }),
    )
  })

  it("counts what is the same and far from a change", () => {
    const shown = shortened(marked(`${"a ".repeat(500)}old`, `${"a ".repeat(500)}new`).before)
    expect(shown[0]).toEqual({ left: 820 })
    expect(shown.at(-1)).toEqual({ text: "old", changed: true })
  })
})

it("writes figures as people do", () => {
  expect([999, 1_000, 12_345, 2_500_000].map(short)).toEqual(["999", "1k", "12k", "2.5M"])
  expect([0, 0.0016, 1.239].map(dollars)).toEqual(["$0", "$0.0016", "$1.24"])
})
