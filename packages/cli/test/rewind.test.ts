import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { Json } from "@sotto/core"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { bodiesOf, conversationOf } from "./support/bodies.js"
import { benchWith, finished, reaching, serverWith, talk } from "./support/sotto.js"

const MODEL = ["--model", "anthropic/claude-sonnet-4-5"]
const call = (name: string, input: Record<string, Json>): ScriptStep => ({ calls: [{ name, input }] })
const STEPS: readonly ScriptStep[] = [
  { text: "FIRST answer" },
  call("read", { path: "a.txt" }),
  call("edit", { path: "a.txt", old: "one", new: "two" }),
  call("write", { path: "new.txt", content: "new\n" }),
  { text: "WRONG answer" },
  { text: "RIGHT answer" },
]

/** Two turns, the second of which changes files. */
async function worked() {
  const server = await serverWith({ counting: "requests", steps: STEPS })
  const bench = benchWith({ "a.txt": "one\n" })
  const run = talk(bench, server, ...MODEL, "--yes")
  run.say("FIRST prompt", { id: "first" })
  await run.wait({ type: "turn-end" })
  run.say("WRONG prompt", { id: "wrong" })
  await run.wait({ type: "turn-end" }, 2)
  return { server, bench, run }
}

describe.concurrent("a rewind", () => {
  it("takes back what was said since a prompt, in one rebase, and leaves files alone unless asked", async () => {
    const { server, bench, run } = await worked()
    run.send({ type: "rewind", id: "wrong" })
    await run.wait({ type: "rewound", to: "wrong" })
    run.say("RIGHT prompt")
    await run.wait({ type: "turn-end" }, 3)
    await run.end()
    const sent = conversationOf(bodiesOf(server).at(-1))
    expect(sent).toMatch(/FIRST prompt.*FIRST answer.*RIGHT prompt/s)
    expect(sent).not.toContain("WRONG")
    expect(run.all({ type: "rebase" })).toEqual([{ type: "rebase", reason: "rewind" }])
    expect(readFileSync(bench.path("a.txt"), "utf8")).toBe("two\n")
    for (const { problems } of server.requests) expect(problems).toEqual([])
  })

  it("restores the files that the agent wrote, if asked, but none that somebody else has changed since", async () => {
    const { bench, run } = await worked()
    writeFileSync(bench.path("new.txt"), "somebody else's\n")
    run.send({ type: "rewind", id: "wrong", files: true })
    const { message } = await run.wait({ type: "error" })
    await run.end()
    expect(readFileSync(bench.path("a.txt"), "utf8")).toBe("one\n")
    expect(readFileSync(bench.path("new.txt"), "utf8")).toBe("somebody else's\n")
    expect(message).toContain("new.txt")
  })

  it("removes files that did not exist before", async () => {
    const { bench, run } = await worked()
    run.send({ type: "rewind", id: "wrong", files: true })
    await run.wait({ type: "rewound" })
    await run.end()
    expect(existsSync(bench.path("new.txt"))).toBe(false)
  })

  it("names what it cannot go back to", async () => {
    const { run } = await worked()
    run.send({ type: "rewind", id: "nobody" })
    const { message } = await run.wait({ type: "error" })
    await run.end()
    expect(message).toContain('No turn was opened by a message "nobody"')
  })
})

describe.concurrent("a fork", () => {
  it("is a new session from before a prompt, and leaves the old one as it is", async () => {
    const { server, bench, run } = await worked()
    await run.end()
    const [{ id }] = run.all({ type: "session" }) as unknown as [{ id: string }]
    const { out, code } = await finished(bench, ["fork", id, "wrong"])
    expect(code).toBe(0)
    const fork = out.trim()
    const next = ["run", "RIGHT prompt", "--session", fork, "--quiet", ...MODEL]
    expect(await finished(bench, next, reaching(server.url))).toMatchObject({
      code: 0,
      out: "RIGHT answer\n",
    })
    const sent = conversationOf(bodiesOf(server).at(-1))
    expect(sent).toMatch(/FIRST prompt.*RIGHT prompt/s)
    expect(sent).not.toContain("WRONG")
    expect((await finished(bench, ["show", id])).out).toContain("WRONG answer")
    expect((await finished(bench, ["show", fork])).out).not.toContain("WRONG")
    const missing = await finished(bench, ["fork", id, "nobody"])
    expect(missing).toMatchObject({ code: 1 })
    expect(missing.err).toContain("--ids")
  })
})
