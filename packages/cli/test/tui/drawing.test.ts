import xterm from "@xterm/headless"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Pace } from "../../src/tui/terminal/pace.js"
import { type DrawnFrame, NO_FRAME, redrawn } from "../../src/tui/terminal/redraw.js"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const COLUMNS = 20
const ROWS = 8

/** A screen, and what it shows after everything that was written. */
function screenOf() {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, scrollback: 500, allowProposedApi: true })
  return {
    write: (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve)),
    lines: () => {
      const { active } = terminal.buffer
      return Array.from({ length: active.length }, (_, y) => active.getLine(y)?.translateToString(true) ?? "")
    },
    cursor: () => {
      const { active } = terminal.buffer
      return { x: active.cursorX, y: active.baseY + active.cursorY }
    },
  }
}

const row = fc
  .string({ unit: fc.constantFrom("a", "b", " ", "."), maxLength: COLUMNS })
  .map((text) => text.trimEnd())
const change = fc.record({
  printed: fc.array(row, { maxLength: 12 }),
  frame: fc.array(row, { minLength: 1, maxLength: ROWS - 1 }),
  cursor: fc.record({ x: fc.nat(COLUMNS - 1), y: fc.nat(ROWS - 2) }),
})

describe("what is written to the terminal", () => {
  it("leaves everything printed once, in order, and the frame below it, whatever was there before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const screen = screenOf()
        const printed: string[] = []
        let shown: DrawnFrame = NO_FRAME
        for (const one of changes) {
          const y = Math.min(one.cursor.y, one.frame.length - 1)
          const next: DrawnFrame = { rows: one.frame, cursor: { x: one.cursor.x, y, visible: true } }
          await screen.write(redrawn(shown, one.printed, next))
          printed.push(...one.printed)
          shown = next
          const wanted = [...printed, ...one.frame]
          expect(screen.lines().slice(0, wanted.length)).toEqual(wanted)
          expect(screen.lines().slice(wanted.length).join("")).toBe("")
          expect(screen.cursor()).toEqual({ x: one.cursor.x, y: printed.length + y })
        }
      }),
      { seed: 4, numRuns: 200 },
    )
  })

  it("is nothing but the rows that changed", () => {
    const cursor = { x: 0, y: 0, visible: true }
    const before = { rows: ["one", "two", "three"], cursor }
    const written = redrawn(before, [], { rows: ["one", "2", "three"], cursor })
    expect(written).toContain("2")
    expect(written).not.toMatch(/one|three/)
  })
})

describe("the pace", () => {
  it("draws at most sixty frames a second, however much happens, and keys at once", () => {
    let now = 0
    const frames: number[] = []
    const pace = new Pace(
      () => frames.push(now),
      () => now,
    )
    for (now = 0; now < 1000; now++) {
      pace.later()
      if (now % 50 === 7) {
        const before = frames.length
        pace.now()
        expect(frames).toHaveLength(before + 1)
      }
    }
    pace.stop()
    expect(frames.length).toBeLessThanOrEqual(60)
  })
})

it("draws at most sixty frames a second while text streams in fast", async () => {
  const server = await serverWith([{ text: "word ".repeat(1500), tokenDelay: 1 }])
  const terminal = terminalWith(benchWith(), server)
  await terminal.see("say what to do")
  const before = terminal.raw.length
  const began = performance.now()
  terminal.type(`Write.${KEYS.enter}`)
  await terminal.see("── 1 step")
  const seconds = (performance.now() - began) / 1000
  const written = terminal.raw.slice(before)
  expect((written.split("\u001b[?2026h").length - 1) / seconds).toBeLessThanOrEqual(60)
  expect(written.length / seconds).toBeLessThan(60_000)
})

it("leaves one copy of the conversation, however often the window is resized", async () => {
  const paragraphs = Array.from({ length: 5 }, (_, i) => `Paragraph ${i + 1} of five, in a few words.`)
  const server = await serverWith([{ text: paragraphs.join("\n\n") }])
  const terminal = terminalWith(benchWith(), server, { columns: 100, rows: 30 })
  await terminal.see("say what to do")
  terminal.type(`Write.${KEYS.enter}`)
  await terminal.see("── 1 step")
  for (const [columns, rows] of [...Array(5).fill([70, 24]), ...Array(5).fill([100, 30])].map((size, i) => [
    size[0] + i,
    size[1],
  ])) {
    const drawn = terminal.raw.length
    terminal.resize(columns ?? 80, rows ?? 24)
    await terminal.see(() => terminal.raw.slice(drawn).includes("Paragraph 5"))
  }
  const all = terminal.all()
  for (const paragraph of paragraphs) expect(all.split(paragraph)).toHaveLength(2)
  expect(all.split("▌ Write.")).toHaveLength(2)
})

it("keeps what is written when Ctrl+C is pressed, something typed, and Ctrl+C pressed again", async () => {
  const server = await serverWith([{ text: "Answer." }])
  const terminal = terminalWith(benchWith(), server)
  await terminal.see("say what to do")
  terminal.type("first words")
  await terminal.see("▌ first words")
  terminal.type(KEYS.ctrlC)
  await terminal.see("Ctrl+C again leaves")
  terminal.type("other words")
  await terminal.see("▌ other words")
  terminal.type(KEYS.ctrlC)
  await terminal.see((text) => text.includes("Ctrl+C again leaves") && !text.includes("other words"))
  terminal.type(KEYS.up)
  await terminal.see("▌ other words")
})
