import { existsSync } from "node:fs"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const SLOW: ScriptStep = {
  text: "One word after the other, and never an end to it. ".repeat(60),
  tokenDelay: 40,
}

describe.concurrent("a session that ended while the model wrote", () => {
  const writing = async () => {
    const server = await serverWith({ counting: "requests", steps: [SLOW, SLOW, SLOW] })
    const bench = benchWith()
    const first = terminalWith(bench, server)
    await first.see("say what to do")
    first.type(`Write.${KEYS.enter}`)
    await first.see("One word after")
    return { first, again: () => terminalWith(bench, server, { args: ["--continue"] }) }
  }

  for (const [key, name] of [
    [KEYS.escape, "Esc"],
    [KEYS.ctrlC, "Ctrl+C"],
  ] as const)
    it(`is at work again after kill -9, says so, and ${name} interrupts it`, async () => {
      const { first, again } = await writing()
      first.signal("SIGKILL")
      await first.exited
      const second = again()
      const working = await second.see(/Esc interrupts/)
      expect(working).not.toContain("say what to do")
      await second.see("One word after")
      second.type(key)
      await second.see("interrupted; say something to go on")
      await second.see("say what to do")
    })

  it("has ended its turn after SIGTERM, and waits for the next message", async () => {
    const { first, again } = await writing()
    first.signal("SIGTERM")
    expect(await first.exited).toBe(143)
    const screen = await again().see("say what to do")
    expect(screen).toContain("▌ Write.")
    expect(screen).toContain("interrupted; say something to go on")
    expect(screen).not.toContain("Esc interrupts")
  })
})

describe.concurrent("a session that was killed while a command ran", () => {
  const steps: readonly ScriptStep[] = [
    { calls: [{ name: "bash", input: { command: "cat gate" } }] },
    { calls: [{ name: "bash", input: { command: "touch later.txt" } }] },
    { text: "All done." },
  ]
  const killed = async () => {
    const server = await serverWith(steps)
    const bench = benchWith({ "sotto.json": '{"permission":{"bash":"allow","edit":"allow"}}' })
    bench.gate()
    const first = terminalWith(bench, server)
    await first.see("say what to do")
    first.type(`Run it.${KEYS.enter}`)
    await first.see("$ cat gate")
    first.signal("SIGKILL")
    await first.exited
    const requests = server.requests.length
    const second = terminalWith(bench, server, { args: ["--continue"] })
    const asking = await second.see("The turn is still open. Go on with it?")
    expect(asking).toMatch(/it is not known whether it did:\n +\$ cat gate/)
    expect(server.requests).toHaveLength(requests)
    return { bench, second }
  }

  it("is asked about before anything more is run, and stops", async () => {
    const { bench, second } = await killed()
    second.type(KEYS.enter)
    await second.see("interrupted; say something to go on")
    await second.see("say what to do")
    expect(existsSync(bench.path("later.txt"))).toBe(false)
  })

  it("goes on if the person says so", async () => {
    const { bench, second } = await killed()
    second.type(KEYS.down + KEYS.enter)
    await second.see("All done.")
    expect(existsSync(bench.path("later.txt"))).toBe(true)
  })
})
