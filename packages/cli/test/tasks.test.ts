import { readFileSync } from "node:fs"
import type { ScriptedCall, ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { addedBy, bodiesOf, conversationOf, expectClean, opening, times } from "./support/bodies.js"
import { benchWith, finished, reaching, serverWith, sotto, talk } from "./support/sotto.js"

const MODEL = ["--model", "anthropic/claude-sonnet-4-5"]
const FRAME = "A background agent completed a task:"
const COMMAND_FRAME = "A background command finished:"

const call = (name: string, input: ScriptedCall["input"] = {}): ScriptStep => ({ calls: [{ name, input }] })
const bash = (command: string, background = false) =>
  call("bash", { command, ...(background && { background }) })
const status = (input: ScriptedCall["input"]) => call("task_status", input)
const helper = (prompt: string) => ({ name: "task", input: { agent: "general", prompt, background: true } })

describe.concurrent("a command in the background", () => {
  it("that ends in the middle of a turn is told at the next boundary, once", async () => {
    const server = await serverWith([
      bash("cat slow; echo last words", true),
      bash("cat gate"),
      { text: "Both are done." },
    ])
    const bench = benchWith()
    const [slow, gate] = [bench.gate("slow"), bench.gate()]
    const run = talk(bench, server, ...MODEL, "Begin.")
    await run.wait({ type: "tool-call", name: "bash" }, 2)
    await slow.open()
    await run.wait({ type: "queued" }, 2)
    await gate.open()
    await run.wait({ type: "turn-end", reason: "done", steps: 3 })
    expect((await run.end()).code).toBe(0)
    expect(times(addedBy(server, 2), COMMAND_FRAME)).toBe(1)
    expect(addedBy(server, 2)).toMatch(
      /cat slow.* \(bash-1\) finished\. Its output is in .*bash-1-\w+\.txt, lately:\\nopen\\nlast words/,
    )
    expectClean(server)
  })

  it("shows what is new since it was last told, when asked", async () => {
    const server = await serverWith([
      bash("echo one; echo > ready; cat slow; echo two; echo > ready; cat slow", true),
      bash("cat ready"),
      status({ id: "bash-1" }),
      bash("echo > slow; cat ready"),
      status({ id: "bash-1" }),
      status({ id: "bash-1" }),
      status({ id: "bash-7" }),
      { text: "I have seen it." },
    ])
    const bench = benchWith()
    bench.gate("slow")
    bench.gate("ready")
    const run = talk(bench, server, ...MODEL, "--yes", "Begin.")
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    expect(addedBy(server, 3)).toMatch(/bash-1 \(command, running\).*New since you were last told:\\none"/)
    expect(addedBy(server, 5)).toContain("two")
    expect(addedBy(server, 5)).not.toMatch(/\\none\b/)
    expect(addedBy(server, 6)).toContain("Nothing new since you were last told.")
    expect(addedBy(server, 7)).toContain('There is no task \\"bash-7\\". There are: bash-1.')
    expectClean(server)
  })

  it("is stopped by the model, and then reported as stopped and not as ended", async () => {
    const server = await serverWith([
      bash("echo begun; echo > ready; cat slow", true),
      bash("cat ready"),
      status({ id: "bash-1", stop: true }),
      status({}),
      { text: "Enough." },
    ])
    const bench = benchWith()
    bench.gate("slow")
    bench.gate("ready")
    const run = talk(bench, server, ...MODEL, "--yes", "Begin.")
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    const told = addedBy(server, 3)
    expect(told).toContain("bash-1 is stopped.")
    expect(told).toMatch(
      /The background command bash-1 \(echo begun.*\) was stopped by you\. Its output is in .*begun/,
    )
    expect(run.all({ type: "reminder", kind: "task_status" })).toHaveLength(1)
    expect(addedBy(server, 4)).toContain("bash-1 (command, stopped)")
    expect(conversationOf(bodiesOf(server).at(-1))).not.toContain(COMMAND_FRAME)
    expectClean(server)
  })

  it("goes on when the turn is aborted", async () => {
    const server = await serverWith([bash("cat slow", true), bash("cat gate"), { text: "It has ended." }])
    const bench = benchWith()
    const slow = bench.gate("slow")
    bench.gate()
    const run = talk(bench, server, ...MODEL, "Begin.")
    await run.wait({ type: "tool-call", name: "bash" }, 2)
    run.send({ type: "abort" })
    await run.wait({ type: "turn-end", reason: "interrupted" })
    await slow.open()
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    expect(addedBy(server, 2)).toMatch(/cat slow.* \(bash-1\) finished/)
  })

  it("that still runs after a compaction is told again", async () => {
    const steps = [bash("cat slow", true), { text: "It runs." }, { text: "A summary." }, { text: "I know." }]
    const server = await serverWith({ counting: "requests", steps })
    const bench = benchWith()
    bench.gate("slow")
    const run = talk(bench, server, ...MODEL, "Begin.")
    await run.wait({ type: "turn-end", steps: 2 })
    run.send({ type: "compact" })
    run.say("What is going on?")
    await run.wait({ type: "turn-end" }, 2)
    expect((await run.end()).code).toBe(0)
    const last = conversationOf(bodiesOf(server).at(-1))
    expect(last).toMatch(
      /The background command bash-1 \(cat slow\) is still running\..*Do not start it again\./,
    )
  })
})

describe.concurrent("agents in the background", () => {
  it("each report once, in the order in which they end, and keep a file of what they do", async () => {
    const server = await serverWith({
      steps: [
        { calls: [helper("The first part."), helper("The second part.")] },
        { text: "Both work." },
        { text: "The second is done." },
        status({ id: "agent-1" }),
        { text: "So is the first." },
      ],
      scripts: [
        { when: "The first part.", steps: [bash("cat first"), { text: "First report." }] },
        { when: "The second part.", steps: [bash("cat second"), { text: "Second report." }] },
      ],
    })
    const bench = benchWith()
    const [first, second] = [bench.gate("first"), bench.gate("second")]
    const run = talk(bench, server, ...MODEL, "Begin.")
    await run.wait({ type: "turn-end", steps: 2 })
    await second.open()
    await run.wait({ type: "turn-end" }, 2)
    await first.open()
    await run.wait({ type: "turn-end" }, 3)
    expect((await run.end()).code).toBe(0)
    const parent = opening(server, "Begin.")
    expect(parent.requests).toHaveLength(5)
    expect(addedBy(parent, 2)).toMatch(/The agent general \(agent-\d\) reports:\\nSecond report\./)
    expect(addedBy(parent, 3)).toMatch(/The agent general \(agent-\d\) reports:\\nFirst report\./)
    expect(times(conversationOf(bodiesOf(parent).at(-1)), FRAME)).toBe(2)
    const looked = addedBy(parent, 4)
    expect(looked).toContain("agent-1 (agent, finished): general: The first part.")
    expect(looked).toMatch(/New since you were last told:.*bash .*cat first.*First report\./)
    const [, path = ""] = /Its output is in (.+?)\.\\n/.exec(looked) ?? []
    expect(readFileSync(path, "utf8")).toMatch(/^Session .+\nbash .+\nFirst report\.\n$/)
    expectClean(parent)
  })

  it("that fail are told as failed, with why", async () => {
    const fail = Array(9).fill({ status: 400, message: "No such thing." })
    const server = await serverWith({
      steps: [{ calls: [helper("Try it.")] }, bash("cat gate"), status({}), { text: "A pity." }],
      scripts: [{ when: "Try it.", steps: [{ text: "Never.", fail }] }],
    })
    const bench = benchWith()
    const gate = bench.gate()
    const run = talk(bench, server, ...MODEL, "Begin.")
    await run.wait({ type: "queued" }, 2)
    await gate.open()
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    const parent = opening(server, "Begin.")
    const all = conversationOf(bodiesOf(parent).at(-1))
    expect(all).toMatch(
      /The agent general \(agent-1\) reports:\\nIt failed: .*No such thing \(anthropic\/claude-sonnet-4-5 at http:[^ ]+\)\./,
    )
    expect(all).toContain("agent-1 (agent, failed)")
  })

  it("and commands that a killed program left are told as stopped when it is resumed, once", async () => {
    const server = await serverWith({
      steps: [
        // One that is allowed, not one that only reads: that one is confined, and ends with the program.
        { calls: [helper("Go."), { name: "bash", input: { command: "cat slow; : > x", background: true } }] },
        { text: "Both work." },
        status({}),
        bash("cat slow; : > x", true),
        { text: "I start it again." },
        { text: "Nothing new." },
      ],
      scripts: [{ when: "Go.", steps: [bash("cat gate"), { text: "Never." }] }],
    })
    const bench = benchWith()
    const slow = bench.gate("slow")
    bench.gate()
    const run = talk(bench, server, ...MODEL, "--yes", "Begin.")
    await run.wait({ type: "progress" })
    await run.wait({ type: "turn-end", steps: 2 })
    run.signal("SIGKILL")
    await run.ended
    const again = talk(bench, server, ...MODEL, "--yes", "--continue", "Go on.")
    await again.wait({ type: "turn-end", reason: "done" })
    const parent = opening(server, "Begin.")
    expect(addedBy(parent, 2)).toMatch(
      /The background agent agent-1 \(general: Go\.\) was stopped\..*It ended with the program that ran it\./,
    )
    expect(addedBy(parent, 2)).toMatch(
      /The background command bash-2 \(cat slow; : > x\) was stopped\..*Its processes may still run.*kill -- -\d+/,
    )
    expect(addedBy(parent, 3)).toContain("There are no background tasks.")
    expect(addedBy(parent, 4)).toContain("Started in the background as bash-3.")
    again.say("And now?")
    await again.wait({ type: "turn-end" }, 2)
    // Both the one that was left behind and the new one wait at it.
    await Promise.all([slow.open(), slow.open()])
    expect((await again.end()).code).toBe(0)
    expect(again.all({ type: "reminder", kind: "task_status" })).toHaveLength(2)
    expectClean({ ...parent, requests: parent.requests.slice(0, 6) })
    const { out } = await finished(bench, ["sessions"])
    expect(out.trim().split("\n")).toHaveLength(2)
  })
})

it("all the tools together leave the first request small", async () => {
  const server = await serverWith([{ text: "Hello." }])
  const bench = benchWith()
  const run = sotto(bench, ["run", "Hello.", "--quiet", ...MODEL], reaching(server.url))
  expect((await run.end()).code).toBe(0)
  const [body] = bodiesOf(server)
  expect(JSON.stringify(body).length).toBeLessThan(9_000)
  const tools = (body?.tools ?? []) as readonly { readonly name: string }[]
  const names = tools.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining(["task", "task_status", "task_create", "task_update", "message"]),
  )
})
