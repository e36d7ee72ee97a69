import type { ScriptedCall, ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { addedBy, bodiesOf, conversationOf, expectClean, times } from "./support/bodies.js"
import { benchWith, serverWith, talk } from "./support/sotto.js"

const MODELS = [
  "anthropic/claude-sonnet-4-5",
  "anthropic/claude-opus-5-5",
  "openai/gpt-5.6",
  "openai-chat/gpt-5.6",
  "openai-chat/qwen3-coder",
  "google/gemini-3-pro",
]

const STEPS = 20
const WORDS = "Also mention the licence."
const FRAME = "sent a new message while you were working"

/** Step 8 stands still until the test lets it go on. */
function callAt(n: number): ScriptedCall {
  if (n === 8) return { name: "bash", input: { command: "cat gate" } }
  const calls: readonly ScriptedCall[] = [
    { name: "read", input: { path: "src/a.ts" } },
    { name: "glob", input: { pattern: "**/*.ts" } },
    { name: "bash", input: { command: "ls" } },
    { name: "grep", input: { pattern: "export" } },
    { name: "todo_write", input: { todos: [{ content: `Step ${n}`, status: "in_progress" }] } },
  ]
  return calls[n % calls.length] ?? { name: "glob" }
}

const script: readonly ScriptStep[] = [
  ...Array.from({ length: STEPS - 1 }, (_, i) => ({
    reasoning: `Thinking about ${i + 1}.`,
    text: `This is step ${i + 1}.`,
    calls: [callAt(i + 1)],
  })),
  { text: "All of it is done." },
  { text: "Now I build.", calls: [{ name: "glob", input: { pattern: "*.md" } }] },
  { text: "Built." },
]

describe.concurrent.each(MODELS)("a turn of twenty steps with %s", (model) => {
  it("takes a message in mid-turn and a change of agent between turns, and changes no byte", async () => {
    const server = await serverWith(script)
    const bench = benchWith({ "src/a.ts": "export const a = 1\n", "AGENTS.md": "Be brief.\n" })
    const gate = bench.gate()
    const run = talk(bench, server, "--model", model, "--agent", "plan", "Read it all.")

    await run.wait({ type: "step", n: 8 })
    run.say(WORDS, { id: "mid" })
    await run.wait({ type: "queued", id: "mid" })
    await gate.open()
    expect(await run.wait({ type: "turn-end" })).toMatchObject({ reason: "done", steps: STEPS })

    run.send({ type: "agent", name: "build" })
    await run.wait({ type: "agent", name: "build" })
    run.say("Carry on.")
    await run.wait({ type: "turn-end" }, 2)
    expect((await run.end()).code).toBe(0)

    expect(run.all({ type: "tool-result", error: true })).toEqual([])
    expect(server.requests).toHaveLength(STEPS + 2)
    expectClean(server)
    expect(run.all({ type: "rebase" })).toEqual([])

    const said = bodiesOf(server).map((body) => times(conversationOf(body), WORDS))
    expect(said).toEqual([...Array(8).fill(0), ...Array(STEPS + 2 - 8).fill(1)])
    expect(addedBy(server, 8)).toContain(WORDS)
    expect(addedBy(server, 8)).toContain(FRAME)
    expect(times(conversationOf(bodiesOf(server).at(-1)), FRAME)).toBe(1)
    expect(run.all({ type: "delivered", id: "mid" })).toEqual([{ type: "delivered", id: "mid", step: 9 }])

    const switched = run.all({ type: "reminder", kind: "build_switch" })
    expect(switched).toHaveLength(1)
    expect(addedBy(server, STEPS)).toContain("from plan to build")
  })
})
