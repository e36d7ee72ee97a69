import { existsSync } from "node:fs"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { addedBy, bodiesOf, conversationOf, expectClean } from "./support/bodies.js"
import { type Bench, benchWith, finished, reaching, serverWith, sotto } from "./support/sotto.js"

const task = (agent: string, background = false): ScriptStep => ({
  text: "I have it done.",
  calls: [{ name: "task", input: { agent, prompt: "Do your part.", ...(background && { background }) } }],
})
const WRITING: ScriptStep = { calls: [{ name: "write", input: { path: "child.txt", content: "child\n" } }] }

/** The parent is served by one stand-in, its subagents by another. */
async function family(
  parent: readonly ScriptStep[],
  child: readonly ScriptStep[],
  ...args: readonly string[]
) {
  const [servers, bench] = [await Promise.all([serverWith(parent), serverWith(child)]), familyBench()]
  const [above, below] = servers
  const env = { ...reaching(above.url), OPENAI_BASE_URL: `${below.url}/v1` }
  const flags = ["--input", "jsonl", "--output", "jsonl", "--model", "anthropic/claude-sonnet-4-5"]
  return { above, below, bench, run: sotto(bench, ["run", "Begin.", ...flags, ...args], env) }
}

function familyBench(): Bench {
  const model = { model: "openai/gpt-5.6" }
  return benchWith({ "sotto.json": JSON.stringify({ agents: { general: model, explore: model } }) })
}

describe.concurrent("task", () => {
  it("gives back the report of a subagent, a session of its own", async () => {
    const { above, below, bench, run } = await family(
      [task("explore"), { text: "Thanks." }],
      [{ calls: [{ name: "glob", input: { pattern: "*" } }] }, { text: "Found: one file." }],
    )
    await run.wait({ type: "turn-end", reason: "done", steps: 2 })
    expect((await run.end()).code).toBe(0)
    expect(run.all({ type: "tool-result" })).toMatchObject([{ output: "Found: one file." }])
    expect(run.text()).toBe("I have it done.Thanks.")
    expect(below.requests).toHaveLength(2)
    expect(conversationOf(bodiesOf(below)[0])).toContain("Do your part.")
    expectClean(above)
    expectClean(below)
    const { out } = await finished(bench, ["sessions"])
    expect(out.trim().split("\n")).toHaveLength(2)
    expect(out).toContain(`(of ${run.all({ type: "session" })[0]?.id})`)
  })

  it("takes the parent's model unless the agent has its own", async () => {
    const server = await serverWith({
      counting: "requests",
      steps: [task("general"), { text: "Report." }, { text: "Thanks." }],
    })
    const bench = benchWith()
    const args = ["run", "Begin.", "--model", "openai-chat/qwen3-coder", "--quiet"]
    expect(await finished(bench, args, reaching(server.url))).toMatchObject({ code: 0 })
    expect(server.requests.map(({ dialect }) => dialect)).toEqual(Array(3).fill("openai-chat"))
    expect(bodiesOf(server).map(({ model }) => model)).toEqual(Array(3).fill("qwen3-coder"))
  })

  it("says which subagents there are when there is none of that name", async () => {
    const { run } = await family([task("nobody"), { text: "Oh." }], [{ text: "Never." }])
    await run.wait({ type: "turn-end" })
    const [result] = run.all({ type: "tool-result", error: true })
    expect(result?.output).toMatch(/no subagent "nobody".*general, explore, scout/)
  })
})

describe.concurrent("task in the background", () => {
  it("returns at once, and its report comes as a framed message of its own", async () => {
    const { above, bench, run } = await family(
      [task("general", true), { text: "I go on." }, { text: "I have read the report." }],
      [{ calls: [{ name: "bash", input: { command: "cat gate" } }] }, { text: "It is done." }],
    )
    const gate = bench.gate()
    await run.wait({ type: "turn-end", reason: "done", steps: 2 })
    expect(above.requests).toHaveLength(2)
    await gate.open()
    await run.wait({ type: "turn-end" }, 2)
    expect((await run.end()).code).toBe(0)
    const report = addedBy(above, 2)
    expect(report).toContain("A background agent completed a task:")
    expect(report).toContain("It is done.")
    expect(run.all({ type: "reminder", kind: "queued_command" })).toHaveLength(1)
    expectClean(above)
  })

  it("is waited for when stdin is closed", async () => {
    const { above, bench, run } = await family(
      [task("general", true), { text: "I go on." }, { text: "I have read the report." }],
      [{ calls: [{ name: "bash", input: { command: "cat gate" } }] }, { text: "It is done." }],
    )
    const gate = bench.gate()
    const ended = run.end()
    await run.wait({ type: "turn-end", reason: "done", steps: 2 })
    await gate.open()
    expect((await ended).code).toBe(0)
    expect(above.requests).toHaveLength(3)
    expect(run.text()).toContain("I have read the report.")
  })

  it("ends with the session when that is interrupted", async () => {
    const { run } = await family(
      [task("general", true), { text: "I go on." }],
      [{ text: "Too slow.", delay: 60_000 }],
    )
    await run.wait({ type: "turn-end", steps: 2 })
    run.signal("SIGINT")
    const { code, err } = await run.ended
    expect({ code, err }).toEqual({ code: 130, err: "" })
  })
})

describe.concurrent("a subagent", () => {
  it("never may more than its parent", async () => {
    const bash = { calls: [{ name: "bash", input: { command: "echo no > shell.txt" } }] }
    const { below, bench, run } = await family(
      [task("general"), { text: "Then not." }],
      [WRITING, bash, { text: "I could not." }],
      "--agent",
      "plan",
      "--yes",
    )
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    expect(below.requests).toHaveLength(3)
    expect(existsSync(bench.path("child.txt"))).toBe(false)
    expect(existsSync(bench.path("shell.txt"))).toBe(false)
    expect(addedBy(below, 1)).toContain("child.txt` was not changed")
  })

  it("asks the user where its parent would", async () => {
    const { bench, run } = await family([task("general"), { text: "Good." }], [WRITING, { text: "Written." }])
    const { id } = await run.wait({ type: "ask", kind: "permission", agent: "general", target: "child.txt" })
    expect(existsSync(bench.path("child.txt"))).toBe(false)
    run.send({ type: "answer", id, answer: "allow" })
    await run.wait({ type: "turn-end", reason: "done" })
    expect(existsSync(bench.path("child.txt"))).toBe(true)
  })
})
