import { rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const MCP = fileURLToPath(new URL("../../../harness/test/mcp-server.mjs", import.meta.url))
const ALLOW = '{"permission":{"bash":"allow","edit":"allow","task":"allow"}}'

it.concurrent("a subagent's transcript can be read while it works, and afterwards", async () => {
  const server = await serverWith({
    counting: "requests",
    steps: [
      { calls: [{ name: "task", input: { agent: "general", prompt: "Look for the marigold." } }] },
      { text: "I look.", calls: [{ name: "bash", input: { command: "echo found; cat gate" } }] },
      { text: "The marigold is in the garden." },
      { text: "All is known." },
    ],
  })
  const bench = benchWith({ "sotto.json": ALLOW })
  const gate = bench.gate()
  const terminal = terminalWith(bench, server, { columns: 100, rows: 30 })
  await terminal.see("say what to do")
  terminal.type(`Find it.${KEYS.enter}`)
  await terminal.see("general: bash")
  terminal.type(`/subagents${KEYS.enter}`)
  const list = await terminal.see("Subagents: who works for this session")
  expect(list).toMatch(/❯ ▶ general {2}Look for the marigold\. · at work, step 1/)
  terminal.type(KEYS.enter)
  const live = await terminal.see("Subagent general: its transcript, live: step 1")
  expect(live).toMatch(/▌ Look for the marigold\./)
  expect(live).toMatch(/● I look\./)
  expect(live).toMatch(/❯ ▶ \$ echo found; cat gate {2}it runs/)
  terminal.type(KEYS.enter)
  const running = await terminal.see("y copy · ←→ others")
  expect(running).toMatch(/\n\necho found; cat gate\n/)
  terminal.type(KEYS.escape)
  await terminal.see("Subagent general: its transcript, live: step 1")
  await gate.open()
  // It goes on by itself.
  await terminal.see(/❯ ● The marigold is in the garden\./)
  terminal.type(KEYS.enter)
  await terminal.see("y copy · ←→ others")
  terminal.type(KEYS.escape)
  terminal.type(KEYS.escape)
  await terminal.see(/✓ general/)
  terminal.type(KEYS.escape)
  await terminal.see("All is known.")
  terminal.type(KEYS.ctrlD)
  await terminal.exited

  const again = terminalWith(bench, server, { args: ["--continue"], columns: 100, rows: 30 })
  await again.see("All is known.")
  again.type(`/subagents${KEYS.enter}`)
  await again.see(/❯ ✓ general {2}\d+ messages/)
  again.type(KEYS.enter)
  const stored = await again.see("Subagent general: its transcript")
  expect(stored).toMatch(/✓ \$ echo found; cat gate/)
  expect(stored).toMatch(/● The marigold is in the garden\./)
})

it.concurrent("/mcp shows state, tools and log of the servers, and reconnects one", async () => {
  const server = await serverWith([{ text: "Hello." }])
  const bench = benchWith()
  const config = {
    titles: false,
    mcp: {
      hub: {
        command: process.execPath,
        args: [MCP, JSON.stringify({ names: ["echo", "store"], instructions: "Echo first." })],
      },
      lost: { command: bench.path("missing.mjs") },
      off: { command: "true", disable: true },
    },
  }
  const terminal = terminalWith(withConfig(bench, config), server, { columns: 110, rows: 30 })
  await terminal.see("say what to do")
  terminal.type(`Hello.${KEYS.enter}`)
  await terminal.see("── 1 step")
  terminal.type(`/mcp${KEYS.enter}`)
  await terminal.see(/❯ ✓ hub {2}connected, 2 tools/)
  const list = await terminal.see(/! lost {2}gone, it is tried again: /)
  expect(list).toMatch(/ off {2}switched off in the configuration/)
  terminal.type(KEYS.enter)
  const one = await terminal.see("What it printed")
  expect(one).toContain("Echo first.")
  expect(one).toMatch(/2 tools\n {2}echo/)
  terminal.type(KEYS.escape)
  await terminal.see("MCP servers:")
  writeFileSync(
    bench.path("missing.mjs"),
    `#!${process.execPath}\nprocess.argv[2] = "{}"\nawait import(${JSON.stringify(MCP)})\n`,
    { mode: 0o755 },
  )
  terminal.type(`${KEYS.down}r`)
  await terminal.see(/❯ ✓ lost {2}connected/)
  rmSync(bench.path("missing.mjs"))
  terminal.type("r")
  await terminal.see(/❯ ! lost {2}gone/)
})

it.concurrent("/resume searches titles and words, and shows how a session ended", async () => {
  const server = await serverWith({
    counting: "requests",
    steps: [{ text: "The apple is red." }, { text: "The boat is blue." }, { text: "Third." }],
  })
  const terminal = terminalWith(benchWith(), server, { rows: 26 })
  await terminal.see("say what to do")
  terminal.type(`About fruit.${KEYS.enter}`)
  await terminal.see("The apple is red.")
  terminal.type(`/clear${KEYS.enter}`)
  await terminal.see((text) => !text.includes("apple") && text.includes("say what to do"))
  terminal.type(`About ships.${KEYS.enter}`)
  await terminal.see("The boat is blue.")
  terminal.type(`/clear${KEYS.enter}`)
  await terminal.see((text) => !text.includes("boat") && text.includes("say what to do"))
  terminal.type(`/resume${KEYS.enter}`)
  const both = await terminal.see(/❯ About ships\./)
  expect(both).toMatch(/ About fruit\./)
  expect(both).toMatch(/▌ About ships\.\n {2}The boat is blue\./)
  terminal.type("fruit")
  const found = await terminal.see(/❯ About fruit\./)
  expect(found).not.toContain("About ships.")
  expect(found).toContain("The apple is red.")
  terminal.type("xyz")
  await terminal.see("No session has these words.")
  terminal.type(KEYS.escape)
  await terminal.see(/❯ About ships\./)
  terminal.type(`apple${KEYS.escape}${KEYS.down}`)
  await terminal.see(/❯ About fruit\./)
  terminal.type(KEYS.enter)
  await terminal.see((text) => text.includes("The apple is red.") && text.includes("say what to do"))
})

function withConfig(bench: ReturnType<typeof benchWith>, config: object) {
  writeFileSync(bench.path("sotto.json"), JSON.stringify(config))
  return bench
}
