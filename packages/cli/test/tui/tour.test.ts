import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { benchWith } from "../support/sotto.js"
import { KEYS, openTerminal } from "./support/terminal.js"

const FILES = { "README.md": "# Here\n\nTODO: more.\n" }

describe.concurrent("the tour, without a key", () => {
  it("shows everything to somebody who only presses Enter on what is offered, and leaves nothing behind", async () => {
    const bench = benchWith(FILES)
    const terminal = openTerminal(bench, { rows: 50 })
    await terminal.see("▌ Show me around.")
    // A message arrives in the middle of the turn, and what the model is told of it is in sight.
    await terminal.see("↳ at the next step: And is there a licence?")
    const delivered = await terminal.see("You told me while I worked")
    expect(delivered).toMatch(/▌ And is there a licence\?\n▌ ↳ reached the agent at step 2/)
    expect(delivered).toMatch(/╎ told queued_command · \S+ · \d+ tokens/)
    // A permission with a diff.
    const asked = await terminal.see("❯ 1 Allow once")
    expect(asked).toContain("write wants to change sotto-tour.md")
    expect(asked).toMatch(/1 \+ # Written by Sotto's tour/)
    expect(existsSync(bench.path("sotto-tour.md"))).toBe(false)
    terminal.type(KEYS.enter)
    await terminal.see(/✓ write sotto-tour\.md/)
    expect(existsSync(bench.path("sotto-tour.md"))).toBe(true)
    // Plan mode.
    await terminal.see("▌ Plan a small change.")
    await terminal.seeAnywhere(/╎ told plan_mode · /)
    const plan = await terminal.see("❯ 1 Approve, and accept edits")
    expect(plan).toContain("Nothing is changed before you approve this.")
    terminal.type(KEYS.enter)
    // And how to go on.
    const end = await terminal.see("That was the tour.")
    expect(end.replaceAll(/\s+/g, " ")).toContain(
      "For a real model run sotto login, or set ANTHROPIC_API_KEY",
    )
    terminal.type(KEYS.ctrlD)
    expect(await terminal.exited).toBe(0)
    expect(readdirSync(bench.cwd)).toEqual(["README.md"])
  })

  it("keeps what somebody has changed of what it wrote", async () => {
    const bench = benchWith(FILES)
    const terminal = openTerminal(bench, { rows: 50 })
    await terminal.see("❯ 1 Allow once")
    terminal.type(KEYS.enter)
    await terminal.see(/✓ write sotto-tour\.md/)
    writeFileSync(bench.path("sotto-tour.md"), "Mine now.\n")
    terminal.type(KEYS.ctrlC)
    terminal.type(KEYS.ctrlC)
    expect(await terminal.exited).toBe(0)
    expect(readdirSync(bench.cwd).sort()).toEqual(["README.md", "sotto-tour.md"])
  })

  it("does nothing by itself once somebody types", async () => {
    const terminal = openTerminal(benchWith(FILES), { rows: 50 })
    await terminal.see("▌ Show me around.")
    terminal.type("x")
    await terminal.see(/▌ x\n/)
    terminal.type(KEYS.backspace)
    await terminal.see("❯ 1 Allow once")
    terminal.type(KEYS.enter)
    const end = await terminal.see("That was the tour.")
    expect(end).not.toContain("And is there a licence?")
    expect(end).not.toContain("Plan a small change.")
  })
})
