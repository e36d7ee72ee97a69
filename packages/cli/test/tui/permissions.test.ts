import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const READY = "↑↓ and Enter, or a number"
const run = (command: string): ScriptStep => ({ calls: [{ name: "bash", input: { command } }] })

async function asked(steps: readonly ScriptStep[], options = {}) {
  const server = await serverWith(steps)
  const bench = benchWith()
  const terminal = terminalWith(bench, server, { columns: 110, rows: 36, ...options })
  await terminal.see("say what to do")
  terminal.type(`Begin.${KEYS.enter}`)
  await terminal.see(READY)
  return { bench, terminal, server }
}

describe.concurrent("a permission prompt", () => {
  it("names every command that would run, and what is allowed already", async () => {
    const { terminal } = await asked([run("ls && touch made.txt | sh"), { text: "Done." }])
    const screen = terminal.screen()
    expect(screen).toContain("bash wants to run ls && touch made.txt | sh")
    expect(screen).toMatch(/✓ runs ls {2}\(allowed already\)/)
    expect(screen).toContain("? runs touch made.txt")
    expect(screen).toContain("? runs sh")
    terminal.type("3")
    await terminal.see("Deny, and say why:")
  })

  it("says what each answer covers before it is given, and proposes no wildcard", async () => {
    const { terminal, bench } = await asked([run("rm -rf build"), { text: "Done." }], { columns: 160 })
    const screen = terminal.screen()
    expect(screen).toMatch(/1 Allow once +this call and nothing else/)
    expect(screen).toMatch(/2 Allow for this session +this exact command line, until this session ends/)
    expect(screen).toMatch(/3 Always allow .* +bash of exactly rm -rf build, in .*, kept in .*sotto\.json/)
    terminal.type("3")
    const proposed = await terminal.see("› rm -rf build")
    expect(proposed).not.toContain("*")
    expect(proposed).toContain("bash of exactly rm -rf build, in")
    terminal.type(`${KEYS.backspace.repeat(9)}*`)
    await terminal.see(/CAREFUL, this lets rm do whatever it can: every bash that begins with "rm "/)
    terminal.type(KEYS.escape)
    await terminal.see(READY)
    expect(readFileSync(join(bench.home, "sotto.json"), "utf8")).not.toContain("rm")
  })
})

describe.concurrent("/permissions", () => {
  it("lists what was allowed for the session, and takes it back", async () => {
    const { terminal } = await asked([
      run("touch a.txt"),
      { text: "One." },
      run("touch a.txt"),
      { text: "Two." },
    ])
    terminal.type("2")
    await terminal.see("One.")
    terminal.type(`/permissions${KEYS.enter}`)
    const list = await terminal.see("Permissions: what you have allowed here")
    expect(list).toMatch(/❯ bash touch a\.txt {2}exactly this; in memory, until this session ends/)
    expect(list.match(/touch a\.txt/g)).toHaveLength(1)
    terminal.type("r")
    await terminal.see("Take this back?")
    terminal.type("y")
    await terminal.see("bash touch a.txt is asked about again")
    await terminal.see("Nothing was allowed beyond the rules")
    terminal.type(KEYS.escape)
    await terminal.see("One.")
    terminal.type(`Again.${KEYS.enter}`)
    await terminal.see("bash wants to run touch a.txt")
  })

  it("lists what was allowed for good with its file, and takes it back there and at once", async () => {
    const steps = [run("touch a.txt"), { text: "One." }, run("touch a.txt"), { text: "Two." }]
    const { terminal, bench } = await asked(steps)
    const file = join(bench.home, "sotto.json")
    terminal.type("3")
    await terminal.see("› touch a.txt")
    terminal.type(KEYS.enter)
    await terminal.see("is allowed from now on in")
    // It may also touch the file: that is asked about by itself.
    await terminal.see((text) => text.includes("One.") || text.includes(READY))
    if (terminal.screen().includes(READY)) terminal.type("1")
    await terminal.see("One.")
    expect(readFileSync(file, "utf8")).toContain("touch a.txt")
    terminal.type(`/permissions${KEYS.enter}`)
    const list = await terminal.see(/always in .*; in .*sotto\.json/)
    const rows = list.split("\n")
    const place = rows.findIndex((row) => row.includes("always in"))
    terminal.type(KEYS.down.repeat(place - rows.findIndex((row) => row.includes("❯"))))
    await terminal.see(/❯ bash touch a\.txt {2}always in/)
    terminal.type("r")
    await terminal.see("Take this back?")
    terminal.type("y")
    await terminal.see("bash touch a.txt is asked about again")
    expect(readFileSync(file, "utf8")).not.toContain("touch a.txt")
    expect(existsSync(bench.path("a.txt"))).toBe(true)
  })
})

describe.concurrent("the question about a page", () => {
  it("names the host, shows the whole address, and keeps no pattern that does not fit", async () => {
    const fetching: ScriptStep = {
      calls: [{ name: "fetch", input: { url: "https://docs.example.com/guide?q=1" } }],
    }
    const { terminal, bench } = await asked([fetching, { text: "Done." }], { columns: 200 })
    const screen = terminal.screen()
    expect(screen).toContain("fetch wants a page of docs.example.com")
    expect(screen).toContain("https://docs.example.com/guide?q=1")
    expect(screen).toMatch(
      /3 Always allow .* +fetch of exactly docs\.example\.com, in .*, kept in .*sotto\.json/,
    )
    terminal.type("3")
    await terminal.see("› docs.example.com")
    terminal.type(
      `${KEYS.backspace.repeat("docs.example.com".length)}https://docs.example.com/*${KEYS.enter}`,
    )
    await terminal.see("does not match docs.example.com")
    expect(readFileSync(join(bench.home, "sotto.json"), "utf8")).not.toContain("docs.example.com")
    terminal.type(`${KEYS.backspace.repeat("https://docs.example.com/*".length)}*`)
    await terminal.see(/CAREFUL, an address can carry what the agent has read/)
    terminal.type(KEYS.escape)
    await terminal.see(READY)
    terminal.type("4")
    await terminal.see("Deny, and say why:")
    terminal.type(KEYS.enter)
    await terminal.see("Done.")
  })
})
