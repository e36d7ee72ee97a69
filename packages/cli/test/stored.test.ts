import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Rehearsal } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { expectClean } from "./support/bodies.js"
import { type Bench, benchWith, finished, reaching, serverWith, talk } from "./support/sotto.js"

const MODEL = ["--model", "anthropic/claude-opus-5-5"]
const SCRIPT = [
  { text: "I look.", calls: [{ name: "bash", input: { command: "cat gate" } }] },
  { text: "There it is." },
  { text: "Twice now." },
  { text: "And a third time." },
]

/** A session of one turn with a message in its middle. Its id. */
async function aSession(bench: Bench, server: Rehearsal): Promise<string> {
  const gate = bench.gate()
  const run = talk(bench, server, ...MODEL, "Look around.")
  await run.wait({ type: "tool-call" })
  run.say("Mind the gap.", { id: "mid" })
  await run.wait({ type: "queued", id: "mid" })
  await gate.open()
  await run.wait({ type: "turn-end", reason: "done" })
  expect((await run.end()).code).toBe(0)
  return (await run.wait({ type: "session" })).id
}

describe.concurrent("a stored session", () => {
  it("goes on with --continue and --session, append-only", async () => {
    const server = await serverWith(SCRIPT)
    const bench = benchWith({ "AGENTS.md": "Be brief.\n" })
    const id = await aSession(bench, server)
    const again = talk(bench, server, "--continue", "Again.")
    expect((await again.wait({ type: "session" })).id).toBe(id)
    await again.wait({ type: "turn-end" })
    expect((await again.end()).code).toBe(0)

    const elsewhere = benchWith()
    const args = ["run", "Once more.", "--session", id, "--cwd", bench.cwd, "--output", "jsonl"]
    const third = await finished({ ...elsewhere, home: bench.home }, args, reaching(server.url))
    expect(third.code).toBe(0)
    expect(server.requests).toHaveLength(4)
    expectClean(server)
  })

  it("is listed and shown as a person saw it", async () => {
    const server = await serverWith(SCRIPT)
    const bench = benchWith()
    expect((await finished(bench, ["sessions"])).out).toBe("No sessions yet.\n")
    const id = await aSession(bench, server)
    const list = await finished(bench, ["sessions"])
    expect(list.code).toBe(0)
    expect(list.out).toContain(id)
    expect(list.out).toContain("anthropic/claude-opus-5-5")
    expect(list.out).toContain(bench.cwd)

    const shown = await finished(bench, ["show", id])
    expect(shown.code).toBe(0)
    expect(shown.out).toBe(
      [
        "› Look around.",
        "I look.",
        '  bash {"command":"cat gate"}',
        "  → open",
        "› Mind the gap.",
        "There it is.",
        "",
      ].join("\n"),
    )
  })

  it("has its title in the list and its summary above the conversation, after one prompt", async () => {
    const server = await serverWith({
      steps: [{ text: "The parser" }],
      scripts: [{ when: "[the user]", steps: [{ text: "The parser was mended." }] }],
    })
    const bench = benchWith()
    mkdirSync(bench.home, { recursive: true })
    writeFileSync(join(bench.home, "sotto.json"), '{"titles": true}')
    const run = await finished(
      bench,
      ["run", "Mend it.", ...MODEL, "--output", "jsonl"],
      reaching(server.url),
    )
    expect(run.code).toBe(0)
    const { id } = JSON.parse(run.out.split("\n")[0] ?? "")
    expect((await finished(bench, ["sessions"])).out).toContain("The parser")
    expect((await finished(bench, ["show", id])).out).toContain("What came of it: The parser was mended.\n")
  })

  it("tells what the model was told beside it, by step", async () => {
    const server = await serverWith(SCRIPT)
    const bench = benchWith()
    const id = await aSession(bench, server)
    const all = await finished(bench, ["asides", id])
    expect(all.code).toBe(0)
    expect(all.out).toContain("turn 1, step 2: queued_command")
    expect(all.out).toContain("The user sent a new message while you were working")
    const first = await finished(bench, ["asides", id, "--step", "1"])
    expect(first.out).toBe("At step 1 the model was told nothing beside the conversation.\n")
    const none = await finished(bench, ["asides", id, "--step", "99"])
    expect(none.out).toBe("No turn of this session has a step 99.\n")
    const second = await finished(bench, ["asides", id, "--step", "2"])
    expect(second.out).toContain("queued_command")
  })

  it("is exported, and imported elsewhere as it was", async () => {
    const server = await serverWith(SCRIPT)
    const bench = benchWith()
    const id = await aSession(bench, server)
    const exported = await finished(bench, ["export", id])
    expect(exported.code).toBe(0)
    for (const line of exported.out.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow()
    writeFileSync(bench.path("session.jsonl"), exported.out)

    const other = { ...bench, home: `${bench.home}-other` }
    const imported = await finished(other, ["import", "session.jsonl"])
    expect(imported).toEqual({ code: 0, out: `${id}\n`, err: "" })
    for (const command of ["show", "asides", "export"])
      expect((await finished(other, [command, id])).out).toBe((await finished(bench, [command, id])).out)

    const again = await finished(other, ["run", "Go on.", "--session", id, "--quiet"], reaching(server.url))
    expect(again).toMatchObject({ code: 0, out: "Twice now.\n" })
    expectClean(server)
  })

  it("is not imported over itself, nor from something else", async () => {
    const server = await serverWith(SCRIPT)
    const bench = benchWith({ "other.jsonl": '{"hello":"world"}\n' })
    const id = await aSession(bench, server)
    writeFileSync(bench.path("session.jsonl"), (await finished(bench, ["export", id])).out)
    const twice = await finished(bench, ["import", "session.jsonl"])
    expect(twice.code).toBe(1)
    expect(twice.err).toContain(id)
    const other = await finished(bench, ["import", "other.jsonl"])
    expect(other.code).toBe(1)
    expect(other.err).toMatch(/^sotto: /)
    const missing = await finished(bench, ["import", "missing.jsonl"])
    expect(missing).toEqual({ code: 2, out: "", err: "sotto: There is no file missing.jsonl.\n" })
  })
})
