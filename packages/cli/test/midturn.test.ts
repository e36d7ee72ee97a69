import { writeFileSync } from "node:fs"
import { expect, it } from "vitest"
import { addedBy, bodiesOf, conversationOf, expectClean, times } from "./support/bodies.js"
import { benchWith, serverWith, talk } from "./support/sotto.js"

const MODELS = ["anthropic/claude-opus-5-5", "anthropic/claude-sonnet-4-5", "openai/gpt-5.6"]

it.concurrent.each(MODELS)("tells %s of a rewritten AGENTS.md at the next boundary, once", async (model) => {
  const look = { name: "glob", input: { pattern: "*" } }
  const server = await serverWith([
    { text: "I wait.", calls: [{ name: "bash", input: { command: "cat gate" } }] },
    { text: "I look.", calls: [look] },
    { text: "I look again.", calls: [look] },
    { text: "Done." },
  ])
  const bench = benchWith({ "AGENTS.md": "Write in English.\nUse tabs.\n" })
  const gate = bench.gate()
  const run = talk(bench, server, "--model", model, "Look around.")

  await run.wait({ type: "tool-call", name: "bash" })
  writeFileSync(bench.path("AGENTS.md"), "Write in English.\nUse spaces, never tabs.\n")
  await gate.open()
  await run.wait({ type: "turn-end", reason: "done" })
  expect((await run.end()).code).toBe(0)

  expectClean(server)
  const told = run.all({ type: "reminder", kind: "instructions_change" })
  expect(told).toHaveLength(1)
  expect(told[0]).toMatchObject({ step: 2, text: expect.stringContaining("Use spaces, never tabs.") })
  expect(told[0]?.text).toContain("AGENTS.md")
  expect(addedBy(server, 1)).toContain("Use spaces, never tabs.")
  expect(times(conversationOf(bodiesOf(server).at(-1)), "Use spaces, never tabs.")).toBe(1)
  // The system prompt stays as it was sent.
  expect(JSON.stringify(bodiesOf(server).at(-1))).toContain("Use tabs.")
})

it.concurrent("caps large results when they enter, and never rewrites them", async () => {
  const CALLS = 25
  const server = await serverWith([
    ...Array.from({ length: CALLS }, (_, i) => ({
      text: `Number ${i + 1}.`,
      calls: [{ name: "bash", input: { command: `cat large-${i + 1}.txt` } }],
    })),
    { text: "All read." },
  ])
  const sizes = Array.from({ length: CALLS }, (_, i) => `large-${i + 1}.txt`)
  const line = (name: string) => `${name}: ${"x".repeat(88 - name.length)}\n`
  const files = Object.fromEntries(sizes.map((name) => [name, line(name).repeat(366)]))
  // What is dropped to save money is a rebase, and has its own tests (economy.test.ts).
  const bench = benchWith({ ...files, "sotto.json": '{ "economy": "off" }' })
  const run = talk(bench, server, "--model", "anthropic/claude-opus-5-5", "Read them all.")
  await run.wait({ type: "turn-end", reason: "done", steps: CALLS + 1 })
  expect((await run.end()).code).toBe(0)

  expectClean(server)
  expect(run.all({ type: "rebase" })).toEqual([])
  const results = run.all({ type: "tool-result" })
  expect(results).toHaveLength(CALLS)
  const last = conversationOf(bodiesOf(server).at(-1))
  for (const [i, { output }] of results.entries()) {
    expect(output.length).toBeLessThan(31_000)
    expect(output).toMatch(/\[\d+ of \d+ bytes are not shown; all of it is in .*\]/)
    // What the model gets is what was told, and it is there to the end.
    expect(conversationOf(bodiesOf(server)[i + 1])).toContain(JSON.stringify(output).slice(1, -1))
    expect(last).toContain(JSON.stringify(output).slice(1, -1))
  }
})
