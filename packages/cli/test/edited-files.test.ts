import { execFileSync } from "node:child_process"
import { rmSync, utimesSync, writeFileSync } from "node:fs"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { addedBy, bodiesOf, conversationOf, expectClean, times } from "./support/bodies.js"
import { type Bench, benchWith, reaching, serverWith, sotto, talk } from "./support/sotto.js"

const MODEL = ["--model", "anthropic/claude-opus-5-5", "--yes"]
const MODELS = ["anthropic/claude-opus-5-5", "anthropic/claude-sonnet-4-5", "openai/gpt-5.6"]
const WAIT: ScriptStep = { text: "I wait.", calls: [{ name: "bash", input: { command: "cat gate" } }] }
const LOOK: ScriptStep = { text: "I look.", calls: [{ name: "glob", input: { pattern: "*" } }] }
const read = (...paths: readonly string[]): ScriptStep => ({
  calls: paths.map((path) => ({ name: "read", input: { path } })),
})
const edit = (path: string, old: string, by: string): ScriptStep => ({
  calls: [{ name: "edit", input: { path, old, new: by } }],
})
const bash = (command: string): ScriptStep => ({ calls: [{ name: "bash", input: { command } }] })

/** Time enough for a busy machine. */
const CONFIG = { collectTimeout: 30_000 }

function benchOf(files: Readonly<Record<string, string>> = {}): Bench {
  return benchWith({ "sotto.json": JSON.stringify(CONFIG), ...files })
}

/** Another process at work in the same place. */
function another(bench: Bench, command: string): void {
  execFileSync("sh", ["-c", command], { cwd: bench.cwd, stdio: "ignore" })
}

describe.concurrent("a file that the model has read", () => {
  it.each(MODELS)("and another process edits is told to %s at the next boundary, once", async (model) => {
    const server = await serverWith([
      read("a.ts"),
      WAIT,
      LOOK,
      edit("a.ts", "2", "two again"),
      LOOK,
      { text: "Done." },
    ])
    const bench = benchOf({ "a.ts": "one\ntwo\nthree\n", "unread.ts": "x\n" })
    const gate = bench.gate()
    const run = talk(bench, server, "--yes", "--model", model, "Begin.")
    await run.wait({ type: "tool-call", name: "bash" })
    another(bench, "printf 'one\\n2\\nthree\\n' > a.ts; echo y > unread.ts")
    await gate.open()
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)

    expectClean(server)
    expect(run.all({ type: "reminder", kind: "edited_text_file" })).toMatchObject([{ step: 3 }])
    const sent = addedBy(server, 2)
    expect(sent).toContain("a.ts was changed by someone else since you last read it.")
    expect(sent).toContain("-two\\n+2")
    expect(times(conversationOf(bodiesOf(server).at(-1)), "was changed by")).toBe(1)
    expect(run.all({ type: "tool-result", error: true })).toEqual([])
  })

  it("is told by one kind alone if it is an instruction file", async () => {
    const server = await serverWith([
      read("AGENTS.md"),
      WAIT,
      edit("AGENTS.md", "RULE-TWO", "RULE-3"),
      { text: "Done." },
    ])
    const bench = benchOf({ "AGENTS.md": "RULE-ONE\n" })
    const gate = bench.gate()
    const run = talk(bench, server, ...MODEL, "Begin.")
    await run.wait({ type: "tool-call", name: "bash" })
    another(bench, "echo RULE-TWO > AGENTS.md")
    await gate.open()
    await run.wait({ type: "turn-end", reason: "done" })
    await run.end()
    const told = run.all({ type: "reminder" }).filter(({ text }) => text.includes("RULE-TWO"))
    expect(told.map(({ kind }) => kind)).toEqual(["instructions_change"])
    expect(run.all({ type: "tool-result", error: true })).toEqual([])
    expectClean(server)
  })

  it("is not told of when it was only touched, written by the agent, or put back in time", async () => {
    const server = await serverWith([
      read("touched.ts", "back.ts", "own.ts"),
      WAIT,
      edit("own.ts", "own", "mine"),
      LOOK,
      { text: "Done." },
    ])
    const bench = benchOf({ "touched.ts": "same\n", "back.ts": "same\n", "own.ts": "own\n" })
    const gate = bench.gate()
    const run = talk(bench, server, ...MODEL, "Begin.")
    await run.wait({ type: "tool-call", name: "bash" })
    utimesSync(bench.path("touched.ts"), new Date(), new Date())
    another(bench, "echo same > touched.ts; echo other > back.ts; echo same > back.ts")
    await gate.open()
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    expect(run.all({ type: "reminder", kind: "edited_text_file" })).toEqual([])
    expectClean(server)
  })

  it("is told with who changed it: a command of the agent, or another agent", async () => {
    const parent = await serverWith([
      read("a.ts", "b.ts"),
      bash("sed -i s/one/two/ a.ts"),
      { calls: [{ name: "task", input: { agent: "general", prompt: "Change b.ts." } }] },
      { text: "Done." },
    ])
    const child = await serverWith([read("b.ts"), edit("b.ts", "one", "two"), { text: "Changed." }])
    const bench = benchOf({
      "a.ts": "one\n",
      "b.ts": "one\n",
      "sotto.json": JSON.stringify({ ...CONFIG, agents: { general: { model: "openai/gpt-5.6" } } }),
    })
    const env = { ...reaching(parent.url), OPENAI_BASE_URL: `${child.url}/v1` }
    const flags = ["--input", "jsonl", "--output", "jsonl"]
    const run = sotto(bench, ["run", "Begin.", ...flags, ...MODEL], env)
    await run.wait({ type: "turn-end", reason: "done", steps: 4 })
    expect((await run.end()).code).toBe(0)
    expect(addedBy(parent, 2)).toContain("a.ts was changed by the command you ran since you last read it.")
    expect(addedBy(parent, 3)).toContain("b.ts was changed by the agent general since you last read it.")
    expect(conversationOf(bodiesOf(child).at(-1))).not.toContain("was changed by")
    expectClean(parent)
    expectClean(child)
  })

  it("cannot be edited before its change is told", async () => {
    const waitThenEdit: ScriptStep = {
      calls: [
        { name: "bash", input: { command: "cat gate" } },
        { name: "edit", input: { path: "a.ts", old: "one", new: "two" } },
      ],
    }
    const server = await serverWith([
      read("a.ts"),
      waitThenEdit,
      edit("a.ts", "one", "two"),
      { text: "Done." },
    ])
    const bench = benchOf({ "a.ts": "one\n" })
    const gate = bench.gate()
    const run = talk(bench, server, ...MODEL, "Begin.")
    await run.wait({ type: "tool-call", name: "bash" })
    another(bench, "echo 'one more' > a.ts")
    await gate.open()
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    expect(run.all({ type: "tool-result", error: true })).toMatchObject([
      { output: "a.ts has changed since you read it. Read it again before you edit it." },
    ])
    expect(addedBy(server, 2)).toContain("-one\\n+one more")
    expect(run.all({ type: "tool-result" }).at(-1)?.output).toContain("Edited a.ts.")
    expectClean(server)
  })

  it("is told by its path where it is binary or huge, and once that it is deleted", async () => {
    const server = await serverWith([read("a.png", "huge.txt", "gone.ts"), WAIT, LOOK, { text: "Done." }])
    const bench = benchOf({ "huge.txt": "x\n".repeat(150_000), "gone.ts": "here\n" })
    const png = (end: string) =>
      writeFileSync(bench.path("a.png"), Buffer.from(`\x89PNG\r\n\x1a\n${end}`, "latin1"))
    png("one")
    const gate = bench.gate()
    const run = talk(bench, server, ...MODEL, "Begin.")
    await run.wait({ type: "tool-call", name: "bash" })
    png("two")
    another(bench, "echo y >> huge.txt; rm gone.ts")
    await gate.open()
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    const sent = addedBy(server, 2)
    expect(sent).toContain("a.png was changed by someone else since you last read it. Read it again")
    expect(sent).toContain("huge.txt was changed by someone else since you last read it. Read it again")
    expect(sent).toContain("gone.ts was deleted by someone else since you last read it.")
    expect(run.all({ type: "reminder", kind: "edited_text_file" })).toHaveLength(3)
  })

  it("and was changed while nobody was there is told at the next prompt, once", async () => {
    const server = await serverWith([
      read("a.ts", "b.ts"),
      { text: "Read." },
      { text: "Again." },
      { text: "Thrice." },
    ])
    const bench = benchOf({ "a.ts": "one\ntwo\n", "b.ts": "same\n" })
    const say = async (...args: readonly string[]) => {
      const run = talk(bench, server, ...MODEL, ...args)
      await run.wait({ type: "turn-end", reason: "done" })
      expect((await run.end()).code).toBe(0)
    }
    another(
      bench,
      `git init -qb main . && git config user.name t && git config user.email t@t && git add . && git commit -qm one &&
       git checkout -qb other && printf 'one\\n2\\n' > a.ts && git commit -qam two && git checkout -q main`,
    )
    await say("Begin.")
    another(bench, "git checkout -q other && touch b.ts")
    await say("--continue", "Go on.")
    await say("--continue", "And on.")
    expect(addedBy(server, 2)).toContain("-two\\n+2")
    expect(times(conversationOf(bodiesOf(server)[3]), "was changed by")).toBe(1)
    expectClean(server)
  })

  it("is shown again after a compaction, as it is then", async () => {
    const server = await serverWith({
      counting: "requests",
      steps: [read("a.ts", "large.ts"), { text: "Read." }, { text: "SUMMARY" }, { text: "Two." }],
    })
    const bench = benchOf({ "a.ts": "before\n", "large.ts": "x\n".repeat(20_000) })
    const run = talk(bench, server, ...MODEL, "Begin.")
    await run.wait({ type: "turn-end" })
    another(bench, "echo after > a.ts")
    run.send({ type: "compact" })
    run.say("Go on.")
    await run.wait({ type: "turn-end" }, 2)
    expect((await run.end()).code).toBe(0)
    const sent = conversationOf(bodiesOf(server)[3])
    expect(sent).toContain("a.ts was read before the conversation was compacted. As it is now:")
    expect(sent).toContain("1\\tafter")
    expect(sent).toContain("too large to show again. Read what is needed:\\n- large.ts")
    expect(sent).not.toContain("was changed by")
  })

  it("does not vanish from a turn because it cannot be looked at", async () => {
    const server = await serverWith([read("dir/a.ts"), WAIT, LOOK, { text: "Done." }])
    const bench = benchOf({ "dir/a.ts": "one\n" })
    const gate = bench.gate()
    const run = talk(bench, server, ...MODEL, "Begin.")
    await run.wait({ type: "tool-call", name: "bash" })
    rmSync(bench.path("dir"), { recursive: true })
    writeFileSync(bench.path("dir"), "a file where the folder was\n")
    await gate.open()
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    expect(addedBy(server, 2)).toContain("dir/a.ts was deleted by someone else since you last read it.")
    expectClean(server)
  })
})
