import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { addedBy, bodiesOf, conversationOf, expectClean, headOf, times } from "./support/bodies.js"
import { type Bench, benchWith, serverWith, talk } from "./support/sotto.js"

const MODEL = ["--model", "anthropic/claude-opus-5-5"]
const WAIT: ScriptStep = { calls: [{ name: "bash", input: { command: "cat gate" } }] }
const DONE: ScriptStep = { text: "Done." }
const use = (name: string): ScriptStep => ({ calls: [{ name: "skill", input: { name } }] })
const read = (path: string): ScriptStep => ({ calls: [{ name: "read", input: { path } }] })

const skill = (description: string, body: string, more = "") =>
  `---\ndescription: ${description}\n${more}---\n${body}\n`

function put(bench: Bench, name: string, content: string): void {
  mkdirSync(dirname(bench.path(name)), { recursive: true })
  writeFileSync(bench.path(name), content)
}

describe.concurrent("the listing of skills", () => {
  it("follows the folders, and changes no byte that was sent", async () => {
    const bench = benchWith({
      ".claude/skills/old/SKILL.md": skill("Is there from the start.", "Old."),
      ".agents/skills/kept/SKILL.md": skill("Stays.", "Kept."),
      // On a busy machine reading may take longer than a step waits.
      "sotto.json": JSON.stringify({ collectTimeout: 60_000 }),
    })
    const server = await serverWith([WAIT, use("fresh"), WAIT, DONE])
    const gate = bench.gate()
    const run = talk(bench, server, ...MODEL, "Go.")
    await run.wait({ type: "tool-call", name: "bash" })
    put(bench, ".sotto/skills/fresh/SKILL.md", skill("Came later.", "Fresh instructions."))
    rmSync(bench.path(".claude/skills/old"), { recursive: true })
    await gate.open()
    await run.wait({ type: "tool-call", name: "bash" }, 2)
    put(bench, ".sotto/skills/fresh/SKILL.md", skill("Came later, and changed.", "Fresh instructions."))
    await gate.open()
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)

    expectClean(server)
    expect(headOf(bodiesOf(server)[0] ?? {})).toContain("- kept: Stays.\\n- old: Is there from the start.")
    const first = addedBy(server, 1)
    expect(first).toContain("The skills you can use changed (+ added, - removed):")
    expect(first).toContain("+ - fresh: Came later.")
    expect(first).toContain("- - old: Is there from the start.")
    expect(first).not.toContain("kept")
    expect(run.all({ type: "tool-result" })[1]?.output).toContain("Fresh instructions.")
    expect(addedBy(server, 2)).not.toContain("The skills you can use changed")
    expect(addedBy(server, 3)).toContain("+ - fresh: Came later, and changed.")
  })

  it("has only what the agent may use, and what it may not use does not run", async () => {
    const bench = benchWith({
      ".sotto/skills/open/SKILL.md": skill("For everybody.", "Open."),
      ".sotto/skills/secret/SKILL.md": skill("For nobody.", "Secret.", "paths: ['*.sql']\n"),
      "a.sql": "select 1\n",
      "sotto.json": JSON.stringify({ permission: { skill: { secret: "deny" } } }),
    })
    const server = await serverWith([use("secret"), read("a.sql"), DONE])
    const run = talk(bench, server, ...MODEL, "--yes", "Go.")
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    expectClean(server)
    expect(headOf(bodiesOf(server)[0] ?? {})).toContain("- open: For everybody.")
    expect(JSON.stringify(bodiesOf(server))).not.toContain("For nobody.")
    expect(run.all({ type: "tool-result" })[0]).toMatchObject({ error: true })
  })

  it("leaves out a broken one, and says so to the user, once", async () => {
    const bench = benchWith({ ".sotto/skills/bad/SKILL.md": "No front matter at all.\n" })
    const server = await serverWith([read("x"), DONE])
    const run = talk(bench, server, ...MODEL, "Go.")
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    expect(run.all({ type: "error" })).toMatchObject([
      { message: expect.stringMatching(/skills\/bad\/SKILL\.md: a skill needs a description/) },
    ])
  })
})

describe.concurrent("a skill", () => {
  it("is pointed out when a call touches what it is about, by path and by topic, and once", async () => {
    const bench = benchWith({
      ".sotto/skills/tables/SKILL.md": skill("How tables change.", "T.", "paths:\n  - db/**/*.sql\n"),
      ".sotto/skills/containers/SKILL.md": skill("How images are built.", "C.", "topics: [docker]\n"),
      ".sotto/skills/other/SKILL.md": skill("Something else.", "O.", "paths: other/**\n"),
      "db/2026/one.sql": "select 1\n",
      "db/two.sql": "select 2\n",
    })
    const docker: ScriptStep = { calls: [{ name: "grep", input: { pattern: "docker" } }] }
    const server = await serverWith([read("db/2026/one.sql"), docker, read("db/two.sql"), docker, DONE])
    const run = talk(bench, server, ...MODEL, "Go.")
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    expectClean(server)
    expect(addedBy(server, 1)).toContain(
      "The skill tables is about what was just touched: How tables change.",
    )
    expect(addedBy(server, 2)).toContain("The skill containers is about what was just touched")
    expect(run.all({ type: "reminder", kind: "skill_discovery" })).toHaveLength(2)
  })

  it("is not pointed out to a model that has it already", async () => {
    const bench = benchWith({
      ".sotto/skills/tables/SKILL.md": skill("How tables change.", "Carefully.", "paths: '*.sql'\n"),
      "one.sql": "select 1\n",
    })
    const server = await serverWith([use("tables"), read("one.sql"), DONE])
    const run = talk(bench, server, ...MODEL, "Go.")
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    expectClean(server)
    expect(run.all({ type: "reminder", kind: "skill_discovery" })).toEqual([])
  })

  it("names the files that come with it, which can be read", async () => {
    const bench = benchWith({
      ".sotto/skills/forms/SKILL.md": skill("Fills in forms.", "See reference.md."),
      ".sotto/skills/forms/reference.md": "Field 7 is for the date.\n",
    })
    const reference = bench.path(".sotto/skills/forms/reference.md")
    const server = await serverWith([use("forms"), read(reference), DONE])
    const run = talk(bench, server, ...MODEL, "Go.")
    await run.wait({ type: "turn-end", reason: "done" })
    expect((await run.end()).code).toBe(0)
    expectClean(server)
    expect(run.all({ type: "tool-result" })).toMatchObject([
      { output: expect.stringContaining(reference) },
      { output: expect.stringContaining("Field 7 is for the date.") },
    ])
  })

  it("in use is there again after a compaction, once", async () => {
    const bench = benchWith({
      ".sotto/skills/release/SKILL.md": skill("How a release is made.", "Tag it, then push it."),
      ".sotto/skills/unused/SKILL.md": skill("Never used.", "Unused instructions."),
      "sotto.json": JSON.stringify({ compaction: { tail: 0 } }),
    })
    const server = await serverWith({
      counting: "requests",
      steps: [
        use("release"),
        { text: "Released." },
        { text: "SUMMARY" },
        { text: "Again." },
        { text: "Still." },
      ],
    })
    const run = talk(bench, server, ...MODEL, "Release.")
    await run.wait({ type: "turn-end" })
    run.send({ type: "compact" })
    run.say("Go on.")
    await run.wait({ type: "turn-end" }, 2)
    run.say("And on.")
    await run.wait({ type: "turn-end" }, 3)
    expect((await run.end()).code).toBe(0)
    for (const { problems, error } of server.requests) expect({ problems, error }).toEqual({ problems: [] })
    const after = conversationOf(bodiesOf(server).at(-1))
    expect(after).toContain("SUMMARY")
    expect(after).toContain("The skill release, in use since before the conversation was compacted")
    expect(times(after, "Tag it, then push it.")).toBe(1)
    expect(after).not.toContain("Unused instructions.")
    expect(headOf(bodiesOf(server).at(-1) ?? {})).toContain("- release: How a release is made.")
  })
})
