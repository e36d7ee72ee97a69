import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, type Terminal, terminalWith } from "./support/terminal.js"

const CODE = 'export function greet(name: string) {\n  return "Hello, " + name\n}'
const ANSWER = `Here is the function:\n\n\`\`\`ts\n${CODE}\n\`\`\`\n\nIt greets.`

const STEPS: readonly ScriptStep[] = [
  {
    reasoning: "The marigold has to be found first.",
    calls: [{ name: "bash", input: { command: "seq 1 200 | sed s/^/row-/" } }],
  },
  { calls: [{ name: "read", input: { path: "greet.ts" } }] },
  { calls: [{ name: "edit", input: { path: "greet.ts", old: "hi", new: "hello" } }] },
  { text: ANSWER },
]

async function talked(): Promise<Terminal> {
  const server = await serverWith(STEPS)
  const bench = benchWith({
    "sotto.json": '{"permission":{"bash":"allow","edit":"allow"}}',
    "greet.ts": "hi\n",
    ".sotto/reminders/tea.md": "---\nevery: 1 steps\n---\nDrink the marigold tea.\n",
  })
  const terminal = terminalWith(bench, server, { columns: 100, rows: 30 })
  await terminal.see("say what to do")
  terminal.type(`Greet them.${KEYS.enter}`)
  await terminal.see("It greets.")
  await terminal.see("── 4 steps")
  return terminal
}

describe.concurrent("the transcript", () => {
  it("lists words, thoughts, calls, asides and code, and opens each in full", async () => {
    const terminal = await talked()
    terminal.type(KEYS.ctrlT)
    const list = await terminal.see("Transcript: everything that was said, done and told")
    for (const row of [
      /▌ Greet them\. +you/,
      /∴ The marigold has to be found first\. +thought for/,
      /✓ \$ seq 1 200/,
      /✓ edit greet\.ts/,
      /╎ Drink the marigold tea\. +told tea · .* · step 1/,
      /● Here is the function: +1 code block/,
      /❯ ▏ export function greet\(name: string\) \{ +ts, 3 lines/,
    ])
      expect(list).toMatch(row)
    terminal.type(KEYS.enter)
    await terminal.see((text) => text.includes('return "Hello, " + name') && text.includes("←→ others"))
    // To the answer, and from there to the diff.
    terminal.type(KEYS.left)
    await terminal.see("It greets.")
    terminal.type(`${KEYS.left}${KEYS.left}`)
    const diff = await terminal.see(/✓ edit greet\.ts/)
    expect(diff).toMatch(/- hi\n/)
    expect(diff).toMatch(/\+ hello\n/)
    terminal.type(KEYS.escape)
    await terminal.see("Transcript:")
    terminal.type("q")
    await terminal.see("say what to do")
  })

  it("scrolls and searches within a block, with n and N", async () => {
    const terminal = await talked()
    terminal.type(`/transcript${KEYS.enter}`)
    await terminal.see("Transcript:")
    terminal.type("/seq")
    await terminal.see("/seq▏")
    terminal.type(KEYS.enter)
    await terminal.see(/❯ ✓ \$ seq 1 200/)
    terminal.type(KEYS.enter)
    await terminal.see("row-1\n")
    terminal.type(`/row-150${KEYS.enter}`)
    const found = await terminal.see("1 × “row-150” · n N")
    expect(found).toContain("row-150\n")
    expect(found).not.toContain("row-1\n")
    terminal.type(`/row-19${KEYS.enter}`)
    await terminal.see("11 × “row-19”")
    terminal.type("G")
    await terminal.see("row-200\n")
    terminal.type("gn")
    await terminal.see("row-19\n")
    // Before the first one the search goes around to the last.
    terminal.type("gN")
    await terminal.see("row-199\n")
  })

  it("finds a word in every kind of block, from one to the next", async () => {
    const terminal = await talked()
    terminal.type(KEYS.ctrlT)
    await terminal.see("Transcript:")
    terminal.type(`g/marigold${KEYS.enter}`)
    await terminal.see(/❯ ╎ Drink the marigold tea/)
    terminal.type("n")
    await terminal.see(/❯ ∴ The marigold has to be found/)
    terminal.type("N")
    await terminal.see(/❯ ╎ Drink the marigold tea/)
  })

  it("copies a block as it was written, without anything drawn around it", async () => {
    const terminal = await talked()
    terminal.type(KEYS.ctrlT)
    await terminal.see("Transcript:")
    terminal.type("y")
    await terminal.see("3 lines given to the terminal's clipboard")
    expect(terminal.clipboard).toBe(CODE)
    terminal.type(`/seq${KEYS.enter}`)
    await terminal.see(/❯ ✓ \$ seq/)
    terminal.type("Y")
    await terminal.see("1 line given to the terminal's clipboard")
    expect(terminal.clipboard).toBe("seq 1 200 | sed s/^/row-/")
  })
})

describe.concurrent("/copy", () => {
  it("copies the last answer, or its last code block", async () => {
    const terminal = await talked()
    terminal.type(`/copy${KEYS.enter}`)
    await terminal.see("9 lines given to the terminal's clipboard")
    expect(terminal.clipboard).toBe(ANSWER)
    terminal.type(`/copy code${KEYS.enter}`)
    await terminal.see("3 lines given to the terminal's clipboard")
    expect(terminal.clipboard).toBe(CODE)
  })

  it("says when there is nothing to copy, and what it takes", async () => {
    const server = await serverWith([{ text: "No code here." }])
    const terminal = terminalWith(benchWith(), server)
    await terminal.see("say what to do")
    terminal.type(`/copy${KEYS.enter}`)
    await terminal.see("There is no answer to copy yet.")
    terminal.type(`Hello.${KEYS.enter}`)
    await terminal.see("── 1 step")
    terminal.type(`/copy code${KEYS.enter}`)
    await terminal.see("There is no code in the last answer.")
    terminal.type(`/copy everything${KEYS.enter}`)
    await terminal.see('/copy takes nothing or "code", not "everything".')
    expect(terminal.clipboard).toBeUndefined()
  })
})
