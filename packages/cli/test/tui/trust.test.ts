import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const FILES = { "sotto.json": JSON.stringify({ hooks: { session_start: [{ command: "touch ran" }] } }) }
const PROMPT = 'Type "trust" to trust it, or press Enter to go on without these:'
const MODEL = ["--model", "anthropic/claude-sonnet-4-5"]

describe.each([
  ["drawn", MODEL],
  ["a line at a time", ["--plain", ...MODEL]],
])("a terminal, %s", (_, args) => {
  const opened = async () => {
    const bench = benchWith(FILES)
    const server = await serverWith([{ text: "Hello there." }, { text: "Hello there." }])
    const options = { args, env: { SOTTO_TRUST: "" }, columns: 120 }
    return { bench, again: () => terminalWith(bench, server, options) }
  }

  it("asks once before anything runs, with what exactly would", async () => {
    const { bench, again } = await opened()
    const first = again()
    await first.see(`Do you trust ${bench.cwd}?`)
    await first.see("hook (sotto.json: hooks.session_start.0): runs touch ran")
    expect(existsSync(bench.path("ran"))).toBe(false)
    first.type(`trust${KEYS.enter}`)
    await first.see("Trusted.")
    await first.see("anthropic/claude-sonnet-4-5")
    first.type(`Hi${KEYS.enter}`)
    await first.see("Hello there.")
    expect(existsSync(bench.path("ran"))).toBe(true)
    first.kill()
    const second = again()
    await second.see("anthropic/claude-sonnet-4-5")
    expect(second.all()).not.toContain("Do you trust")
  })

  it("goes on without it for any other answer", async () => {
    const { bench, again } = await opened()
    const terminal = again()
    await terminal.see("Do you trust")
    terminal.type(`yes, trust it${KEYS.enter}`)
    await terminal.see("Not now: all of that is left out.")
    terminal.type(`Hi${KEYS.enter}`)
    await terminal.see("Hello there.")
    expect(existsSync(bench.path("ran"))).toBe(false)
  })

  it("is not answered by what was typed before the question was shown", async () => {
    const { bench, again } = await opened()
    const terminal = again()
    terminal.type(`trust${KEYS.enter}trust${KEYS.enter}tru`)
    await terminal.see(PROMPT)
    expect(terminal.all()).not.toContain("Trusted.")
    terminal.type(`st${KEYS.enter}`)
    await terminal.see("Not now: all of that is left out.")
    expect(existsSync(bench.path("ran"))).toBe(false)
    expect(existsSync(join(bench.home, "trust.json"))).toBe(false)
  })

  it("leaves with Ctrl+C, and has started nothing", async () => {
    const { bench, again } = await opened()
    const terminal = again()
    await terminal.see(PROMPT)
    terminal.type(KEYS.ctrlC)
    expect(await terminal.exited).toBe(130)
    expect(existsSync(bench.path("ran"))).toBe(false)
    expect(readdirSync(bench.home)).toEqual(["sotto.json"])
  })
})
