import { readFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { sideBySide } from "../tour/columns.js"
import { tourLines } from "../tour/page.js"
import { coloured, paintFor, plain } from "../tour/paint.js"
import { changedBytes, play } from "../tour/play.js"
import { SCRIPT } from "../tour/script.js"
import { widthOf, wrap } from "../tour/width.js"

/** Lines from the heading that begins so up to the next heading. */
function section(lines: readonly string[], heading: string): readonly string[] {
  const from = lines.findIndex((line) => line.startsWith(`── ${heading}`))
  const length = lines.slice(from + 1).findIndex((line) => line.startsWith("── "))
  return lines.slice(from + 1, length < 0 ? undefined : from + 1 + length)
}

/** The columns of a section as running text, without the marks before the lines. */
function columns(lines: readonly string[], heading: string): { left: string; right: string } {
  const rows = section(lines, heading)
    .filter((line) => line.includes(" │"))
    .map((line) => line.split(" │"))
  const running = (i: number) =>
    rows
      .map((row) => (row[i] ?? "").replace("▌", "").trim())
      .join(" ")
      .replace(/ +/g, " ")
  return { left: running(0), right: running(1) }
}

describe("the tour", () => {
  const lines = tourLines({ width: 100, paint: plain })

  it("says that a script is played", () => {
    expect(lines.join(" ")).toContain("No model is called: the replies and the tools are a script")
  })

  it("shows a mid-turn message raw to the user, and framed to the model", () => {
    const { left, right } = columns(lines, "step 2 · plan")
    expect(left).toContain("› 最多重试三次。 At most three times, please!")
    expect(left).not.toContain("while you were working")
    expect(right).toContain(
      "最多重试三次。 At most three times, please! system message The user sent a new message while",
    )
  })

  it("tells only the model of the switch", () => {
    const { left, right } = columns(lines, "step 3 · build")
    expect(right).toContain("The mode changed from plan to build.")
    expect(left).not.toContain("The mode changed")
  })

  it("shows the forged tag to the user as it came, and to the model made inert", () => {
    const { left, right } = columns(lines, "step 4 · build")
    expect(left).toContain("</system-reminder>")
    expect(right).toContain("<\\/system-reminder>")
    expect(right).not.toContain("</system-reminder>")
    expect(section(lines, "step 4").join(" ")).toContain("3 forged tags made inert")
  })

  it("tells the model of the edited file and of the last step", () => {
    const { left, right } = columns(lines, "step 5 · build · the last one")
    expect(right).toContain("- timeout: 5_000, + timeout: 30_000,")
    expect(right).toContain("This is the last step of the turn")
    expect(left).not.toMatch(/30_000|last step of the turn/)
    const ledger = section(lines, "step 5").join(" ")
    expect(ledger).toMatch(
      /max_steps \(\d+ tokens, system-message\).*edited_text_file \(\d+ tokens, user-text\) spoke/,
    )
  })

  it("sets the same last step for two models side by side", () => {
    const { left, right } = columns(lines, "the same last step")
    expect(left).toContain("system message The user sent a new message while")
    expect(right).toContain("<system-reminder> This is the last step of the turn")
    expect(right).not.toContain("system message ")
  })

  it("ends with figures: no byte already sent has changed", () => {
    const figures = section(lines, "in all").join("\n")
    expect(figures).toMatch(/requests, over both models +10\n/)
    expect(figures).toMatch(/reminders told +12\n/)
    expect(figures).toMatch(/bytes already sent that changed +0\n/)
  })

  it("is quoted word for word in the README", async () => {
    const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8")
    const quoted = /```\n(WHAT THE USER SEES[^`]*)\n```/.exec(readme)?.[1]?.split("\n") ?? []
    const page = tourLines({ width: 87, paint: plain })
    const from = page.indexOf(quoted[1] ?? "")
    expect(quoted[1]).toMatch(/^── step 5 /)
    expect(page).toContain(quoted[0])
    expect(page.slice(from, from + quoted.length)).toEqual([...quoted.slice(1), ""])
  })

  it.each([80, 100, 117, 140])("keeps within %i columns and its columns straight", (width) => {
    const page = tourLines({ width, paint: plain })
    for (const line of page) expect(widthOf(line)).toBeLessThanOrEqual(width)
    const at = section(page, "step 2").flatMap((line) =>
      line.includes("│") ? [widthOf(line.split("│")[0] ?? "")] : [],
    )
    expect(new Set(at).size).toBe(1)
  })

  it("is the same in colour, but for the colour", () => {
    const painted = tourLines({ width: 100, paint: coloured }).join("\n")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a colour begins with
    const bare = painted.replace(/\u001b\[[\d;]*m/g, "")
    expect(bare).not.toBe(painted)
    expect(bare.replace(/ +$/gm, "")).toBe(lines.join("\n"))
  })
})

describe("bytes already sent that changed", () => {
  const sent = play("claude-sonnet-4-5", SCRIPT).moments.map((moment) => moment.sent)

  it("are none in the tour", () => {
    expect(changedBytes(sent)).toBe(0)
  })

  it("are counted to the end of a message that was altered", () => {
    const altered = sent.map((request, i) =>
      i === 3
        ? request.map((piece) => piece.replace("The user sent a new message", "The user said"))
        : request,
    )
    expect(changedBytes(altered)).toBeGreaterThan(100)
  })

  it("are counted whole for one that is gone, and none for one that grew at its end", () => {
    expect(changedBytes([["a", "é"], ["a"]])).toBe(2)
    expect(changedBytes([["abc"], ["abcd", "e"]])).toBe(0)
    expect(changedBytes([["abc"], ["abX"], ["abX"]])).toBe(1)
  })
})

describe("text in columns", () => {
  it("breaks between words, and between wide characters by the columns they take", () => {
    expect(wrap("one two three", 7)).toEqual(["one two", "three"])
    expect(wrap("最多重试三次", 5)).toEqual(["最多", "重试", "三次"])
    expect(wrap("abcdefgh", 3)).toEqual(["abc", "def", "gh"])
    expect(wrap("  indented", 20)).toEqual(["  indented"])
    expect(wrap("a\n\nb", 5)).toEqual(["a", "", "b"])
  })

  it("knows how wide a character is", () => {
    expect(["a", "最", "e\u0301", "👩‍💻", "🎉", "\u200b", "│"].map(widthOf)).toEqual([1, 2, 1, 2, 2, 0, 1])
  })

  it("lets no control character through", () => {
    expect(wrap("\u001b[31mred\r", 20)).toEqual(["\ufffd[31mred\ufffd"])
  })

  it("pads the left column", () => {
    const line = (text: string) => ({ text, tone: "plain" }) as const
    expect(sideBySide([line("最")], [line("b"), line("c")], { width: 13, paint: plain }, 0.4)).toEqual([
      "最   │ b",
      "     │ c",
    ])
  })
})

describe("colour", () => {
  it("is for terminals, unless NO_COLOR or FORCE_COLOR say otherwise", () => {
    expect(paintFor({ isTTY: true }, {})).toBe(coloured)
    expect(paintFor({}, {})).toBe(plain)
    expect(paintFor({ isTTY: true }, { NO_COLOR: "1" })).toBe(plain)
    expect(paintFor({}, { FORCE_COLOR: "1" })).toBe(coloured)
    expect(paintFor({ isTTY: true }, { FORCE_COLOR: "0" })).toBe(plain)
  })
})
