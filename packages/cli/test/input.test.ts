import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { addedBy, bodiesOf, conversationOf, expectClean, times } from "./support/bodies.js"
import { benchWith, serverWith, talk } from "./support/sotto.js"

const WAITING: ScriptStep = { text: "I wait.", calls: [{ name: "bash", input: { command: "cat gate" } }] }

/** A turn that stands still in its first step until the gate is opened. */
async function heldTurn(...steps: readonly ScriptStep[]) {
  const server = await serverWith([WAITING, ...steps])
  const bench = benchWith()
  const gate = bench.gate()
  const run = talk(bench, server, "--model", "anthropic/claude-sonnet-4-5", "Begin.")
  await run.wait({ type: "tool-call", name: "bash" })
  return { server, gate, run }
}

describe.concurrent("say", () => {
  it("is delivered once, however often it comes with the same id", async () => {
    const { server, gate, run } = await heldTurn({ text: "Done." })
    run.say("Once only.", { id: "same" })
    run.say("Once only.", { id: "same" })
    run.say("Last.", { id: "last" })
    await run.wait({ type: "queued", id: "last" })
    await gate.open()
    await run.wait({ type: "turn-end" })
    run.say("Once only.", { id: "same" })
    expect((await run.end()).code).toBe(0)
    // Each time that it comes it is acknowledged.
    expect(run.all({ type: "queued", id: "same" })).toHaveLength(3)
    expect(run.all({ type: "delivered", id: "same" })).toHaveLength(1)
    expect(server.requests).toHaveLength(2)
    expect(times(conversationOf(bodiesOf(server)[1]), "Once only.")).toBe(1)
  })

  it("waits for the end of the turn with after-turn, a turn each, unframed", async () => {
    const { server, gate, run } = await heldTurn({ text: "Done." }, { text: "First." }, { text: "Second." })
    run.say("Then this.", { delivery: "after-turn", id: "a" })
    run.say("And this.", { delivery: "after-turn", id: "b" })
    await run.wait({ type: "queued", id: "b" })
    await gate.open()
    expect((await run.end()).code).toBe(0)
    expect(run.all({ type: "turn-end" }).map(({ steps }) => steps)).toEqual([2, 1, 1])
    expect(run.all({ type: "delivered" }).map(({ id, step }) => [id, step])).toEqual([
      [expect.any(String), 1],
      ["a", 1],
      ["b", 1],
    ])
    expect(addedBy(server, 1)).not.toContain("Then this.")
    expect(addedBy(server, 2)).toContain("Then this.")
    expect(addedBy(server, 2)).not.toContain("while you were working")
    expect(addedBy(server, 3)).toContain("And this.")
    expectClean(server)
  })

  it("interrupts the model with now, and keeps the turn going", async () => {
    const server = await serverWith([{ text: "Too slow.", delay: 60_000 }, { text: "At once." }])
    const run = talk(benchWith(), server, "--model", "anthropic/claude-sonnet-4-5", "Begin.")
    await run.wait({ type: "step", n: 1 })
    run.say("Stop, this instead.", { delivery: "now", id: "now" })
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    expect(run.all({ type: "delivered", id: "now" })).toHaveLength(1)
    expect(run.text()).toBe("At once.")
    expect(addedBy(server, server.requests.length - 1)).toContain("Stop, this instead.")
    expectClean(server)
  })

  it("joins the next step when passive, and wakes nobody", async () => {
    const { server, gate, run } = await heldTurn({ text: "Done." }, { text: "Again." })
    run.say("By the way.", { delivery: "passive", id: "p" })
    await run.wait({ type: "queued", id: "p" })
    await gate.open()
    await run.wait({ type: "turn-end" })
    run.say("Nobody hurries.", { delivery: "passive", id: "q" })
    await run.wait({ type: "queued", id: "q" })
    expect(server.requests).toHaveLength(2)
    run.say("Go on.", { id: "r" })
    await run.wait({ type: "turn-end" }, 2)
    expect((await run.end()).code).toBe(0)
    expect(run.all({ type: "delivered", id: "p" })).toEqual([{ type: "delivered", id: "p", step: 2 }])
    expect(run.all({ type: "delivered", id: "q" })).toHaveLength(1)
    expect(server.requests).toHaveLength(3)
  })

  it.each([
    [{ kind: "task-notification" }, "A background agent completed a task:"],
    ["coordinator", "The coordinator sent a message while you were working:"],
    [{ kind: "channel", server: "ci" }, "A message arrived from ci while you were working:"],
    [{ kind: "human" }, "The user sent a new message while you were working:"],
  ])("is framed by its origin: %j", async (origin, frame) => {
    const { server, gate, run } = await heldTurn({ text: "Done." })
    run.say("The words.", { origin, id: "o" })
    await run.wait({ type: "queued", id: "o" })
    await gate.open()
    expect((await run.end()).code).toBe(0)
    expect(addedBy(server, 1)).toContain(`${frame}\\nThe words.`)
    expect(run.all({ type: "reminder", kind: "queued_command" })).toHaveLength(1)
  })
})

describe.concurrent("edit and cancel", () => {
  it("change what is queued, until it is delivered", async () => {
    const { server, gate, run } = await heldTurn({ text: "Done." }, { text: "More." })
    run.say("Never sent.", { id: "gone" })
    run.say("First draft.", { id: "draft" })
    run.say("Later.", { id: "later" })
    run.send({ type: "cancel", id: "gone" })
    run.send({ type: "edit", id: "draft", text: "Final words." })
    run.send({ type: "edit", id: "later", delivery: "after-turn" })
    await run.wait({ type: "cancelled", id: "gone" })
    run.send({ type: "cancel", id: "gone" })
    expect((await run.wait({ type: "error" })).message).toMatch(/^line 7: .*"gone" is not queued/)
    await gate.open()
    expect((await run.end()).code).toBe(0)
    const all = conversationOf(bodiesOf(server).at(-1))
    expect(all).not.toContain("Never sent.")
    expect(all).not.toContain("First draft.")
    expect(addedBy(server, 1)).toContain("Final words.")
    expect(addedBy(server, 1)).not.toContain("Later.")
    expect(addedBy(server, 2)).toContain("Later.")
    expect(run.all({ type: "delivered", id: "gone" })).toEqual([])
  })
})

describe.concurrent("abort", () => {
  it("ends the turn, keeps what is queued, and the session goes on", async () => {
    const server = await serverWith([{ text: "Too slow.", delay: 60_000 }, { text: "Here again." }])
    const run = talk(benchWith(), server, "--model", "anthropic/claude-opus-5-5", "Begin.")
    await run.wait({ type: "step", n: 1 })
    run.say("Held.", { id: "held" })
    run.send({ type: "abort" })
    expect(await run.wait({ type: "turn-end" })).toMatchObject({ reason: "interrupted", steps: 1 })
    expect(run.all({ type: "interrupted" })).toHaveLength(1)
    run.say("And now?")
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    const newest = conversationOf(bodiesOf(server).at(-1))
    expect([times(newest, "Held."), times(newest, "And now?")]).toEqual([1, 1])
    expectClean(server)
  })

  it("stops a command that runs", async () => {
    const { run } = await heldTurn({ text: "Here again." })
    run.send({ type: "abort" })
    await run.wait({ type: "turn-end", reason: "interrupted" })
    run.say("Go on.")
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
  })
})

describe.concurrent("agent and model", () => {
  it("change who works and what answers, and say so when they cannot", async () => {
    const server = await serverWith([{ text: "One." }, { text: "Two." }])
    const run = talk(benchWith(), server, "--model", "anthropic/claude-opus-5-5", "Begin.")
    await run.wait({ type: "turn-end" })
    run.send({ type: "agent", name: "nobody" })
    expect((await run.wait({ type: "error" })).message).toMatch(/^line 1: .*nobody/)
    run.send({ type: "model", model: "nothing/at-all" })
    expect((await run.wait({ type: "error" }, 2)).message).toMatch(/^line 2: .*nothing\/at-all/)
    run.send({ type: "model", model: "openai/gpt-5.6" })
    run.say("Again.")
    await run.wait({ type: "turn-end" }, 2)
    expect((await run.end()).code).toBe(0)
    expect(run.all({ type: "rebase" })).toEqual([{ type: "rebase", reason: "model" }])
    expect(server.requests.map(({ dialect }) => dialect)).toEqual(["anthropic", "openai"])
    expect(conversationOf(bodiesOf(server)[1])).toContain("Begin.")
  })

  it("an agent brings its own model, unless one is named", async () => {
    const server = await serverWith([{ text: "One." }])
    const review = { mode: "primary", model: "openai/gpt-5.6", prompt: "Review." }
    const bench = benchWith({ "sotto.json": JSON.stringify({ agents: { review } }) })
    for (const named of [[], ["--model", "google/gemini-3-pro"]]) {
      const run = talk(bench, server, "--agent", "review", ...named, "Begin.")
      expect((await run.end()).code).toBe(0)
    }
    expect(server.requests.map(({ dialect }) => dialect)).toEqual(["openai", "gemini"])
  })
})

describe.concurrent("compact", () => {
  const script = {
    counting: "requests" as const,
    steps: [{ text: "One." }, { text: "SUMMARY: the user began." }, { text: "Two." }],
  }
  it("puts a summary in the place of what was said, as a rebase", async () => {
    const server = await serverWith(script)
    const run = talk(benchWith(), server, "--model", "anthropic/claude-opus-5-5", "Begin the long work.")
    await run.wait({ type: "turn-end" })
    run.send({ type: "compact" })
    run.say("Go on.")
    await run.wait({ type: "turn-end" }, 2)
    expect((await run.end()).code).toBe(0)
    expect(run.all({ type: "rebase" })).toEqual([{ type: "rebase", reason: "compaction" }])
    expect(conversationOf(bodiesOf(server)[2])).toContain("SUMMARY: the user began.")
    expect(conversationOf(bodiesOf(server)[2])).not.toContain("One.")
  })

  it("waits for the results in mid-turn, which stay", async () => {
    const server = await serverWith({
      counting: "requests",
      steps: [WAITING, { text: "SUMMARY" }, { text: "Done." }],
    })
    const bench = benchWith()
    const gate = bench.gate()
    const run = talk(bench, server, "--model", "anthropic/claude-opus-5-5", "Begin.")
    await run.wait({ type: "tool-call" })
    run.send({ type: "compact" })
    run.say("In the middle.", { id: "mid" })
    await run.wait({ type: "queued", id: "mid" })
    await gate.open()
    expect((await run.end()).code).toBe(0)
    for (const { problems } of server.requests) expect(problems).toEqual([])
    const [, asked, after] = bodiesOf(server).map(conversationOf)
    expect(asked).not.toContain("In the middle.")
    for (const kept of ["SUMMARY", "cat gate", "open", "In the middle."]) expect(after).toContain(kept)
    expect(after).not.toContain("Begin.")
  })

  it("is finished before the session ends", async () => {
    const server = await serverWith(script)
    const bench = benchWith()
    const run = talk(bench, server, "--model", "anthropic/claude-opus-5-5", "Begin the long work.")
    await run.wait({ type: "turn-end" })
    run.send({ type: "compact" })
    expect((await run.end()).code).toBe(0)
    const again = talk(bench, server, "--continue", "Go on.")
    await again.wait({ type: "turn-end" })
    expect((await again.end()).code).toBe(0)
    expect(conversationOf(bodiesOf(server)[2])).toContain("SUMMARY: the user began.")
  })
})
