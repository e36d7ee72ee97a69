import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { type Bench, benchWith, serverWith } from "../support/sotto.js"
import { KEYS, openTerminal, type Terminal, terminalWith } from "./support/terminal.js"

const FILES = { "README.md": "# Here\n\nTODO: more.\n" }
const CTRL_X = "\u0018"
const OFFER = /Ctrl\+X or \/tour starts a short tour/
const LEFT = "You left the tour"

function open(bench: Bench = benchWith(FILES)): Terminal {
  return openTerminal(bench, { rows: 50 })
}

async function start(bench?: Bench): Promise<Terminal> {
  const terminal = open(bench)
  await terminal.see(OFFER)
  terminal.type(CTRL_X)
  await terminal.see("Esc leaves the tour")
  return terminal
}

/** What stands on the last page, on one line. */
async function lastPage(terminal: Terminal): Promise<string> {
  await terminal.see("That was the tour.")
  const screen = await terminal.see("start sotto again.")
  return screen.slice(screen.indexOf("That was the tour.")).replaceAll(/\s+/g, " ")
}

describe.concurrent("the tour, without a key", () => {
  it("is offered in a line, and does not start by itself", async () => {
    const bench = benchWith(FILES)
    const terminal = open(bench)
    const offer = await terminal.see(OFFER)
    expect(offer.replaceAll(/\s+/g, " ")).toMatch(/No key is set, so the model is the rehearsal: a stand-in/)
    // A message of the person's own is all that is said.
    terminal.type(`Hello there.${KEYS.enter}`)
    const done = await terminal.seeAnywhere(/── \d+ steps?/)
    expect(done).toContain("▌ Hello there.")
    expect(done).not.toContain("Show me around.")
    expect(done).not.toContain("The tour sends this for you")
    terminal.type(KEYS.ctrlD)
    expect(await terminal.exited).toBe(0)
    expect(readdirSync(bench.cwd)).toEqual(["README.md"])
  })

  it("starts by its key, plays its scenes in order, takes 1 for an answer, and carries out the plan", async () => {
    const bench = benchWith(FILES)
    const terminal = await start(bench)
    // A message in the middle of the turn, with a label, and what the model is told of it.
    await terminal.see("↳ at the next step: The tour sends this for you: And is there a licence?")
    const delivered = await terminal.seeAnywhere(/╎ told queued_command · \S+ · \d+ tokens/)
    expect(delivered).toMatch(/▌ The tour sends this for you:\n▌ Show me around\./)
    expect(delivered).toMatch(
      /▌ The tour sends this for you:\n▌ And is there a licence\?\n▌ ↳ reached the agent at step 2/,
    )
    // A permission with a diff. Nothing is in the input.
    const asked = await terminal.see("❯ 1 Allow once")
    expect(asked).toContain("write wants to change sotto-tour.md")
    expect(asked).toMatch(/1 \+ # Written by Sotto's tour/)
    expect(asked).toContain("▌ your message, if you want to say something else")
    expect(existsSync(bench.path("sotto-tour.md"))).toBe(false)
    terminal.type("1")
    await terminal.see(/✓ write sotto-tour\.md/)
    const before = readFileSync(bench.path("sotto-tour.md"), "utf8")
    // Plan mode.
    await terminal.seeAnywhere(/▌ The tour sends this for you:\n▌ Plan a small change\./)
    await terminal.seeAnywhere(/╎ told plan_mode · /)
    const plan = await terminal.see("❯ 1 Approve, and accept edits")
    expect(plan).toContain("Nothing is changed before you approve this.")
    expect(readFileSync(bench.path("sotto-tour.md"), "utf8")).toBe(before)
    terminal.type("1")
    const end = await lastPage(terminal)
    expect(readFileSync(bench.path("sotto-tour.md"), "utf8")).toMatch(/This line was planned/)
    expect(end).toContain("in the middle of its turn, at step 2")
    expect(end).toContain("You saw the change to sotto-tour.md, and allowed it.")
    expect(end).toContain("You approved the plan, and it was carried out")
    expect(end).toContain("For a real model run sotto login, or set ANTHROPIC_API_KEY")
    // The mode that approving brought is gone with the tour.
    expect(terminal.screen()).not.toContain("build · accept edits")
    terminal.type(KEYS.ctrlD)
    expect(await terminal.exited).toBe(0)
    expect(readdirSync(bench.cwd)).toEqual(["README.md"])
  })

  it("goes on while the person types and sends, and leaves their input alone", async () => {
    const bench = benchWith(FILES)
    const terminal = await start(bench)
    terminal.type(`Mind the tabs.${KEYS.enter}`)
    await terminal.see("↳ at the next step: Mind the tabs.")
    terminal.type("a draft of mine")
    await terminal.seeAnywhere(/▌ Mind the tabs\.\n▌ ↳ reached the agent at step \d/)
    await terminal.see("Tab turns to this question")
    terminal.type(`${KEYS.tab}1`)
    await terminal.see(/✓ write sotto-tour\.md/)
    await terminal.seeAnywhere(/▌ Plan a small change\./)
    await terminal.see("1 Approve, and accept edits")
    await terminal.see("Tab turns to this question")
    // The usual questions are asked about what the plan changes.
    terminal.type(`${KEYS.tab}2`)
    await terminal.see(/\d \+ This line was planned/)
    await terminal.see("Tab turns to this question")
    terminal.type(`${KEYS.tab}1`)
    expect(await lastPage(terminal)).toContain("You approved the plan, and it was carried out")
    expect(terminal.screen()).toContain("▌ a draft of mine")
  })

  it("does not claim a plan that was rejected, nor a file that was denied", async () => {
    const bench = benchWith(FILES)
    const terminal = await start(bench)
    await terminal.see("❯ 1 Allow once")
    terminal.type("4")
    await terminal.see("Deny, and say why:")
    terminal.type(KEYS.enter)
    await terminal.see("❯ 1 Approve, and accept edits")
    terminal.type("3")
    await terminal.see("Not yet: say what to change:")
    terminal.type(KEYS.enter)
    const end = await lastPage(terminal)
    expect(end).toContain("sotto-tour.md was not written, because you did not allow it.")
    expect(end).toContain("You did not approve the plan, so nothing of it was done.")
    expect(end).not.toContain("carried out")
    // And the person is back with the agent that they had.
    expect(terminal.screen()).toMatch(/\nbuild · /)
    expect(existsSync(bench.path("sotto-tour.md"))).toBe(false)
  })

  it.each([
    ["while the stand-in writes", undefined],
    ["while a change is asked about", "❯ 1 Allow once"],
    ["while the plan is shown", "❯ 1 Approve, and accept edits"],
  ])("is left by Esc %s, and nothing of it stays", async (_, until) => {
    const bench = benchWith(FILES)
    const terminal = await start(bench)
    if (until?.includes("Approve")) {
      await terminal.see("❯ 1 Allow once")
      terminal.type("1")
    }
    if (until !== undefined) await terminal.see(until)
    terminal.type("x")
    await terminal.see(/▌ x\n/)
    terminal.type(KEYS.escape)
    const left = await terminal.see(LEFT)
    expect(left).toMatch(/▌ x\n/)
    expect(left).toMatch(/\nbuild · /)
    expect(left).not.toContain("Esc leaves")
    expect(left).not.toContain("That was the tour.")
    expect(left).not.toContain("☐ Read a file")
    expect(readdirSync(bench.cwd)).toEqual(["README.md"])
    // It can be had again.
    terminal.type(`${KEYS.backspace}/tour${KEYS.enter}`)
    await terminal.see("Esc leaves the tour")
  })

  it("keeps what somebody has changed of what it wrote", async () => {
    const bench = benchWith(FILES)
    const terminal = await start(bench)
    await terminal.see("❯ 1 Allow once")
    terminal.type(KEYS.enter)
    await terminal.see(/✓ write sotto-tour\.md/)
    writeFileSync(bench.path("sotto-tour.md"), "Mine now.\n")
    terminal.type(KEYS.escape)
    await terminal.see("You left the tour, and sotto-tour.md stays as it is now.")
    terminal.type(KEYS.ctrlC)
    terminal.type(KEYS.ctrlC)
    expect(await terminal.exited).toBe(0)
    expect(readdirSync(bench.cwd).sort()).toEqual(["README.md", "sotto-tour.md"])
  })
})

describe.concurrent("/tour with a real model", () => {
  it("says what to run instead, and sends nothing", async () => {
    const server = await serverWith([{ text: "Never." }])
    const terminal = terminalWith(benchWith(FILES), server)
    await terminal.see("say what to do")
    terminal.type(`/tour${KEYS.enter}`)
    await terminal.see("Run `sotto tour` in a shell instead")
    expect(server.requests).toHaveLength(0)
  })
})
