import { writeFileSync } from "node:fs"
import { expect, it } from "vitest"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const MARKDOWN = [
  "# A heading",
  "",
  "Some **bold** words, `code`, and a list:",
  "",
  "- one",
  "- two",
  "",
  "```ts",
  "const answer = 42 // why",
  "```",
  "",
  "| name | value |",
  "| --- | --- |",
  "| a | 1 |",
  "",
  "The end.",
].join("\n")

it.concurrent("shows a streamed answer as Markdown, code in colours", async () => {
  const server = await serverWith([{ text: MARKDOWN, tokenDelay: 2 }])
  const terminal = terminalWith(benchWith(), server)
  await terminal.see("say what to do")
  terminal.type(`Write.${KEYS.enter}`)
  const screen = await terminal.see((text) => text.includes("The end.") && text.includes("── 1 step"))
  expect(screen).toContain("▌ Write.")
  expect(screen).not.toMatch(/# A heading|\*\*bold\*\*|```|\| --- /)
  expect(screen).toContain("• one")
  expect(screen).toMatch(/name +│ value/)
  expect(terminal.styleOf("bold words").bold).toBe(true)
  expect(terminal.styleOf("A heading").bold).toBe(true)
  expect(terminal.styleOf("const answer").colour).toBe(5)
  expect(terminal.styleOf("42 //").colour).toBe(3)
  expect(terminal.styleOf("// why").dim).toBe(true)
})

it.concurrent("prints what streams in once, however long it is", async () => {
  const paragraphs = Array.from({ length: 60 }, (_, i) => `Paragraph number ${i + 1} of sixty.`)
  const server = await serverWith([{ text: paragraphs.join("\n\n") }])
  const terminal = terminalWith(benchWith(), server, { rows: 12 })
  await terminal.see("say what to do")
  terminal.type(`Write.${KEYS.enter}`)
  await terminal.see("── 1 step")
  const all = terminal.all()
  for (const paragraph of paragraphs) expect(all.split(paragraph)).toHaveLength(2)
})

it.concurrent("shows calls as compact lines, and unfolds them with Ctrl+O", async () => {
  const many = Array.from({ length: 9 }, (_, i) => `line ${i + 1}`).join("\n")
  const server = await serverWith([
    { calls: [{ name: "read", input: { path: "notes.txt" } }] },
    { calls: [{ name: "bash", input: { command: "cat notes.txt" } }] },
    { calls: [{ name: "read", input: { path: "missing.txt" } }] },
    { text: "Seen." },
    { calls: [{ name: "bash", input: { command: "cat notes.txt | head -8" } }] },
    { text: "Seen again." },
  ])
  const terminal = terminalWith(benchWith({ "notes.txt": many }), server, { rows: 40 })
  await terminal.see("say what to do")
  terminal.type(`Look.${KEYS.enter}`)
  const folded = await terminal.see((text) => text.includes("Seen.") && text.includes("── 4 steps"))
  expect(folded).toMatch(/✓ read notes\.txt {2}9 lines/)
  expect(folded).toContain("✓ $ cat notes.txt")
  expect(folded).toContain("… 6 lines above (Ctrl+O)")
  expect(folded).toContain("line 9")
  expect(folded).not.toContain("line 5")
  expect(folded).toMatch(/✗ read missing\.txt/)

  terminal.type(KEYS.ctrlO)
  const unfolded = await terminal.see("calls are shown in full from now on")
  // Each in its place, and not the newest alone.
  expect(unfolded).toMatch(/✓ read notes\.txt[^✓✗]*line 1\n[^✓✗]*line 9\n/)
  expect(unfolded).toMatch(/✓ \$ cat notes\.txt[^✓✗]*line 5\n/)
  expect(unfolded).not.toContain("(Ctrl+O)")
  expect(unfolded.match(/✓ \$ cat notes\.txt/g)).toHaveLength(1)
  terminal.type(KEYS.ctrlO)
  const short = await terminal.see("calls are shown in short again")
  expect(short).toContain("… 6 lines above (Ctrl+O)")
  terminal.type(KEYS.ctrlO)
  await terminal.see("calls in full")
  terminal.type(`Look again.${KEYS.enter}`)
  const again = await terminal.see("Seen again.")
  expect(again.slice(again.indexOf("Look again."))).toContain("line 5")
})

it.concurrent("shows the diff of an edit, in colours", async () => {
  const server = await serverWith([
    { calls: [{ name: "read", input: { path: "a.ts" } }] },
    { calls: [{ name: "edit", input: { path: "a.ts", old: "one", new: "two\nthree" } }] },
    { text: "Changed." },
  ])
  const bench = benchWith({ "a.ts": "zero\none\nfour\n", "sotto.json": '{"permission":{"edit":"allow"}}' })
  const terminal = terminalWith(bench, server)
  await terminal.see("say what to do")
  terminal.type(`Change it.${KEYS.enter}`)
  const screen = await terminal.see("Changed.")
  expect(screen).toMatch(/✓ edit a\.ts {2}\+2 −1/)
  expect(screen).toMatch(/1 {3}zero\n +2 - one\n +2 \+ two\n +3 \+ three\n +4 {3}four/)
  expect(terminal.styleOf("- one").colour).toBe(1)
  expect(terminal.styleOf("+ two").colour).toBe(2)
})

it.concurrent("keeps the todo list in sight while there is something to do", async () => {
  const todos = (...statuses: readonly string[]) => ({
    name: "todo_write",
    input: { todos: statuses.map((status, i) => ({ content: `Item ${i + 1}`, status })) },
  })
  const server = await serverWith([
    { calls: [todos("in_progress", "pending")] },
    { calls: [{ name: "bash", input: { command: "cat gate" } }] },
    { calls: [todos("completed", "completed")] },
    { text: "All done." },
  ])
  const bench = benchWith()
  const gate = bench.gate()
  const terminal = terminalWith(bench, server)
  await terminal.see("say what to do")
  terminal.type(`Work.${KEYS.enter}`)
  const working = await terminal.see(/▶ Item 1\n +☐ Item 2/)
  expect(working).toContain("todos  0 of 2 done")
  await gate.open()
  await terminal.see((text) => text.includes("All done.") && !text.includes("▶ Item 1"))
})

it.concurrent("shows what runs, for how long, the newest of what it prints, and the step", async () => {
  const server = await serverWith([
    { text: "First.", calls: [{ name: "glob", input: { pattern: "*" } }] },
    { calls: [{ name: "bash", input: { command: "cat half; cat gate" } }] },
    { text: "Done." },
  ])
  const bench = benchWith()
  const gate = bench.gate()
  writeFileSync(bench.path("half"), "compiling one\ncompiling two\n")
  const terminal = terminalWith(bench, server)
  await terminal.see("say what to do")
  terminal.type(`Run it.${KEYS.enter}`)
  await terminal.see("compiling two")
  const screen = await terminal.see(/\$ cat half; cat gate {2}\d+ s/)
  expect(screen).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] working · step 2 · \d+ s · Esc interrupts/)
  await gate.open()
  const done = await terminal.see("── 3 steps")
  expect(done).not.toContain("Esc interrupts")
})

it.concurrent("says in the status line who answers, which step of how many, what is used and what it costs", async () => {
  const server = await serverWith([
    { calls: [{ name: "glob", input: { pattern: "*" } }] },
    { calls: [{ name: "bash", input: { command: "cat gate" } }] },
    { text: "Done." },
  ])
  const config = {
    maxSteps: 7,
    agents: { build: { color: "green" } },
    models: {
      "anthropic/claude-sonnet-4-5": {
        contextWindow: 10_000,
        price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      },
    },
  }
  const bench = benchWith({ "sotto.json": JSON.stringify(config) })
  const gate = bench.gate()
  const terminal = terminalWith(bench, server, { columns: 120 })
  await terminal.see("say what to do")
  terminal.type(`Look.${KEYS.enter}`)
  await terminal.see("$ cat gate")
  const screen = await terminal.see(/from cache/)
  expect(screen.trimEnd().split("\n").at(-1)).toMatch(
    /^build · step 2\/7 · context [\d.]+k \(\d+%\) · claude-sonnet-4-5 · [\d.]+k from cache · \$0\.\d+$/,
  )
  expect(terminal.styleOf("build · step").colour).toBe(2)
  await gate.open()
  await terminal.see("── 3 steps")
})
