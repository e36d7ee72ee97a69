import { existsSync, readFileSync } from "node:fs"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { addedBy } from "./support/bodies.js"
import { benchWith, finished, reaching, serverWith, talk } from "./support/sotto.js"

const MODEL = ["--model", "anthropic/claude-sonnet-4-5"]
const write = (path: string): ScriptStep => ({
  text: "I write.",
  calls: [{ name: "write", input: { path, content: "written\n" } }],
})
const DONE: ScriptStep = { text: "Done." }

describe.concurrent("where nobody can answer", () => {
  it("denies what would be asked, and says so to the model and to who watches", async () => {
    const server = await serverWith([write("new.txt"), DONE])
    const bench = benchWith()
    const { code, out } = await finished(
      bench,
      ["run", "Write it.", ...MODEL, "--output", "jsonl"],
      reaching(server.url),
    )
    expect(code).toBe(0)
    expect(existsSync(bench.path("new.txt"))).toBe(false)
    expect(addedBy(server, 1)).toContain("nobody is there to give it")
    const events = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const result = events.find(({ type }) => type === "tool-result")
    expect(result).toMatchObject({ error: true, output: expect.stringContaining("new.txt") })
    expect(events.find(({ type }) => type === "ask")).toMatchObject({
      kind: "permission",
      tool: "write",
      permission: "edit",
      target: "new.txt",
    })
  })

  it("denies what is still asked when stdin closes", async () => {
    const server = await serverWith([write("new.txt"), DONE])
    const bench = benchWith()
    const run = talk(bench, server, ...MODEL, "Write it.")
    await run.wait({ type: "ask" })
    expect((await run.end()).code).toBe(0)
    expect(existsSync(bench.path("new.txt"))).toBe(false)
    expect(run.all({ type: "tool-result", error: true })).toHaveLength(1)
  })
})

describe.concurrent("an answer", () => {
  it("allows once, and the next is asked again", async () => {
    const server = await serverWith([write("a.txt"), write("b.txt"), DONE])
    const bench = benchWith()
    const run = talk(bench, server, ...MODEL, "Write it.")
    const first = await run.wait({ type: "ask" })
    expect(first).toMatchObject({ kind: "permission", tool: "write", permission: "edit", target: "a.txt" })
    run.send({ type: "answer", id: first.id, answer: "allow" })
    const second = await run.wait({ type: "ask", target: "b.txt" })
    expect(second.id).not.toBe(first.id)
    expect(readFileSync(bench.path("a.txt"), "utf8")).toBe("written\n")
    run.send({ type: "answer", id: second.id, answer: "deny: use another name" })
    await run.wait({ type: "turn-end" })
    run.send({ type: "answer", id: second.id, answer: "allow" })
    expect((await run.wait({ type: "error" })).message).toMatch(/^line 3: .*ask-/)
    expect((await run.end()).code).toBe(0)
    expect(existsSync(bench.path("b.txt"))).toBe(false)
    expect(addedBy(server, 2)).toContain("The user did not allow it: use another name")
  })

  it("keeps the words of a reason as they are", async () => {
    const server = await serverWith([write("a.txt"), DONE])
    const run = talk(benchWith(), server, ...MODEL, "Write it.")
    const { id } = await run.wait({ type: "ask" })
    run.send({ type: "answer", id, answer: "deny: see https://example.org:  two  spaces" })
    expect((await run.end()).code).toBe(0)
    expect(addedBy(server, 1)).toContain("did not allow it: see https://example.org:  two  spaces")
  })

  it("allows for the rest of the session with always", async () => {
    const again = { name: "bash", input: { command: "touch made.txt" } }
    const server = await serverWith([{ calls: [again] }, { calls: [again] }, DONE])
    const bench = benchWith()
    const run = talk(bench, server, ...MODEL, "Make it.")
    // One question for the command and the file that it would write.
    const command = await run.wait({ type: "ask", permission: "bash", target: "touch made.txt" })
    run.send({ type: "answer", id: command.id, answer: "always" })
    await run.wait({ type: "turn-end" })
    expect((await run.end()).code).toBe(0)
    expect(run.all({ type: "ask" })).toHaveLength(1)
    expect(run.all({ type: "tool-result", error: true })).toEqual([])
    expect(existsSync(bench.path("made.txt"))).toBe(true)
  })

  it("is never a message that was queued before the question", async () => {
    const wait = { name: "bash", input: { command: "cat gate" } }
    const server = await serverWith([{ calls: [wait] }, write("a.txt"), DONE])
    const bench = benchWith()
    const gate = bench.gate()
    const run = talk(bench, server, ...MODEL, "Write it.")
    await run.wait({ type: "tool-call", name: "bash" })
    run.say("yes", { id: "early", delivery: "after-turn" })
    await run.wait({ type: "queued", id: "early" })
    await gate.open()
    const { id } = await run.wait({ type: "ask" })
    run.say("allow", { id: "late" })
    await run.wait({ type: "queued", id: "late" })
    expect(existsSync(bench.path("a.txt"))).toBe(false)
    run.send({ type: "answer", id, answer: "no" })
    expect((await run.end()).code).toBe(0)
    expect(existsSync(bench.path("a.txt"))).toBe(false)
    expect(run.all({ type: "delivered", id: "late" })).toHaveLength(1)
    expect(run.all({ type: "delivered", id: "early" })).toHaveLength(1)
  })
})

describe.concurrent("--yes", () => {
  it("allows what would be asked", async () => {
    const server = await serverWith([write("a.txt"), DONE])
    const bench = benchWith()
    const { code } = await finished(bench, ["run", "Write.", "--yes", ...MODEL], reaching(server.url))
    expect(code).toBe(0)
    expect(readFileSync(bench.path("a.txt"), "utf8")).toBe("written\n")
  })

  it("does not allow what is denied", async () => {
    const bash = { calls: [{ name: "bash", input: { command: "echo no > b.txt" } }] }
    const server = await serverWith([write("a.txt"), bash, DONE])
    const bench = benchWith()
    const args = ["run", "Write.", "--yes", "--agent", "plan", ...MODEL, "--output", "jsonl"]
    const { code, out } = await finished(bench, args, reaching(server.url))
    expect(code).toBe(0)
    expect(existsSync(bench.path("a.txt"))).toBe(false)
    expect(existsSync(bench.path("b.txt"))).toBe(false)
    expect(out.match(/"error":true/g)).toHaveLength(2)
  })
})
