import { existsSync } from "node:fs"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const ALLOW = { "sotto.json": '{"permission":{"bash":"allow","edit":"allow"}}' }

describe.concurrent("a command in the background", () => {
  const started = async () => {
    const steps: readonly ScriptStep[] = [
      { calls: [{ name: "bash", input: { command: "echo begun; cat gate", background: true } }] },
      { text: "It runs." },
      { text: "It has ended." },
    ]
    const server = await serverWith({ counting: "requests", steps })
    const bench = benchWith(ALLOW)
    const gate = bench.gate()
    const terminal = terminalWith(bench, server, { rows: 30 })
    await terminal.see("say what to do")
    terminal.type(`Start it.${KEYS.enter}`)
    await terminal.see("It runs.")
    await terminal.see("1 in the background")
    return { bench, gate, terminal }
  }

  it("says on the screen that it has ended, as a command", async () => {
    const { gate, terminal } = await started()
    await gate.open()
    const screen = await terminal.see("✓ background command")
    expect(screen.replaceAll(/\s+/g, " ")).toMatch(
      /✓ background command "echo begun; cat gate" \(bash-1\) finished\. Its output is in/,
    )
    expect(screen).not.toContain("background agent")
    await terminal.see("It has ended.")
  })

  it("shows its output in /tasks, and is stopped only by one key more", async () => {
    const { terminal } = await started()
    terminal.type(`/tasks${KEYS.enter}`)
    const list = await terminal.see("Tasks: what works in the background")
    expect(list).toMatch(/❯ ▶ echo begun; cat gate {2}command bash-1, running/)
    expect(list).not.toContain("stop")
    terminal.type(KEYS.enter)
    const output = await terminal.see("begun\n")
    expect(output).toContain("s stop · / search · Esc back")
    terminal.type("s")
    await terminal.see("Stop it? y stops it")
    terminal.type("n")
    await terminal.see("(command, running)")
    terminal.type("s")
    await terminal.see("Stop it? y stops it")
    terminal.type("y")
    await terminal.see("(command, stopped)")
    terminal.type(KEYS.escape)
    await terminal.see(/✗ echo begun; cat gate {2}command bash-1, stopped/)
    terminal.type(KEYS.escape)
    await terminal.see("It runs.")
  })
})

it.concurrent("a call that the model is still writing shows the tool, the file and how much has come", async () => {
  const content = "const answer = 42\n".repeat(60)
  const server = await serverWith([
    {
      text: "I write it.",
      calls: [{ name: "write", input: { path: "answer.ts", content } }],
      tokenDelay: 15,
    },
    { text: "Written." },
  ])
  const bench = benchWith(ALLOW)
  const terminal = terminalWith(bench, server)
  await terminal.see("say what to do")
  terminal.type(`Write.${KEYS.enter}`)
  const writing = await terminal.see(/write answer\.ts {2}is being written · \d+ characters so far/)
  expect(writing).toMatch(/writing a call · step 1/)
  expect(existsSync(bench.path("answer.ts"))).toBe(false)
  await terminal.see(/· 1\.\dk characters so far/)
  await terminal.see("Written.")
})

it.concurrent("the time of a call does not count the wait for permission", async () => {
  const server = await serverWith([
    { calls: [{ name: "bash", input: { command: "touch a.txt" } }] },
    { text: "Done." },
  ])
  const terminal = terminalWith(benchWith(), server)
  await terminal.see("say what to do")
  terminal.type(`Touch.${KEYS.enter}`)
  await terminal.see("waits for your answer")
  // The clock of the turn says that three seconds have passed.
  await terminal.see(/waiting for your answer · step 1 · 3 s/)
  terminal.type("1")
  const screen = await terminal.see("Done.")
  expect(screen).toMatch(/✓ \$ touch a\.txt\n/)
})

it.concurrent("the texts of the ledger can be scrolled", async () => {
  const lines = Array.from({ length: 80 }, (_, i) => `Rule number ${i + 1}.`).join("\n")
  const server = await serverWith([{ text: "One." }])
  const bench = benchWith({ ".sotto/reminders/long.md": `---\nevery: 1 steps\n---\n${lines}\n` })
  const terminal = terminalWith(bench, server, { columns: 100, rows: 20 })
  await terminal.see("say what to do")
  terminal.type(`Hello.${KEYS.enter}`)
  await terminal.see("── 1 step")
  terminal.type(`/asides${KEYS.enter}`)
  await terminal.see(/❯ long/)
  terminal.type(KEYS.enter)
  const top = await terminal.see("Rule number 1.")
  expect(top).not.toContain("Rule number 40.")
  expect(top).toMatch(/1–\d+ of 8\d rows/)
  terminal.type("\u001b[6~\u001b[6~")
  await terminal.see("Rule number 30.")
  terminal.type("G")
  await terminal.see("Rule number 80.")
  terminal.type(`g${KEYS.down}`)
  await terminal.see((text) => text.includes("Rule number 2.") && !text.includes("turn 1, step 1"))
})
