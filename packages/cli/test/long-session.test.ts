import { writeFileSync } from "node:fs"
import type { Json } from "@sotto/core"
import { expectAppendOnly } from "@sotto/core/testing"
import type { HarnessEvent } from "@sotto/harness"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { bodiesOf, conversationOf, headOf, times } from "./support/bodies.js"
import { benchWith, type Run, reaching, serverWith, sotto } from "./support/sotto.js"

const TODOS = [
  { content: "TODO-ONE read it all", status: "completed" },
  { content: "TODO-TWO carry the plan out", status: "in_progress" },
]
const call = (name: string, input: Record<string, Json>, id?: string): ScriptStep => ({
  calls: [{ name, input, ...(id && { id }) }],
})
const reads = (count: number, from = 0): readonly ScriptStep[] =>
  Array.from({ length: count }, (_, i) => call("read", { path: `src/${(from + i) % 9}.txt` }))
const done = (text: string): ScriptStep => ({ text })

const PLAN = ".sotto/plans/parser.md"

/** What the model does, request by request, over the whole session. */
const STEPS: readonly ScriptStep[] = [
  // 1: work begins.
  call("todo_write", { todos: TODOS }),
  call("skill", { name: "release" }),
  // One that is allowed, and not one that only reads: that one is confined, and would end with the crash.
  call("bash", { command: "cat held; : > released", background: true }),
  ...reads(60),
  done("ANSWER-1"),
  // 2: a plan, refused once, then approved and carried out in the same turn.
  ...reads(8),
  call("write", { path: PLAN, content: "# PLAN-FIRST\n\nRewrite the parser.\n" }),
  call("plan_exit", {}),
  call("edit", { path: PLAN, old: "Rewrite the parser.", new: "Rewrite the parser. PLAN-TESTS too." }),
  call("plan_exit", {}),
  ...reads(40),
  done("ANSWER-2"),
  // 3: after a compaction by hand.
  ...reads(50, 3),
  done("ANSWER-3"),
  // 4: what is no longer needed is dropped.
  call("snip", { ids: ["third"] }),
  ...reads(10),
  done("ANSWER-4"),
  // 5: the second round trip: back to planning, and out of it by the user.
  ...reads(5),
  done("ANSWER-5"),
  // 6: the long rest, interrupted by a crash at a held command.
  ...reads(20),
  call("bash", { command: "cat gate" }, "held-call"),
  ...reads(205, 5),
  done("ANSWER-6"),
]

/** What the last request before an index, or that one, told of a state, as far as it is still in the context. */
interface Expected {
  readonly present: readonly string[]
  readonly absent: readonly string[]
}

describe("a session of 400 steps", () => {
  it.each(["break-even", "off"] as const)(
    "keeps what holds through compactions, plans, a snip, a crash and a resume, and nothing else (economy: %s)",
    async (economy) => {
      const [server, writer] = await Promise.all([
        serverWith({ counting: "requests", steps: STEPS }),
        serverWith({
          counting: "requests",
          steps: Array.from({ length: 20 }, (_, i) => done(`SUMMARY-${i + 1}`)),
        }),
      ])
      const bench = benchWith({
        "sotto.json": JSON.stringify({
          snip: true,
          economy,
          agents: { compaction: { model: "openai/gpt-5.6" } },
          models: { "anthropic/claude-sonnet-4-5": { contextWindow: 60_000 } },
          compaction: { tail: 2_000 },
        }),
        ".sotto/skills/release/SKILL.md":
          "---\nname: release\ndescription: How to release.\n---\nSKILL-BODY: tag it, then push.\n",
        ...Object.fromEntries(
          Array.from({ length: 9 }, (_, i) => [`src/${i}.txt`, `FILE-${i}\n${`line of ${i}\n`.repeat(90)}`]),
        ),
      })
      const held = bench.gate("held")
      const gate = bench.gate("gate")
      const env = { ...reaching(server.url), OPENAI_BASE_URL: `${writer.url}/v1` }
      const flags = [
        "--input",
        "jsonl",
        "--output",
        "jsonl",
        "--model",
        "anthropic/claude-sonnet-4-5",
        "--yes",
      ]
      const open = (...more: readonly string[]) => sotto(bench, ["run", ...flags, ...more], env)

      let run = open()
      const turn = async (text: string, answer: string, more: object = {}) => {
        run.say(text, more)
        await run.wait({ type: "turn-end", reason: "done" }, turns(run) + 1)
        expect(run.text()).toContain(answer)
      }
      await turn("WORD-1 begin", "ANSWER-1", { id: "first" })
      run.send({ type: "agent", name: "plan" })
      run.say("WORD-2 plan it", { id: "second" })
      const [refused] = [await run.wait({ type: "ask", kind: "plan" })]
      run.send({ type: "answer", id: refused.id, answer: "no: add tests" })
      const approved = await run.wait({ type: "ask", kind: "plan" }, 2)
      run.send({ type: "answer", id: approved.id, answer: "approve" })
      await run.wait({ type: "turn-end", reason: "done" }, 2)
      run.send({ type: "compact" })
      await turn("WORD-3 go on", "ANSWER-3", { id: "third" })
      await turn("WORD-4 clear up", "ANSWER-4")
      run.send({ type: "agent", name: "plan" })
      run.send({ type: "compact", focus: "the parser" })
      await turn("WORD-5 think again", "ANSWER-5")
      run.send({ type: "agent", name: "build" })
      run.say("WORD-6 the long rest")
      await run.wait({ type: "tool-call", id: "held-call" })
      run.say("WORD-QUEUED afterwards", { delivery: "after-turn", id: "queued" })
      await run.wait({ type: "queued", id: "queued" })
      const [{ id: session }] = run.all({ type: "session" }) as unknown as [{ id: string }]
      const before = run.events
      run.signal("SIGKILL")
      await run.ended
      writeFileSync(bench.path("src/0.txt"), "FILE-0 WHILE-AWAY\n")
      void gate.open().catch(() => undefined)

      run = open("--session", session)
      await run.wait({ type: "turn-end", reason: "done" })
      await held.open()
      await run.end()
      const events = [...before, ...run.events]
      const bodies = bodiesOf(server)

      // Append-only between rebases, and each rebase has one reason.
      const epochs = epochsOf(bodies)
      for (const epoch of epochs) expectAppendOnly(epoch)
      const reasons = events.flatMap((event) => (event.type === "rebase" ? [event.reason] : []))
      // Two were asked for. The window fills up once more only if old results stay.
      const isThrifty = economy === "break-even"
      const compactions = reasons.filter((reason) => reason === "compaction").length
      expect(compactions).toBeGreaterThanOrEqual(isThrifty ? 2 : 3)
      expect(reasons.filter((reason) => reason === "snip")).toHaveLength(1)
      expect(new Set(reasons)).toEqual(new Set(["compaction", "snip", ...(isThrifty ? ["economy"] : [])]))
      for (const epoch of epochs) noStubTwice(conversationOf(epoch.at(-1)))
      expect(epochs).toHaveLength(reasons.length + 1)
      expect(writer.requests).toHaveLength(reasons.filter((reason) => reason === "compaction").length)
      for (const { problems, error } of server.requests) expect({ problems, error }).toEqual({ problems: [] })
      expect(bodies.length).toBeGreaterThanOrEqual(400)

      // After each rebase the request says all that holds, and nothing that does not.
      const beforeCrash = before.filter(({ type }) => type === "rebase").length
      for (const [at, epoch] of epochs.slice(1).entries()) {
        const first = conversationOf(epoch[0])
        const where = `after rebase ${at + 1} (${reasons[at]})`
        const { present, absent } = expectedAt(first, reasons[at] ?? "", at < beforeCrash)
        for (const words of present) expect(first, `${words}, ${where}`).toContain(words)
        for (const words of absent) expect(first, `${words}, ${where}`).not.toContain(words)
      }
      for (const { text } of steps(events)) expect(modesIn(text).length).toBeLessThanOrEqual(1)

      // The message that nobody had answered when it crashed came once, and what changed meanwhile was told once.
      const last = conversationOf(bodies.at(-1))
      expect(times(bodies.map(conversationOf).join(), "WORD-QUEUED") > 0).toBe(true)
      expect(times(last, "WORD-QUEUED")).toBe(1)
      const told = run.all({ type: "reminder" }).filter(({ text }) => text.includes("WHILE-AWAY"))
      expect(told).toHaveLength(1)
    },
    300_000,
  )
})

function turns(run: Run): number {
  return run.all({ type: "turn-end" }).length
}

/** Requests by the epoch they belong to: a new one begins where the one before is no longer how it begins. */
function epochsOf(bodies: readonly Readonly<Record<string, unknown>>[]) {
  const epochs: Readonly<Record<string, unknown>>[][] = []
  for (const body of bodies) {
    const epoch = epochs.at(-1)
    if (epoch?.length && goesOn(epoch.at(-1) ?? {}, body)) epoch.push(body)
    else epochs.push([body])
  }
  return epochs
}

function goesOn(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): boolean {
  if (headOf(before) !== headOf(after)) return false
  try {
    expectAppendOnly([before, after])
    return true
  } catch {
    return false
  }
}

/** Every dropped result has its own stub, and what a stub stands for is not sent beside it. */
function noStubTwice(conversation: string): void {
  const answered = [...conversation.matchAll(/"tool_use_id":"([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(answered).size).toBe(answered.length)
}

/** What each step told, put together. */
function steps(events: readonly HarnessEvent[]): readonly { readonly text: string }[] {
  const told: { text: string }[] = []
  for (const event of events) {
    if (event.type === "step") told.push({ text: "" })
    const last = told.at(-1)
    if (event.type === "reminder" && last) last.text += event.text
  }
  return told
}

/** What a step tells of plan mode: that it is active, or that it was left. */
function modesIn(text: string): readonly string[] {
  const told = text.matchAll(/Plan mode is active:|The mode changed from plan to build/g)
  return [...told].map(([words]) => (words.startsWith("Plan") ? "active" : "left"))
}

function expectedAt(text: string, reason: string, isTaskRunning: boolean): Expected {
  if (reason === "economy") return { present: ["TODO-TWO"], absent: [] }
  if (reason === "snip") return { present: ["TODO-TWO"], absent: ["WORD-3 go on"] }
  const summaries = [...text.matchAll(/SUMMARY-\d+/g)].map(([summary]) => summary)
  expect(new Set(summaries).size).toBe(1)
  const isPlanning = text.includes("WORD-5")
  const running = "is still running"
  return {
    present: [
      ...["TODO-TWO", "SKILL-BODY", "PLAN-TESTS", PLAN],
      ...(isTaskRunning ? ["cat held", running] : []),
      ...(isPlanning ? ["Plan mode is active:"] : []),
    ],
    absent: [
      ...["WORD-1 begin", "ANSWER-1", "TODO-ONE read it all (pending)"],
      ...(isTaskRunning ? [] : [running]),
      ...(isPlanning ? [] : ["Plan mode is active:", "Plan mode is still active"]),
    ],
  }
}
