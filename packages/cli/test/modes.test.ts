import { readFileSync, writeFileSync } from "node:fs"
import type { Json } from "@sotto/core"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { addedBy, bodiesOf, conversationOf, expectClean, times } from "./support/bodies.js"
import { benchWith, serverWith, talk } from "./support/sotto.js"

const MODEL = ["--model", "anthropic/claude-sonnet-4-5"]
const PLAN = ".sotto/plans/work.md"
const call = (name: string, input: Record<string, Json>): ScriptStep => ({ calls: [{ name, input }] })
const writePlan = (text: string) => call("write", { path: PLAN, content: text })

describe.concurrent("plan mode", () => {
  it("says which file the plan goes to, and the five phases", async () => {
    const server = await serverWith([{ text: "I plan." }])
    const run = talk(benchWith(), server, ...MODEL, "--agent", "plan")
    run.say("Rework the config loader!")
    await run.wait({ type: "turn-end" })
    await run.end()
    const sent = conversationOf(bodiesOf(server)[0])
    expect(sent).toMatch(/\.sotto\/plans\/\d{4}-\d\d-\d\d-rework-the-config-loader\.md/)
    for (const phase of ["Understand", "Design", "Review", "Write", "Finish"]) expect(sent).toContain(phase)
  })

  it("shows the plan for approval; a refusal with a comment goes on planning, approval goes on to build", async () => {
    const server = await serverWith([
      writePlan("# First draft\n"),
      call("plan_exit", {}),
      call("edit", { path: PLAN, old: "First", new: "Second" }),
      call("plan_exit", {}),
      call("write", { path: "done.txt", content: "built\n" }),
      { text: "Carried out." },
    ])
    const bench = benchWith()
    const run = talk(bench, server, ...MODEL, "--agent", "plan", "--yes")
    run.say("Plan it.")
    const first = await run.wait({ type: "ask", kind: "plan" })
    expect(first).toMatchObject({ path: PLAN, plan: "# First draft\n" })
    run.send({ type: "answer", id: first.id, answer: "mention the tests" })
    const second = await run.wait({ type: "ask", kind: "plan" }, 2)
    expect(second).toMatchObject({ plan: "# Second draft\n" })
    run.send({ type: "answer", id: second.id, answer: "approve" })
    await run.wait({ type: "turn-end", reason: "done" })
    await run.end()
    expect(addedBy(server, 2)).toContain("mention the tests")
    expect(addedBy(server, 2)).not.toContain("The mode changed")
    expect(addedBy(server, 4)).toContain("The mode changed from plan to build")
    expect(addedBy(server, 4)).toContain("Carry out the plan")
    expect(readFileSync(bench.path("done.txt"), "utf8")).toBe("built\n")
    expectClean(server)
  })

  it("offers the plan that exists when it is entered again", async () => {
    const server = await serverWith([writePlan("# PLAN-BODY\n"), { text: "a" }, { text: "b" }, { text: "c" }])
    const run = talk(benchWith(), server, ...MODEL, "--agent", "plan")
    run.say("Plan it.")
    await run.wait({ type: "turn-end" })
    run.send({ type: "agent", name: "build" })
    run.say("Build something else.")
    await run.wait({ type: "turn-end" }, 2)
    run.send({ type: "agent", name: "plan" })
    run.say("Plan again.")
    await run.wait({ type: "turn-end" }, 3)
    await run.end()
    expect(addedBy(server, 2)).not.toContain("PLAN-BODY")
    expect(addedBy(server, 3)).toMatch(/There is a plan from before.*PLAN-BODY/s)
    expectClean(server)
  })

  it("says nothing when it is entered and left between two requests", async () => {
    const server = await serverWith([{ text: "a" }, { text: "b" }])
    const run = talk(benchWith(), server, ...MODEL)
    run.say("One.")
    await run.wait({ type: "turn-end" })
    run.send({ type: "agent", name: "plan" })
    run.send({ type: "agent", name: "build" })
    run.say("Two.")
    await run.wait({ type: "turn-end" }, 2)
    await run.end()
    expect(run.all({ type: "reminder" })).toEqual([])
  })
})

describe.concurrent("auto mode", () => {
  it("allows what would be asked, and the model is told when it goes on and off", async () => {
    const server = await serverWith([
      call("write", { path: "a.txt", content: "a" }),
      { text: "one" },
      call("write", { path: "b.txt", content: "b" }),
      { text: "two" },
    ])
    const bench = benchWith()
    const run = talk(bench, server, ...MODEL)
    run.send({ type: "auto", on: true })
    run.say("Write a.")
    await run.wait({ type: "turn-end" })
    run.send({ type: "auto", on: false })
    run.say("Write b.")
    const asked = await run.wait({ type: "ask", kind: "permission" })
    run.send({ type: "answer", id: asked.id, answer: "no" })
    await run.wait({ type: "turn-end" }, 2)
    await run.end()
    expect(conversationOf(bodiesOf(server)[0])).toContain("Auto mode is on")
    expect(addedBy(server, 2)).toContain("Auto mode is off")
    expect(readFileSync(bench.path("a.txt"), "utf8")).toBe("a")
    expectClean(server)
  })
})

describe.concurrent("output styles", () => {
  it("are told once, built in or the user's own, and taken back", async () => {
    const server = await serverWith([{ text: "a" }, { text: "b" }, { text: "c" }])
    const bench = benchWith({
      ".sotto/styles/pirate.md": "---\ndescription: Like a pirate.\n---\nSTYLE-BODY: talk like a pirate.\n",
    })
    const run = talk(bench, server, ...MODEL)
    run.send({ type: "style", name: "pirate" })
    run.say("One.")
    await run.wait({ type: "turn-end" })
    run.send({ type: "style", name: "concise" })
    run.say("Two.")
    await run.wait({ type: "turn-end" }, 2)
    run.send({ type: "style", name: "default" })
    run.say("Three.")
    await run.wait({ type: "turn-end" }, 3)
    run.send({ type: "style", name: "baroque" })
    const { message } = await run.wait({ type: "error" })
    await run.end()
    expect(message).toMatch(/no output style "baroque".*default, explanatory, concise, pirate/)
    expect(conversationOf(bodiesOf(server)[0])).toContain("STYLE-BODY")
    expect(addedBy(server, 1)).toContain("The output style concise is active")
    expect(addedBy(server, 2)).toContain("no longer applies")
    expect(times(conversationOf(bodiesOf(server)[2]), "STYLE-BODY")).toBe(1)
    expectClean(server)
  })
})

describe.concurrent("--yes", () => {
  it("is told to the model, as auto mode is", async () => {
    const server = await serverWith([call("write", { path: "a.txt", content: "a" }), { text: "Done." }])
    const run = talk(benchWith(), server, ...MODEL, "--yes", "Write it.")
    await run.wait({ type: "turn-end", reason: "done" })
    await run.end()
    expect(times(conversationOf(bodiesOf(server)[1]), "Auto mode is on")).toBe(1)
    expect(run.all({ type: "ask" })).toEqual([])
  })
})

describe.concurrent("the last step", () => {
  it("forbids tools, refuses a call all the same, and says how to go on", async () => {
    const server = await serverWith([
      call("read", { path: "a.txt" }),
      { ...call("read", { path: "a.txt" }), text: "I would read more.", disobey: true },
      { text: "Going on." },
    ])
    const run = talk(benchWith({ "a.txt": "text\n" }), server, ...MODEL, "--max-steps", "2")
    run.say("Work.")
    await run.wait({ type: "turn-end", reason: "max-steps", steps: 2 })
    run.say("Go on.")
    await run.wait({ type: "turn-end" }, 2)
    await run.end()
    const [, last, next] = bodiesOf(server)
    expect(last).toMatchObject({ tool_choice: { type: "none" } })
    expect(addedBy(server, 1)).toMatch(/last step/i)
    expect(conversationOf(next)).toContain("Not run: no tools can be called on the last step")
    expect(run.all({ type: "tool-call" })).toHaveLength(1)
  })
})

describe.concurrent("limits", () => {
  const reads = Array.from({ length: 6 }, () => call("read", { path: "a.txt" }))

  it("of a turn end it, are said, and the next prompt goes on", async () => {
    const server = await serverWith({ counting: "requests", steps: [...reads, { text: "end" }] })
    const bench = benchWith({ "a.txt": "text\n", "sotto.json": '{"limits":{"turn":{"steps":3}}}' })
    const run = talk(bench, server, ...MODEL)
    run.say("Work.")
    await run.wait({ type: "turn-end", reason: "limit", steps: 3 })
    expect(run.all({ type: "error" })[0]?.message).toMatch(/limit of 3 steps.*limits\.turn.*Say something/)
    run.say("Go on.")
    await run.wait({ type: "turn-end", reason: "limit" }, 2)
    await run.end()
    expect(server.requests).toHaveLength(6)
    expectClean(server)
  })

  it("of a session count money where prices are known, and give as much again to who goes on", async () => {
    const server = await serverWith([...reads, { text: "end" }])
    const config = {
      limits: { session: { cost: 0.02 } },
      models: {
        "anthropic/claude-sonnet-4-5": { price: { input: 3, output: 15, cacheRead: 3, cacheWrite: 3 } },
      },
    }
    const bench = benchWith({ "a.txt": "text\n", "sotto.json": JSON.stringify(config) })
    const run = talk(bench, server, ...MODEL)
    run.say("Work.")
    await run.wait({ type: "turn-end", reason: "limit" })
    expect(run.all({ type: "error" })[0]?.message).toMatch(/limit of \$0\.02.*as much again/)
    const before = server.requests.length
    run.say("Go on.")
    await run.wait({ type: "turn-end" }, 2)
    await run.end()
    expect(server.requests.length).toBeGreaterThan(before)
  })
})

describe.concurrent("a session that is opened again later", () => {
  it("tells once what changed meanwhile, as differences", async () => {
    const server = await serverWith([
      call("read", { path: "a.txt" }),
      { text: "read" },
      { text: "x" },
      { text: "y" },
    ])
    const bench = benchWith({
      "a.txt": "OLD-LINE\n",
      "AGENTS.md": "RULE-ONE\n",
      ".git/HEAD": "ref: refs/heads/main\n",
    })
    const first = talk(bench, server, ...MODEL)
    first.say("Read it.")
    await first.wait({ type: "turn-end" })
    await first.end()
    const [{ id }] = first.all({ type: "session" }) as unknown as [{ id: string }]
    writeFileSync(bench.path("a.txt"), "NEW-LINE\n")
    writeFileSync(bench.path("AGENTS.md"), "RULE-TWO\n")
    writeFileSync(bench.path(".git/HEAD"), "ref: refs/heads/feature\n")
    const second = talk(bench, server, ...MODEL, "--session", id)
    second.say("Go on.")
    await second.wait({ type: "turn-end" })
    second.say("And on.")
    await second.wait({ type: "turn-end" }, 2)
    await second.end()
    const told = addedBy(server, 2)
    for (const change of ["NEW-LINE", "RULE-TWO", "branch feature"]) expect(told).toContain(change)
    const later = addedBy(server, 3)
    for (const change of ["NEW-LINE", "RULE-TWO", "branch feature"]) expect(later).not.toContain(change)
    expectClean(server)
  })
})

describe.concurrent("the examples of the seed (001, 6)", () => {
  it("are what is sent: the user's words, then the reminder of the mode, as a text of its own", async () => {
    const server = await serverWith([{ text: "A plan." }, { text: "Built." }])
    const run = talk(benchWith(), server, ...MODEL, "--agent", "plan")
    run.say("Help me refactor the authentication module")
    await run.wait({ type: "turn-end" })
    run.send({ type: "agent", name: "build" })
    run.say("Go ahead and implement the plan")
    await run.wait({ type: "turn-end" }, 2)
    await run.end()
    const messages = bodiesOf(server).map((body) => (body.messages as readonly unknown[]).at(-1))
    const reminder = (about: RegExp) => ({
      type: "text",
      text: expect.stringMatching(
        new RegExp(`^<system-reminder>\\n.*${about.source}.*</system-reminder>$`, "s"),
      ),
    })
    expect(messages).toMatchObject([
      {
        role: "user",
        content: [
          { type: "text", text: "Help me refactor the authentication module" },
          reminder(/Plan mode is active/),
        ],
      },
      {
        role: "user",
        content: [
          { type: "text", text: "Go ahead and implement the plan" },
          reminder(/The mode changed from plan to build/),
        ],
      },
    ])
  })
})
