import type { Json } from "@sotto/core"
import type { Script, ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { bodiesOf, conversationOf, times } from "./support/bodies.js"
import { benchWith, reaching, serverWith, sotto } from "./support/sotto.js"

const call = (name: string, input: Record<string, Json>, more: Partial<ScriptStep> = {}): ScriptStep => ({
  ...more,
  calls: [{ name, input }],
})
const SUMMARIES: readonly ScriptStep[] = Array.from({ length: 9 }, (_, i) => ({ text: `SUMMARY-${i + 1}` }))

/** One server for the conversation, another for the summaries. */
async function started(model: string, steps: readonly ScriptStep[], writing: Script, settings: object = {}) {
  const [server, writer] = await Promise.all([
    serverWith({ counting: "requests", steps }),
    serverWith(writing),
  ])
  const config = { agents: { compaction: { model: "openai/gpt-5.6" } }, ...settings }
  const bench = benchWith({
    "sotto.json": JSON.stringify(config),
    "a.txt": `FILE-TEXT\n${"a line of text\n".repeat(100)}`,
  })
  const env = { ...reaching(server.url), OPENAI_BASE_URL: `${writer.url}/v1` }
  const run = sotto(bench, ["run", "--input", "jsonl", "--output", "jsonl", "--model", model, "--yes"], env)
  return { server, writer, run }
}

describe.concurrent("a compaction", () => {
  it("gives the summariser who said what, and what the user wants kept", async () => {
    const { writer, run } = await started(
      "anthropic/claude-sonnet-4-5",
      [call("read", { path: "a.txt" }), { text: "I have READ it." }, { text: "x" }],
      { counting: "requests", steps: SUMMARIES },
    )
    run.send({ type: "agent", name: "plan" })
    run.say("WISH: look at it")
    await run.wait({ type: "turn-end" })
    run.send({ type: "compact", focus: "the FOCUS" })
    run.say("Go on.")
    await run.wait({ type: "turn-end" }, 2)
    await run.end()
    const asked = JSON.stringify(bodiesOf(writer)[0])
    expect(asked).toContain("[the user] WISH: look at it")
    expect(asked).toMatch(/\[the tool read\] 1\\+tFILE-TEXT/)
    expect(asked).toContain("[the harness, plan_mode]")
    expect(asked).toContain("[the agent] I have READ it.")
    expect(asked).toContain("the FOCUS")
    expect(bodiesOf(writer)[0]).not.toHaveProperty("tools")
  })

  it("that fails loses nothing, and is said", async () => {
    const { server, run } = await started("anthropic/claude-sonnet-4-5", [{ text: "ONE" }, { text: "TWO" }], {
      steps: [{ text: "never", fail: Array.from({ length: 9 }, () => ({ status: 400 as const })) }],
    })
    run.say("FIRST words")
    await run.wait({ type: "turn-end" })
    run.send({ type: "compact" })
    const { message } = await run.wait({ type: "error" })
    run.say("SECOND words")
    await run.wait({ type: "turn-end" }, 2)
    await run.end()
    expect(message).toContain("could not be compacted, and stays as it is")
    expect(run.all({ type: "rebase" })).toEqual([])
    expect(conversationOf(bodiesOf(server)[1])).toMatch(/FIRST words.*ONE.*SECOND words/s)
  })

  it("of what is not there yet is refused in words", async () => {
    const { writer, run } = await started("anthropic/claude-sonnet-4-5", [{ text: "x" }], {
      steps: SUMMARIES,
    })
    run.send({ type: "compact" })
    const { message } = await run.wait({ type: "error" })
    await run.end()
    expect(message).toContain("nothing to summarise")
    expect(writer.requests).toHaveLength(0)
  })

  it("comes by itself in the middle of a thinking model's turn, which goes on", async () => {
    const model = "anthropic/claude-opus-5-5"
    const reads = Array.from({ length: 12 }, (_, i) =>
      call("read", { path: "a.txt", offset: i + 1 }, { reasoning: "Hm." }),
    )
    const { server, writer, run } = await started(
      model,
      [...reads, { text: "ALL READ" }],
      { counting: "requests", steps: SUMMARIES },
      { models: { [model]: { contextWindow: 6_000 } }, compaction: { tail: 500 } },
    )
    run.say("WISH: read it all")
    await run.wait({ type: "turn-end", reason: "done", steps: 13 })
    await run.end()
    expect(run.text()).toBe("ALL READ")
    const compactions = run.all({ type: "rebase", reason: "compaction" })
    expect(compactions.length).toBeGreaterThan(0)
    expect(writer.requests).toHaveLength(compactions.length)
    for (const { problems, error } of server.requests) expect({ problems, error }).toEqual({ problems: [] })
    const after = conversationOf(bodiesOf(server).find((body) => conversationOf(body).includes("SUMMARY-1")))
    expect(after).not.toContain("WISH: read it all")
    expect(after).toContain("Go on with what you were doing")
    expect(times(after, "SUMMARY-1")).toBe(1)
  })

  it("is left to the user where they want that", async () => {
    const model = "anthropic/claude-sonnet-4-5"
    const reads = Array.from({ length: 8 }, () => call("read", { path: "a.txt" }))
    const { writer, run } = await started(
      model,
      [...reads, { text: "done" }],
      { steps: SUMMARIES },
      { models: { [model]: { contextWindow: 4_000 } }, compaction: { auto: false } },
    )
    run.say("Read.")
    await run.wait({ type: "turn-end", reason: "done" })
    await run.end()
    expect(writer.requests).toHaveLength(0)
  })
})
