import type { Rehearsal } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, type Terminal, terminalWith } from "./support/terminal.js"

const ALT_T = "\u001bt"
const MODEL = ["--model", "anthropic/claude-opus-4-6"]
const ANSWERS = ["One.", "Two.", "Three.", "Four."].map((text) => ({ text }))

const status = (screen: string) => screen.trimEnd().split("\n").at(-1) ?? ""

async function ask(terminal: Terminal, answer: string): Promise<string> {
  terminal.type(`Go.${KEYS.enter}`)
  await terminal.see(answer)
  return terminal.see("say what to do")
}

function effortOf(server: Rehearsal, n: number): unknown {
  const body = server.requests[n]?.body as
    | { readonly output_config?: { readonly effort?: string } }
    | undefined
  return body?.output_config?.effort
}

describe.concurrent("how much the model thinks", () => {
  it("is chosen with /think, shown in the status line, sent, and kept when the session goes on", async () => {
    const server = await serverWith({ counting: "requests", steps: ANSWERS })
    const bench = benchWith()
    const terminal = terminalWith(bench, server, { args: MODEL, columns: 110 })
    const start = await terminal.see("say what to do")
    expect(status(start)).not.toContain("think")
    terminal.type(`/think high${KEYS.enter}`)
    await terminal.see("thinking: high")
    const high = await ask(terminal, "One.")
    expect(status(high)).toContain("claude-opus-4-6 · think high")
    expect(effortOf(server, 0)).toBe("high")
    terminal.type(`/think default${KEYS.enter}`)
    await terminal.see(
      "thinking: as the provider does by default; with the next request the prompt cache starts over",
    )
    expect(status(await ask(terminal, "Two."))).not.toContain("think")
    expect(effortOf(server, 1)).toBeUndefined()
    terminal.type(`/think${KEYS.enter}`)
    const list = await terminal.see("How much anthropic/claude-opus-4-6 thinks")
    expect(list).toMatch(/❯ off +answers at once/)
    terminal.type(`max${KEYS.enter}`)
    await terminal.see("thinking: max")
    terminal.type(KEYS.ctrlD)
    await terminal.exited
    const again = terminalWith(bench, server, { args: ["--continue"], columns: 110 })
    expect(status(await again.see("say what to do"))).toContain("think max")
    // Another agent, and back: the choice is the model's.
    again.type(KEYS.tab)
    await again.see("agent: plan")
    await ask(again, "Three.")
    expect(effortOf(server, 2)).toBe("max")
  })

  it("goes one higher with Alt+T, and says so of a model that cannot be told", async () => {
    const server = await serverWith(ANSWERS)
    const terminal = terminalWith(benchWith(), server, { args: MODEL, columns: 110 })
    await terminal.see("say what to do")
    for (const level of ["low", "medium", "high", "max", "off"]) {
      terminal.type(ALT_T)
      await terminal.see(`thinking: ${level}`)
    }
    terminal.type(`/model openai/gpt-4.1${KEYS.enter}`)
    await terminal.see("model: openai/gpt-4.1")
    terminal.type(ALT_T)
    await terminal.see("openai/gpt-4.1 takes no thinking level.")
  })

  it("is what --think says, whatever the agent says, and /think over that", async () => {
    const server = await serverWith(ANSWERS)
    const bench = benchWith({
      "sotto.json": '{"agents":{"build":{"variant":"low"},"plan":{"variant":"max"}}}',
    })
    const terminal = terminalWith(bench, server, { args: [...MODEL, "--think", "medium"], columns: 110 })
    expect(status(await terminal.see("say what to do"))).toContain("think medium")
    terminal.type(ALT_T)
    await terminal.see("thinking: high")
    expect(status(await ask(terminal, "One."))).toContain("think high")
    expect(effortOf(server, 0)).toBe("high")
  })

  it("is the agent's variant, shown as agents are switched", async () => {
    const server = await serverWith(ANSWERS)
    const bench = benchWith({
      "sotto.json": '{"agents":{"build":{"variant":"low"},"plan":{"variant":"max"}}}',
    })
    const terminal = terminalWith(bench, server, { args: MODEL, columns: 110 })
    expect(status(await terminal.see("say what to do"))).toContain("think low")
    terminal.type(KEYS.tab)
    await terminal.see((screen) => status(screen).includes("think max"))
  })
})

it("a level that there is not is refused before the terminal is taken", async () => {
  const server = await serverWith(ANSWERS)
  const terminal = terminalWith(benchWith(), server, { args: ["--think", "hard"] })
  await terminal.see("--think hard: use off, low, medium, high, max.")
  expect(await terminal.exited).toBe(2)
})
