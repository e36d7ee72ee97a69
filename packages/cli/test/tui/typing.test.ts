import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { addedBy, bodiesOf } from "../support/bodies.js"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const WAIT = { name: "bash", input: { command: "cat gate" } }

/** An agent that waits at a gate in its first step. */
async function waiting(...more: readonly ScriptStep[]) {
  // What an interruption leaves of an answer counts as one: here it is requests that are counted.
  const server = await serverWith({
    counting: "requests",
    steps: [{ text: "I wait.", calls: [WAIT] }, ...more],
  })
  const bench = benchWith()
  const gate = bench.gate()
  const terminal = terminalWith(bench, server)
  await terminal.see("say what to do")
  terminal.type(`Begin.${KEYS.enter}`)
  await terminal.see("$ cat gate")
  return { server, gate, terminal }
}

describe.concurrent("while the agent works", () => {
  it("Enter steers: the message is shown as waiting, then in its place with its words", async () => {
    const { server, gate, terminal } = await waiting({ text: "Heard." })
    terminal.type(`Mention the <b>licence</b>.${KEYS.enter}`)
    const queued = await terminal.see("↳ at the next step: Mention the <b>licence</b>.")
    expect(queued).not.toContain("▌ Mention")
    await gate.open()
    const done = await terminal.see("── 2 steps")
    expect(done).toContain("▌ Mention the <b>licence</b>.\n▌ ↳ reached the agent at step 2")
    expect(done.indexOf("$ cat gate")).toBeLessThan(done.indexOf("▌ Mention"))
    expect(done.indexOf("▌ Mention")).toBeLessThan(done.indexOf("Heard."))
    expect(done).not.toContain("at the next step:")
    expect(done).not.toContain("system-reminder")
    expect(addedBy(server, 1)).toContain("Mention the")
  })

  it("Alt+Enter waits for the end of the turn", async () => {
    const { server, gate, terminal } = await waiting({ text: "First done." }, { text: "Second done." })
    terminal.type(`Then this.${KEYS.altEnter}`)
    await terminal.see("↳ after this turn: Then this.")
    await gate.open()
    const done = await terminal.see("Second done.")
    expect(done.indexOf("First done.")).toBeLessThan(done.indexOf("▌ Then this."))
    expect(done).not.toContain("reached the agent at step")
    expect(addedBy(server, 1)).not.toContain("Then this.")
    expect(addedBy(server, 2)).toContain("Then this.")
  })

  it("Esc interrupts, and keeps what is written and what is queued", async () => {
    const { server, terminal } = await waiting({ text: "Going on." })
    terminal.type(`Queued words.${KEYS.enter}`)
    await terminal.see("↳ at the next step: Queued words.")
    terminal.type("half a sen")
    await terminal.see("▌ half a sen")
    terminal.type(KEYS.escape)
    const stopped = await terminal.see("interrupted; say something to go on")
    expect(stopped).toContain("✗ $ cat gate")
    expect(stopped).toContain("▌ half a sen")
    await terminal.see("↳ waits for your next message: Queued words.")
    expect(bodiesOf(server)).toHaveLength(1)
    terminal.type(`tence.${KEYS.enter}`)
    const done = await terminal.see("Going on.")
    expect(done).toContain("▌ Queued words.")
    expect(done).toContain("▌ half a sentence.")
    expect(addedBy(server, 1)).toMatch(/Queued words\..*half a sentence\./s)
  })

  it("Up takes a queued message back to be edited, and older words after it", async () => {
    const { server, gate, terminal } = await waiting({ text: "Heard." })
    terminal.type(`Use tabs.${KEYS.enter}`)
    await terminal.see("↳ at the next step: Use tabs.")
    terminal.type(KEYS.up)
    await terminal.see("✎ Use tabs.")
    await terminal.see("↳ being edited: Use tabs.")
    terminal.type(`${KEYS.up}`)
    await terminal.see("▌ Use tabs.")
    terminal.type(KEYS.down)
    await terminal.see("✎ Use tabs.")
    terminal.type(`${KEYS.backspace.repeat(5)}spaces.${KEYS.enter}`)
    await terminal.see("↳ at the next step: Use spaces.")
    await gate.open()
    const done = await terminal.see("Heard.")
    expect(done).toContain("▌ Use spaces.")
    expect(addedBy(server, 1)).toContain("Use spaces.")
    expect(addedBy(server, 1)).not.toContain("Use tabs.")
  })

  it("a queued message that is emptied is taken back", async () => {
    const { server, gate, terminal } = await waiting({ text: "Done." })
    terminal.type(`Never mind.${KEYS.enter}`)
    await terminal.see("↳ at the next step: Never mind.")
    terminal.type(KEYS.up)
    await terminal.see("✎ Never mind.")
    terminal.type(`\u0015${KEYS.enter}`)
    await terminal.see((text) => !text.includes("Never mind."))
    await gate.open()
    await terminal.see("── 2 steps")
    expect(addedBy(server, 1)).not.toContain("Never mind")
  })

  it("Ctrl+C interrupts, and a second one leaves", async () => {
    const { terminal } = await waiting({ text: "Done." })
    terminal.type(KEYS.ctrlC)
    await terminal.see("interrupted; say something to go on")
    await terminal.see("Ctrl+C again leaves")
    terminal.type(KEYS.ctrlC)
    expect(await terminal.exited).toBe(0)
    expect(terminal.screen()).toContain("Go on with: sotto --session")
  })
})
