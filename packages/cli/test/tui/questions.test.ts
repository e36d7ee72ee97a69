import { existsSync, readFileSync } from "node:fs"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { addedBy } from "../support/bodies.js"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const READY = "↑↓ and Enter, or a number"
const write = (path: string, content = "new words\n"): ScriptStep => ({
  calls: [{ name: "write", input: { path, content } }],
})
const run = (command: string): ScriptStep => ({ calls: [{ name: "bash", input: { command } }] })
const DONE: ScriptStep = { text: "That is all." }

async function asked(steps: readonly ScriptStep[], files = {}, options = {}) {
  const server = await serverWith(steps)
  const bench = benchWith(files)
  const terminal = terminalWith(bench, server, options)
  await terminal.see("say what to do")
  terminal.type(`Begin.${KEYS.enter}`)
  return { server, bench, terminal }
}

describe.concurrent("a permission prompt", () => {
  it("shows the exact command, and allows it once", async () => {
    const command = "touch made.txt && echo 'two  spaces'"
    const { terminal, bench } = await asked([run(command), run("touch other.txt"), DONE])
    const screen = await terminal.see(READY)
    expect(screen).toContain(command)
    expect(existsSync(bench.path("made.txt"))).toBe(false)
    terminal.type("1")
    await terminal.see("bash wants to run touch other.txt")
    expect(existsSync(bench.path("made.txt"))).toBe(true)
    await terminal.see(READY)
    terminal.type(KEYS.enter)
    await terminal.see("That is all.")
    expect(existsSync(bench.path("other.txt"))).toBe(true)
  })

  it("shows the diff of what would be written", async () => {
    const { terminal, bench } = await asked(
      [{ calls: [{ name: "read", input: { path: "a.txt" } }] }, write("a.txt", "one\nTWO\n"), DONE],
      { "a.txt": "one\ntwo\n" },
    )
    const screen = await terminal.see(READY)
    expect(screen).toMatch(/2 - two\n┃ 2 \+ TWO/)
    terminal.type("1")
    await terminal.see("That is all.")
    expect(readFileSync(bench.path("a.txt"), "utf8")).toBe("one\nTWO\n")
  })

  it("prints a diff that is too long for the screen where it can be scrolled", async () => {
    const long = Array.from({ length: 50 }, (_, i) => `line ${i + 1} of fifty\n`).join("")
    const { terminal, bench } = await asked([write("long.txt", long), DONE])
    await terminal.see(READY)
    const all = terminal.all()
    for (const n of [1, 25, 40]) expect(all).toContain(`+ line ${n} of fifty`)
    expect(all).toContain("… 10 more lines · Ctrl+O shows all")
    terminal.type(KEYS.ctrlO)
    await terminal.see("+ line 50 of fifty")
    terminal.type("1")
    await terminal.see("That is all.")
    expect(readFileSync(bench.path("long.txt"), "utf8")).toBe(long)
  })

  it("allows for the session", async () => {
    const { terminal } = await asked([run("touch a.txt"), run("touch a.txt"), DONE])
    await terminal.see(READY)
    terminal.type("2")
    await terminal.see("That is all.")
    expect(terminal.all().match(/✓ \$ touch a\.txt/g)).toHaveLength(2)
  })

  it("allows always by a pattern, which can be changed and is written to the user's own file for this project", async () => {
    const theirs = '{\n  // ours\n  "permission": { "edit": "allow" }\n}\n'
    const { terminal, bench } = await asked([run("touch a.txt"), run("touch b.txt"), DONE], {
      "sotto.json": theirs,
    })
    await terminal.see(READY)
    terminal.type("3")
    await terminal.see("› touch a.txt")
    terminal.type(`${KEYS.backspace.repeat(5)}*.txt${KEYS.enter}`)
    await terminal.see("That is all.")
    expect(terminal.all()).toContain("bash touch *.txt is allowed from now on in")
    expect(terminal.all().match(/✓ \$ touch/g)).toHaveLength(2)
    expect(readFileSync(bench.path("sotto.json"), "utf8")).toBe(theirs)
  })

  it("denies with a reason that the model is told", async () => {
    const { terminal, bench, server } = await asked([write("a.txt"), DONE])
    await terminal.see(READY)
    terminal.type("4")
    await terminal.see("Deny, and say why:")
    terminal.type(`Use another name.${KEYS.enter}`)
    await terminal.see("That is all.")
    expect(existsSync(bench.path("a.txt"))).toBe(false)
    expect(addedBy(server, 1)).toContain("The user did not allow it: Use another name.")
  })

  it("never takes for its answer what was being written when it appeared", async () => {
    const wait: ScriptStep = { calls: [{ name: "bash", input: { command: "cat gate" } }] }
    const server = await serverWith([wait, write("a.txt"), DONE])
    const bench = benchWith()
    const gate = bench.gate()
    const terminal = terminalWith(bench, server)
    await terminal.see("say what to do")
    terminal.type(`Begin.${KEYS.enter}`)
    await terminal.see("$ cat gate")
    terminal.type("1 thing: ")
    await terminal.see("▌ 1 thing:")
    await gate.open()
    await terminal.see("Tab turns to this question")
    terminal.type("1, 2 or 3?")
    await terminal.see("▌ 1 thing: 1, 2 or 3?")
    expect(existsSync(bench.path("a.txt"))).toBe(false)
    terminal.type(KEYS.enter)
    await terminal.see("↳ at the next step: 1 thing: 1, 2 or 3?")
    expect(terminal.screen()).toContain("1 Allow once")
    terminal.type("half a")
    await terminal.see("▌ half a")
    terminal.type(KEYS.tab)
    await terminal.see(READY)
    terminal.type("1")
    const done = await terminal.see("That is all.")
    expect(existsSync(bench.path("a.txt"))).toBe(true)
    expect(done).toContain("▌ half a")
    expect(addedBy(server, 2)).toContain("1 thing: 1, 2 or 3?")
  })
})

describe.concurrent("a question", () => {
  const question = {
    name: "question",
    input: { question: "Tabs or **spaces**?", options: ["Tabs", "Spaces"] },
  }

  it("is answered with one of its options", async () => {
    const { terminal, server } = await asked([{ calls: [question] }, DONE])
    const screen = await terminal.see(READY)
    expect(screen).toContain("Tabs or spaces?")
    terminal.type(KEYS.down + KEYS.enter)
    await terminal.see("That is all.")
    expect(addedBy(server, 1)).toContain("The user answered: Spaces")
  })

  it("is answered with other words", async () => {
    const { terminal, server } = await asked([{ calls: [question] }, DONE])
    await terminal.see(READY)
    terminal.type("3")
    await terminal.see("Something else:")
    terminal.type(`Both.${KEYS.enter}`)
    await terminal.see("That is all.")
    expect(addedBy(server, 1)).toContain("The user answered: Both.")
    expect(terminal.screen()).toContain("The user answered: Both.")
  })
})

describe.concurrent("a plan", () => {
  const plan = "# The plan\n\n1. Do **this**\n2. Then that\n"
  const steps: readonly ScriptStep[] = [
    write(".sotto/plans/plan.md", plan),
    { calls: [{ name: "plan_exit", input: {} }] },
    DONE,
  ]
  const options = { args: ["--agent", "plan", "--model", "anthropic/claude-sonnet-4-5"], rows: 40 }

  it("is shown as Markdown and approved", async () => {
    const { terminal, server } = await asked(steps, {}, options)
    const screen = await terminal.see(READY)
    expect(screen).toMatch(/The plan\n\n1\. Do this\n2\. Then that/)
    terminal.type("2")
    const after = await terminal.see("That is all.")
    expect(after).toContain("The user approved the plan.")
    await terminal.see(/\nbuild · (?!accept)/)
    expect(addedBy(server, 2)).toContain("The user approved the plan.")
  })

  it("is approved together with its edits, which are then made without asking", async () => {
    const building = [...steps.slice(0, 2), write("made.txt"), run("touch asked.txt"), DONE]
    const { terminal, bench } = await asked(building, {}, options)
    const screen = await terminal.see(READY)
    expect(screen).toContain("it changes files without asking; commands are still asked about")
    terminal.type("1")
    await terminal.see("bash wants to run touch asked.txt")
    await terminal.see(/\nbuild · accept edits · /)
    expect(existsSync(bench.path("made.txt"))).toBe(true)
    await terminal.see(READY)
    terminal.type("1")
    await terminal.see("That is all.")
  })

  it("is approved with asking before each edit, which then asks although auto was on", async () => {
    const building = [...steps.slice(0, 2), write("made.txt"), DONE]
    const auto = { ...options, args: [...options.args, "--yes"] }
    const { terminal, bench } = await asked(building, {}, auto)
    await terminal.see(/\nplan · auto · /)
    await terminal.see(READY)
    terminal.type("2")
    await terminal.see("write wants to change made.txt")
    expect(terminal.screen()).not.toMatch(/\nbuild · auto/)
    expect(existsSync(bench.path("made.txt"))).toBe(false)
    await terminal.see(READY)
    terminal.type("1")
    await terminal.see("That is all.")
  })

  it("is refused with a comment", async () => {
    const { terminal, server } = await asked(steps, {}, options)
    await terminal.see(READY)
    terminal.type("3")
    await terminal.see("Not yet: say what to change:")
    terminal.type(`ok, but test first${KEYS.enter}`)
    const after = await terminal.see("That is all.")
    expect(after).toContain("did not approve the plan yet: no: ok, but test first")
    await terminal.see(/\nplan · /)
    expect(addedBy(server, 2)).toContain("did not approve the plan yet: no: ok, but test first")
  })
})
