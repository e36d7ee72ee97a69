import type { Step } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { benchWith, finished, reaching, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const flat = (screen: string) => screen.replaceAll(/\s+/g, " ")

async function after(step: Step, files = {}, env = {}) {
  const server = await serverWith([step, { text: "Next." }])
  const terminal = terminalWith(benchWith(files), server, { env })
  await terminal.see("say what to do")
  terminal.type(`Begin.${KEYS.enter}`)
  return { terminal, server }
}

describe.concurrent("an answer that is not whole", () => {
  const cases: readonly (readonly [string, Step, string, string])[] = [
    ["is cut off", { text: "Half", stop: "length" }, "it reached the model's limit on output", "say “go on”"],
    ["is refused", { text: "No.", stop: "refusal" }, "the model refused to go on", "/rewind"],
  ]
  for (const [name, step, reason, remedy] of cases)
    it(`that ${name} says why, and what can be done`, async () => {
      const { terminal } = await after(step)
      const screen = flat(await terminal.see(/tokens written/))
      expect(screen).toContain(reason)
      expect(screen).toContain(remedy)
    })

  it("that ends at the most steps says so, and how to allow more", async () => {
    const look: Step = { calls: [{ name: "glob", input: { pattern: "*" } }] }
    const server = await serverWith([look, { ...look, disobey: true }, { text: "Next." }])
    const terminal = terminalWith(benchWith({ "sotto.json": '{"maxSteps": 1}' }), server)
    await terminal.see("say what to do")
    terminal.type(`Begin.${KEYS.enter}`)
    const screen = flat(await terminal.see(/── /))
    expect(screen).toMatch(/stopped after 1 step, the most this agent may take; say more to go on/)
  })
})

describe.concurrent("a request that fails", () => {
  it("says which key, which address and which model it was about", async () => {
    const { terminal, server } = await after({
      text: "x",
      fail: [{ status: 401, message: "invalid x-api-key" }],
    })
    const screen = flat(await terminal.see("stopped by an error"))
    expect(screen).toContain("✗ The provider answered 401: invalid x-api-key")
    expect(screen).toContain(`anthropic/claude-sonnet-4-5 at ${server.url}`)
    expect(screen).toContain("Check the key in ANTHROPIC_API_KEY.")
  })

  it("says the same without a terminal", async () => {
    const server = await serverWith([{ text: "x", fail: [{ status: 404, message: "no such model" }] }])
    const args = ["run", "--model", "anthropic/claude-none", "Hello."]
    const { out, err, code } = await finished(benchWith(), args, reaching(server.url))
    const said = flat(out + err)
    expect(code).toBe(1)
    expect(said).toContain(`(anthropic/claude-none at ${server.url}).`)
    expect(said).toContain('Check the name of the model, "claude-none"')
    expect(said).toContain("ANTHROPIC_BASE_URL")
  })

  it("counts down to the next attempt first, however long the reason is", async () => {
    const long = "The service is overloaded, and says so at great length. ".repeat(6)
    const { terminal } = await after({
      text: "At last.",
      fail: [{ status: 529, message: long, retryAfter: 4 }],
    })
    const first = await terminal.see(/trying again in 4 s · Esc interrupts · attempt 2 · The provider/)
    expect(first.split("\n").every((row) => row.length <= 80)).toBe(true)
    await terminal.see(/trying again in [12] s · Esc interrupts/)
    terminal.type(KEYS.escape)
    await terminal.see("interrupted; say something to go on")
  })
})
