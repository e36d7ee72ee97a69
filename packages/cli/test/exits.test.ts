import { readdirSync } from "node:fs"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { bodiesOf, expectClean } from "./support/bodies.js"
import { benchWith, finished, reaching, serverWith, sotto, talk } from "./support/sotto.js"

const MODEL = ["--model", "anthropic/claude-sonnet-4-5"]

describe.concurrent("exit code 1", () => {
  it("is for a turn that failed; the session goes on", async () => {
    const server = await serverWith([
      { text: "Never.", fail: [{ status: 400, message: "No such luck." }] },
      { text: "Back." },
    ])
    const bench = benchWith()
    const run = talk(bench, server, ...MODEL, "Begin.")
    expect((await run.wait({ type: "error" })).message).toContain("No such luck")
    expect(await run.wait({ type: "turn-end" })).toMatchObject({ reason: "error", steps: 1 })
    expect((await run.end()).code).toBe(1)

    const again = talk(bench, server, ...MODEL, "--continue", "And now?")
    await again.wait({ type: "turn-end", reason: "done" })
    expect((await again.end()).code).toBe(0)
    expect(server.requests).toHaveLength(2)
    expect(again.text()).toBe("Back.")
  })

  it("is for a session that is not there", async () => {
    const { code, err } = await finished(benchWith(), ["show", "no-such-session"])
    expect(code).toBe(1)
    expect(err).toContain("no-such-session")
    expect(err).not.toContain("    at ")
  })

  it("is for a store that is a folder, or another kind of address", async () => {
    const bench = benchWith()
    const folder = await finished(bench, ["sessions", "--store", bench.cwd])
    expect([folder.code, folder.err]).toEqual([1, expect.stringContaining("cannot be used: it is a folder.")])
    const other = await finished(bench, ["sessions", "--store", "mysql://ann:hunter2-x@host/db"])
    expect([other.code, other.err]).toEqual([1, expect.stringContaining("postgres://user@host/database")])
    expect(other.err + other.out).not.toContain("hunter2")
    expect(readdirSync(bench.cwd)).toEqual([])
  })

  it("is for a folder of Sotto's own that cannot be made, named with the reason", async () => {
    const bench = benchWith({ file: "" })
    const { code, err } = await finished(bench, ["serve"], { SOTTO_HOME: bench.path("file/home") })
    expect(code).toBe(1)
    expect(err).toContain("cannot be used: a part of its path is a file and not a folder.")
  })

  it("tells text output what went wrong", async () => {
    const server = await serverWith([{ fail: [{ status: 400, message: "No such luck." }] }])
    const ended = await finished(benchWith(), ["run", "Begin.", ...MODEL], reaching(server.url))
    expect(ended.code).toBe(1)
    expect(ended.err).toContain("error: ")
    expect(ended.err).toContain("No such luck")
  })
})

describe.concurrent("exit code 2", () => {
  it.each([
    [
      ["run", "Hi", "--no-such-flag"],
      "There is no option --no-such-flag. A text that begins with a dash comes after --.",
    ],
    [["--no-such-flag"], "There is no option --no-such-flag. See `sotto --help`."],
    [["acp", "--no-such-flag"], "See `sotto acp --help`."],
    [["run", "Hi", "--model"], "sotto: --model needs a value. See `sotto run --help`."],
    [["run", "Hi", "--model", "--yes"], "--model needs a value."],
    [["run", "Hi", "--yes=3"], "--yes takes no value."],
    [["acp", "word"], '"word" is not expected here. See `sotto acp --help`.'],
    [["proxy", "--record", "/no/such/file", "--", "true"], "there is no such file or folder."],
    [["rehearse", "/no/such/script"], "The script /no/such/script cannot be read: there is no such file"],
    [["help", "nonsense"], 'There is no command "nonsense"'],
    [["run", "Hi", "there"], "quotes"],
    [["run", "Hi", "--max-steps", "0"], "--max-steps"],
    [["run", "Hi", "--input", "xml"], "--input"],
    [["run", "Hi", "--output", "xml"], "--output"],
    [["run", "Hi", "--model", "nowhere/nothing"], "nowhere"],
    [["run", "Hi", "--model", "anthropic"], "no model"],
    [["run", "Hi", "--agent", "nobody"], "nobody"],
    [["run", "Hi", "--agent", "title"], "Use one of: build, plan"],
    [["run", "Hi", "--agent", "explore"], "Use one of: build, plan"],
    [["run", "Hi", "--continue"], "--continue"],
    [["run", "Hi", "--cwd", "/no/such/folder"], "/no/such/folder"],
    [["run"], "prompt"],
    [["run", " "], "prompt"],
    [["show"], "sotto show ID"],
    [["asides", "x", "--step", "zero"], "--step"],
    [["import"], "sotto import FILE"],
    [["frobnicate"], "frobnicate"],
    [[], "terminal"],
  ])("is for %j", async (args, hint) => {
    const { code, err, out } = await finished(benchWith(), args)
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toContain(hint)
    expect(err).toMatch(/^sotto: /)
    expect(err).not.toContain("    at ")
  })

  it("is for a configuration that cannot be used, with file and line", async () => {
    const bench = benchWith({ "sotto.json": '{\n  "agent": "build",\n  "maxSteps": "many"\n}\n' })
    const { code, err } = await finished(bench, ["run", "Hi"])
    expect(code).toBe(2)
    expect(err).toContain(`${bench.path("sotto.json")}:3: maxSteps`)
  })

  it("is for an agent that cannot be used, with file and line", async () => {
    const bench = benchWith({ ".sotto/agents/review.md": "---\nmode: sometimes\n---\nReview.\n" })
    const { code, err } = await finished(bench, ["run", "Hi"])
    expect(code).toBe(2)
    expect(err).toContain(`${bench.path(".sotto/agents/review.md")}:2: mode`)
  })
})

describe.concurrent("the exit code of a signal", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("is, for %s in the middle of an answer, %i", async (signal, code) => {
    const server = await serverWith([{ text: "Too slow.", delay: 60_000 }])
    const run = talk(benchWith(), server, ...MODEL, "Begin.")
    await run.wait({ type: "step", n: 1 })
    run.signal(signal)
    expect((await run.ended).code).toBe(code)
    expect(run.all({ type: "interrupted" })).toHaveLength(1)
    expect(run.all({ type: "turn-end" })).toMatchObject([{ reason: "interrupted", steps: 1 }])
  })

  it("is for SIGINT where no lines are read", async () => {
    const server = await serverWith([{ text: "Too slow.", delay: 60_000 }])
    const run = sotto(benchWith(), ["run", "Begin.", "--output", "jsonl", ...MODEL], reaching(server.url))
    await run.wait({ type: "step", n: 1 })
    run.signal("SIGINT")
    expect((await run.ended).code).toBe(130)
    expect(run.all({ type: "interrupted" })).toHaveLength(1)
  })

  it("is for SIGINT while a command runs, which is stopped", async () => {
    const server = await serverWith([{ calls: [{ name: "bash", input: { command: "cat gate" } }] }])
    const bench = benchWith()
    bench.gate()
    const run = talk(bench, server, ...MODEL, "Begin.")
    await run.wait({ type: "tool-call" })
    run.signal("SIGINT")
    expect((await run.ended).code).toBe(130)
  })

  it("is for SIGINT while a question waits", async () => {
    const server = await serverWith([{ calls: [{ name: "question", input: { question: "Which?" } }] }])
    const run = talk(benchWith(), server, ...MODEL, "Begin.")
    await run.wait({ type: "ask" })
    run.signal("SIGINT")
    expect((await run.ended).code).toBe(130)
  })
})

describe.concurrent("exit code 3", () => {
  const ending = async (step: ScriptStep, ...args: readonly string[]) => {
    const server = await serverWith([step])
    const ended = await finished(benchWith(), ["run", "Begin.", ...MODEL, ...args], reaching(server.url))
    return { ...ended, server }
  }

  it.each([
    ["length", { text: "Half an ans", stop: "length" }, "it reached the model's limit on output"],
    ["refused", { text: "No.", stop: "refusal" }, "refused"],
  ] as const)("is for a turn that ended with %s, and text output says so", async (_, step, says) => {
    const { code, err } = await ending(step)
    expect(code).toBe(3)
    expect(err).toContain(says)
  })

  it("is for the most steps", async () => {
    expect((await ending({ text: "Enough." }, "--max-steps", "1")).code).toBe(3)
  })

  it("is not for an earlier turn: the last decides", async () => {
    const server = await serverWith([{ text: "No.", stop: "refusal" }, { text: "Yes." }])
    const run = talk(benchWith(), server, ...MODEL, "Begin.")
    await run.wait({ type: "turn-end", reason: "refused" })
    run.say("Please.")
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
  })

  it("is not for an abort that was asked for", async () => {
    const server = await serverWith([{ text: "Too slow.", delay: 60_000 }])
    const run = talk(benchWith(), server, ...MODEL, "Begin.")
    await run.wait({ type: "step", n: 1 })
    run.send({ type: "abort" })
    await run.wait({ type: "turn-end", reason: "interrupted" })
    expect((await run.end()).code).toBe(0)
  })
})

describe.concurrent("retries", () => {
  it.each(["anthropic/claude-opus-5-5", "openai/gpt-5.6"])(
    "send the same bytes again to %s: 429, 529, and an answer cut off",
    async (model) => {
      const look = [{ name: "glob", input: { pattern: "*" } }]
      const server = await serverWith([
        { text: "One.", calls: look, fail: [{ status: 429, retryAfter: 0 }] },
        { text: "Two.", calls: look, fail: [{ status: 529 }] },
        { text: "Three, which takes a few words.", calls: look, fail: [{ drop: "middle" }] },
        { text: "Four.", fail: [{ event: 529 }] },
      ])
      const run = talk(benchWith({ "a.txt": "a" }), server, "--model", model, "Begin.")
      expect(await run.wait({ type: "turn-end" })).toMatchObject({ reason: "done", steps: 4 })
      expect((await run.end()).code).toBe(0)
      const bodies = bodiesOf(server).map((body) => JSON.stringify(body))
      expect(bodies).toHaveLength(8)
      for (const i of [0, 2, 4, 6]) expect(bodies[i + 1]).toBe(bodies[i])
      expect(run.all({ type: "retry" })).toHaveLength(4)
      expect(run.all({ type: "error" })).toEqual([])
      expect(run.all({ type: "tool-call" })).toHaveLength(3)
      expectClean({ ...server, requests: server.requests.filter(({ status }) => status === 200) })
    },
  )
})
