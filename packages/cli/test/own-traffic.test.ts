import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ScriptedCall, ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { bodiesOf } from "./support/bodies.js"
import { type Bench, benchWith, finished, serverWith, talk } from "./support/sotto.js"

const MODELS = [
  "anthropic/claude-opus-5-5",
  "anthropic/claude-sonnet-4-5",
  "openai/gpt-5.6",
  "openai-chat/gpt-5.6",
  "openai-chat/qwen3-coder",
  "google/gemini-3-pro",
]

const FILES = {
  "sotto.json": JSON.stringify({ maxSteps: 6, collectTimeout: 30_000 }),
  "AGENTS.md": "Be brief.\n",
  "a.ts": "export const a = 1\n",
}

const step = (n: number, call: ScriptedCall): ScriptStep => ({
  reasoning: `Thinking about ${n}.`,
  text: `This is step ${n}.`,
  calls: [call],
})
const LOOK: ScriptedCall = { name: "glob", input: { pattern: "*" } }

const SCRIPT: readonly ScriptStep[] = [
  step(1, { name: "read", input: { path: "a.ts" } }),
  step(2, { name: "bash", input: { command: "cat gate" } }),
  step(3, LOOK),
  { text: "Planned." },
  // The second turn uses up its steps.
  ...[5, 6, 7, 8, 9].map((n) => step(n, LOOK)),
  { text: "I stop here." },
  { text: "One more answer." },
]

/** Runs a session in which much happens between the requests, and returns what was sent, as a recording. */
async function recorded(model: string): Promise<{ readonly bench: Bench; readonly file: string }> {
  const server = await serverWith(SCRIPT)
  const bench = benchWith(FILES)
  const gate = bench.gate()
  const run = talk(bench, server, "--yes", "--model", model, "--agent", "plan", "Look around.")
  await run.wait({ type: "tool-call", name: "bash" })
  run.say("Also mention the licence.", { id: "mid" })
  await run.wait({ type: "queued", id: "mid" })
  writeFileSync(bench.path("a.ts"), "export const a = 2\n")
  writeFileSync(bench.path("AGENTS.md"), "Be brief and kind.\n")
  await gate.open()
  await run.wait({ type: "turn-end" })
  run.send({ type: "agent", name: "build" })
  await run.wait({ type: "agent", name: "build" })
  run.say("Carry on.")
  await run.wait({ type: "turn-end", reason: "max-steps" })
  run.say("And now?")
  await run.wait({ type: "turn-end" }, 3)
  expect((await run.end()).code).toBe(0)
  for (const kind of ["edited_text_file", "instructions_change", "build_switch", "max_steps"])
    expect(run.all({ type: "reminder" })).toContainEqual(expect.objectContaining({ kind }))
  expect(server.requests).toHaveLength(SCRIPT.length)

  const file = join(bench.home, "recording.jsonl")
  const name = model.split("/")[1]
  // Gemini's model stands in the address, which a list of bodies does not have.
  const lines = bodiesOf(server).map((body) =>
    JSON.stringify({ model: name, body: { model: name, ...body } }),
  )
  writeFileSync(file, `${lines.join("\n")}\n`)
  return { bench, file }
}

describe.concurrent.each(MODELS)("sotto check on what Sotto itself sends to %s", (model) => {
  it("finds no break, and nothing but the last step's choice of tools and a user's words in mid-turn", async () => {
    const { bench, file } = await recorded(model)
    const { code, out, err } = await finished(bench, ["check", file, "--json", "--max-breaks", "0"])
    const { threads, findings } = JSON.parse(out)
    expect(threads).toMatchObject([{ purpose: "main", calls: SCRIPT.length, breaks: [] }])
    // A model that takes system messages gets the words as they are, behind the results, and the frame in such a message.
    const words = model === "anthropic/claude-opus-5-5" ? ["text-after-result"] : []
    const known = model.startsWith("anthropic/") ? [...words, "last-call"] : []
    expect(findings.map(({ id }: { readonly id: string }) => id)).toEqual(known)
    expect({ code, err }).toEqual({ code: 0, err: "" })
  })
})
