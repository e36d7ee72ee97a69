import { describe, expect, it } from "vitest"
import { Highlighter } from "../../src/tui/markdown/highlight.js"
import { type ScreenLine, textOfLine } from "../../src/tui/text/line.js"
import { painterFor } from "../../src/tui/text/paint.js"
import { changedWords } from "../../src/tui/view/changed-words.js"
import { diffLines } from "../../src/tui/view/diff.js"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const highlighter = new Highlighter()
await highlighter.load()
const { highlight } = highlighter

const DIFF = [
  "--- a.ts",
  "+++ a.ts",
  "@@ -4,4 +4,4 @@",
  " // before",
  '-const port = listen(8080, "local")',
  '+const port = listen(9090, "local")',
  " // after",
].join("\n")

/** The parts of a drawn line that are in a style, with their texts. */
function styled(line: ScreenLine | undefined, has: (style: NonNullable<ScreenLine[0]["style"]>) => unknown) {
  return (line ?? []).flatMap(({ text, style }) => (style !== undefined && has(style) ? [text] : []))
}

/** What a diff of so many lines says, and the milliseconds it takes to draw it. */
function drawn(line: (i: number) => string, count: number, most?: number) {
  const rows = Array.from({ length: count }, (_, i) => line(i))
  const start = performance.now()
  const lines = diffLines(`@@ -0,0 +1,${count} @@\n${rows.join("\n")}`, {
    width: 80,
    highlight,
    path: "a.ts",
    ...(most !== undefined && { most }),
  })
  return { texts: lines.map(textOfLine), time: performance.now() - start }
}

describe("a diff", () => {
  it("has the colours of the file's language, and keeps its text", () => {
    const lines = diffLines(DIFF, { width: 80, highlight, path: "src/a.ts" })
    const [, removed, added] = lines
    expect(styled(added, ({ colour }) => colour === "syntax-keyword")).toEqual(["const"])
    expect(styled(added, ({ colour }) => colour === "syntax-string")).toEqual(['"local"'])
    // The two sides differ by more than their mark.
    expect(styled(removed, ({ colour, dim }) => colour === "syntax-keyword" && dim)).toEqual(["const"])
    expect(styled(removed, ({ colour }) => colour === "removed")[0]).toBe("- ")
    expect(styled(added, ({ colour }) => colour === "added")[0]).toBe("+ ")
    expect(lines.map(textOfLine)).toEqual([
      "4   // before",
      '5 - const port = listen(8080, "local")',
      '5 + const port = listen(9090, "local")',
      "6   // after",
    ])
  })

  it("is wholly green and red in a language that nobody knows", () => {
    const [, removed, added] = diffLines(DIFF, { width: 80, highlight, path: "notes.unknown" })
    expect(styled(removed, ({ colour }) => colour === "removed").join("")).toContain("const port")
    expect(styled(added, ({ colour }) => colour === "added").join("")).toContain("const port")
  })

  it("marks the words that changed, also without colours", () => {
    const lines = diffLines(DIFF, { width: 80, highlight, path: "a.ts" })
    expect(lines.map((line) => styled(line, ({ underline }) => underline))).toEqual([
      [],
      ["8080"],
      ["9090"],
      [],
    ])
    const paint = painterFor("none")
    expect(paint(lines[2] ?? [])).toContain("\u001b[1;4m9090\u001b[0m")
  })

  it("finds the line in the place of a removed one behind an inserted one", () => {
    const diff = "@@ -1,1 +1,2 @@\n-  return total + tax\n+  log(amount)\n+  return total + fee"
    const marks = diffLines(diff, { width: 80 }).map((line) => styled(line, ({ underline }) => underline))
    expect(marks).toEqual([["tax"], [], ["fee"]])
  })

  it("marks nothing in lines that have little in common", () => {
    expect(changedWords("import a from 'b'", "while (true) stop()")).toBeUndefined()
    expect(changedWords("    if (x) {", "    return")).toBeUndefined()
    expect(changedWords("one two three four", "one 2 3 four")).toEqual({
      removed: [{ from: 4, to: 13 }],
      added: [{ from: 4, to: 7 }],
    })
  })

  it("is folded to what it may take, and says how much is left out", () => {
    const { texts } = drawn((i) => `+line ${i}`, 3_000, 30)
    expect(texts).toHaveLength(31)
    expect(texts[29]).toContain("line 29")
    expect(texts[30]).toBe("… 2,970 more lines · Ctrl+O shows all")
    // A note does not take the place of the one line that it leaves out.
    expect(drawn((i) => `+line ${i}`, 31, 30).texts.at(-1)).toContain("line 30")
    expect(drawn((i) => `+line ${i}`, 32, 30).texts.at(-1)).toBe("… 2 more lines · Ctrl+O shows all")
  })

  it("is folded also where a few lines take many rows", () => {
    const { texts } = drawn(() => `+${"x".repeat(1_000)}`, 20, 30)
    expect(texts.length).toBeLessThanOrEqual(31)
    expect(texts.at(-1)).toMatch(/^… \d+ more lines/)
    const one = drawn(() => `+${"y".repeat(100_000)}`, 1, 30).texts
    expect(one).toHaveLength(31)
    expect(one.at(-1)).toBe("… 1 more line · Ctrl+O shows all")
  })

  it("takes little time, however many and long its lines are", () => {
    expect(drawn((i) => `+const value${i} = ${i}`, 300_000, 30).time).toBeLessThan(1_500)
    expect(drawn(() => `+${"z ".repeat(2_000_000)}`, 1, 30).time).toBeLessThan(1_500)
    const words = "a ".repeat(150)
    const pairs = drawn((i) => (i < 200 ? `-${words}${i}` : `+${words}x${i}`), 400)
    expect(pairs.texts.length).toBeGreaterThan(400)
    expect(pairs.time).toBeLessThan(5_000)
  })
})

it.concurrent("a long write is asked about in one screen, and Ctrl+O shows all of it", async () => {
  const content = Array.from({ length: 300 }, (_, i) => `export const value${i + 1} = ${i + 1}`).join("\n")
  const server = await serverWith([
    { calls: [{ name: "write", input: { path: "values.ts", content } }] },
    { text: "Written." },
  ])
  const terminal = terminalWith(benchWith(), server, { columns: 80, rows: 24 })
  await terminal.see("say what to do")
  terminal.type(`Write it.${KEYS.enter}`)
  await terminal.see("↑↓ and Enter, or a number")
  const asked = terminal.all()
  expect(asked).toContain("… 260 more lines · Ctrl+O shows all")
  expect(asked).toContain("export const value40 = 40")
  expect(asked).not.toContain("export const value41 = 41")
  // In the colours of the language.
  expect(terminal.raw).toContain("\u001b[35mexport\u001b[0m")
  terminal.type(KEYS.ctrlO)
  await terminal.see("export const value300 = 300")
  // The question still has the keys.
  await terminal.see("↑↓ and Enter, or a number")
  terminal.type("1")
  await terminal.see("── 2 steps")
})
