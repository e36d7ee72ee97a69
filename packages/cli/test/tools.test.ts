import { describe, expect, it } from "vitest"
import { addedBy, bodiesOf, expectClean, headOf } from "./support/bodies.js"
import { benchWith, finished, reaching, serverWith, talk } from "./support/sotto.js"

const MODEL = ["--model", "anthropic/claude-opus-5-5"]

describe.concurrent("skill", () => {
  it("is listed in the system prompt and gives its instructions", async () => {
    const server = await serverWith([
      { calls: [{ name: "skill", input: { name: "release" } }] },
      { calls: [{ name: "skill", input: { name: "nothing" } }] },
      { text: "Done." },
    ])
    const skill = "---\nname: release\ndescription: How a release is made.\n---\nTag it, then push it.\n"
    const run = talk(benchWith({ ".sotto/skills/release/SKILL.md": skill }), server, ...MODEL, "Release.")
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    expect(headOf(bodiesOf(server)[0] ?? {})).toContain("How a release is made.")
    expect(headOf(bodiesOf(server)[0] ?? {})).not.toContain("Tag it, then push it.")
    expect(run.all({ type: "tool-result" })).toMatchObject([
      { output: expect.stringContaining("Tag it, then push it.") },
      { error: true, output: expect.stringContaining("release") },
    ])
    expectClean(server)
  })
})

describe.concurrent("plan_exit", () => {
  const exit = { calls: [{ name: "plan_exit", input: {} }] }
  const plan = {
    calls: [{ name: "write", input: { path: ".sotto/plans/retry.md", content: "Try thrice." } }],
  }

  it("shows the plan, and switches to build once it is approved", async () => {
    const server = await serverWith([exit, plan, exit, exit, { text: "Done." }])
    const run = talk(benchWith(), server, ...MODEL, "--agent", "plan", "Plan it.")
    const first = await run.wait({
      type: "ask",
      kind: "plan",
      path: ".sotto/plans/retry.md",
      plan: "Try thrice.",
    })
    run.send({ type: "answer", id: first.id, answer: "Say when it gives up." })
    const second = await run.wait({ type: "ask", kind: "plan" }, 2)
    run.send({ type: "answer", id: second.id, answer: "approve" })
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    expect(addedBy(server, 1)).toContain("There is no plan yet")
    expect(addedBy(server, 3)).toContain("did not approve the plan yet: Say when it gives up.")
    expect(addedBy(server, 4)).toContain("The mode changed from plan to build.")
    expect(run.all({ type: "agent" })).toMatchObject([{ name: "build" }])
    expectClean(server)
  })
})

describe.concurrent("bash in the background", () => {
  it("tells when it ends, in a turn of its own", async () => {
    const server = await serverWith([
      { calls: [{ name: "bash", input: { command: "cat gate", background: true } }] },
      { text: "It runs." },
      { text: "It has ended." },
    ])
    const bench = benchWith()
    const gate = bench.gate()
    const run = talk(bench, server, ...MODEL, "Start it.")
    await run.wait({ type: "turn-end", steps: 2 })
    await gate.open()
    await run.wait({ type: "turn-end" }, 2)
    expect((await run.end()).code).toBe(0)
    expect(addedBy(server, 2)).toContain("A background command finished:")
    expect(addedBy(server, 2)).toMatch(/The command .*cat gate.* finished/)
    expectClean(server)
  })

  it("is stopped with the session", async () => {
    const server = await serverWith([
      { calls: [{ name: "bash", input: { command: "cat gate", background: true } }] },
      { text: "It runs." },
    ])
    const bench = benchWith()
    bench.gate()
    const run = talk(bench, server, ...MODEL, "Start it.")
    await run.wait({ type: "turn-end", steps: 2 })
    expect((await run.end()).code).toBe(0)
    expect(server.requests).toHaveLength(2)
  })
})

describe.concurrent("question", () => {
  const asking = [
    { calls: [{ name: "question", input: { question: "Which colour?", options: ["red", "blue"] } }] },
    { text: "Done." },
  ]

  it("is answered by its answer", async () => {
    const server = await serverWith(asking)
    const run = talk(benchWith(), server, ...MODEL, "Paint it.")
    const ask = await run.wait({ type: "ask" })
    expect(ask).toEqual({
      type: "ask",
      id: ask.id,
      kind: "question",
      question: "Which colour?",
      options: ["red", "blue"],
    })
    run.say("red", { id: "no-answer" })
    await run.wait({ type: "queued", id: "no-answer" })
    expect(run.all({ type: "tool-result" })).toEqual([])
    run.send({ type: "answer", id: ask.id, answer: "blue" })
    await run.wait({ type: "turn-end", reason: "done" })
    expect(run.all({ type: "tool-result" })).toMatchObject([{ output: "The user answered: blue" }])
  })

  it("is not waited for where nobody can answer", async () => {
    const server = await serverWith(asking)
    const ended = await finished(benchWith(), ["run", "Paint it.", ...MODEL], reaching(server.url))
    expect(ended.code).toBe(0)
    expect(addedBy(server, 1)).toContain("Nobody is there to answer")
  })
})

describe.concurrent("a carrier that is refused", () => {
  it.each(["anthropic/claude-opus-5-5", "openai/gpt-5.6"])(
    "is given up for another with %s, once, and the turn goes on",
    async (model) => {
      const look = [{ name: "glob", input: { pattern: "*" } }]
      const server = await serverWith([
        { text: "I wait.", calls: [{ name: "bash", input: { command: "cat gate" } }] },
        { text: "I look.", calls: look, fail: [{ refuse: "system" }] },
        { text: "I look again.", calls: look },
        { text: "Done." },
        { text: "And built." },
      ])
      const bench = benchWith({ "AGENTS.md": "Be brief.\n" })
      const gate = bench.gate()
      const run = talk(bench, server, "--agent", "build", "--model", model, "Begin.")
      await run.wait({ type: "tool-call", name: "bash" })
      run.say("By the way.", { id: "mid" })
      await run.wait({ type: "queued", id: "mid" })
      await gate.open()
      await run.wait({ type: "turn-end", reason: "done", steps: 4 })
      run.send({ type: "agent", name: "plan" })
      run.say("Plan the rest.")
      await run.wait({ type: "turn-end" }, 2)
      expect((await run.end()).code).toBe(0)
      expect(run.all({ type: "rebase" })).toEqual([{ type: "rebase", reason: "carrier" }])
      expect(run.all({ type: "error" })).toEqual([])
      expect(server.requests.filter(({ status }) => status === 400)).toHaveLength(1)
      expect(run.all({ type: "delivered", id: "mid" })).toHaveLength(1)
      expect(addedBy(server, 2)).toContain("By the way.")
      expectClean({ ...server, requests: server.requests.slice(2) })
    },
  )
})
