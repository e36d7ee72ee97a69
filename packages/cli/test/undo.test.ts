import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs"
import type { Json } from "@sotto/core"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { benchWith, serverWith, talk } from "./support/sotto.js"

const MODEL = ["--model", "anthropic/claude-sonnet-4-5"]
const call = (name: string, input: Record<string, Json>): ScriptStep => ({ calls: [{ name, input }] })
const bash = (command: string, more: Record<string, Json> = {}) => call("bash", { command, ...more })

/** A session in which a first turn said hello, and a second one runs these steps. */
async function worked(files: Readonly<Record<string, string>>, steps: readonly ScriptStep[]) {
  const server = await serverWith({
    counting: "requests",
    steps: [{ text: "Hello." }, ...steps, { text: "Done." }, { text: "Again." }],
  })
  const bench = benchWith(files)
  const run = talk(bench, server, ...MODEL, "--yes")
  run.say("Hello", { id: "hello" })
  await run.wait({ type: "turn-end" })
  const work = async () => {
    run.say("Work", { id: "work" })
    await run.wait({ type: "turn-end" }, 2)
  }
  const text = (name: string) => readFileSync(bench.path(name), "utf8")
  return { server, bench, run, work, text }
}

describe.concurrent("an undo", () => {
  it("brings back what commands did: contents, modes, links, folders; a redo goes forward", async () => {
    const { bench, run, work, text } = await worked(
      { "a.txt": "one\n", "old/deep/b.txt": "b\n", "run.sh": "echo\n" },
      [
        bash("printf two > a.txt; rm -r old; mkdir -p made/in; echo c > made/in/c.txt"),
        bash("chmod 755 run.sh; ln -s a.txt link; mv a.txt moved.txt"),
      ],
    )
    chmodSync(bench.path("run.sh"), 0o640)
    await work()
    expect(existsSync(bench.path("old"))).toBe(false)
    run.send({ type: "undo" })
    const { restored } = await run.wait({ type: "restored" })
    expect(restored).toHaveLength(10)
    expect(text("a.txt")).toBe("one\n")
    expect(text("old/deep/b.txt")).toBe("b\n")
    expect(statSync(bench.path("run.sh")).mode & 0o777).toBe(0o640)
    for (const gone of ["made", "link", "moved.txt"]) expect(existsSync(bench.path(gone))).toBe(false)
    run.send({ type: "redo" })
    await run.wait({ type: "restored" }, 2)
    await run.end()
    expect(text("moved.txt")).toBe("two")
    expect(text("made/in/c.txt")).toBe("c\n")
    expect(readlinkSync(bench.path("link"))).toBe("a.txt")
    expect(statSync(bench.path("run.sh")).mode & 0o777).toBe(0o755)
    for (const gone of ["old", "a.txt"]) expect(existsSync(bench.path(gone))).toBe(false)
  })

  it("goes further back each time, and forward as often, until something new is said", async () => {
    const { run, work, text } = await worked({ "a.txt": "one\n" }, [bash("echo two > a.txt")])
    await work()
    run.say("More", { id: "more" })
    await run.wait({ type: "turn-end" }, 3)
    for (let back = 0; back < 3; back++) run.send({ type: "undo" })
    await run.wait({ type: "rewound", to: "hello" })
    expect(text("a.txt")).toBe("one\n")
    run.send({ type: "undo" })
    expect((await run.wait({ type: "error" })).message).toContain("there is no turn to go back before")
    for (let forward = 0; forward < 3; forward++) run.send({ type: "redo" })
    await run.wait({ type: "redone" }, 3)
    await run.wait({ type: "restored" }, 6)
    expect(text("a.txt")).toBe("two\n")
    run.send({ type: "redo" })
    expect((await run.wait({ type: "error" }, 2)).message).toContain("There is no rewind to take back")
    await run.end()
  })

  it("does nothing where somebody else has changed a file since, unless told to leave or overwrite it", async () => {
    const { bench, run, work, text } = await worked({ "a.txt": "one\n", "b.txt": "one\n" }, [
      bash("echo two > a.txt; echo two > b.txt"),
    ])
    await work()
    writeFileSync(bench.path("a.txt"), "theirs\n")
    run.send({ type: "undo" })
    const { message } = await run.wait({ type: "error" })
    expect(message).toContain("somebody else has changed a.txt since, so nothing was done")
    expect(text("b.txt")).toBe("two\n")
    expect(run.all({ type: "rewound" })).toEqual([])
    run.send({ type: "undo", edited: "skip" })
    await run.wait({ type: "restored" })
    expect([text("a.txt"), text("b.txt")]).toEqual(["theirs\n", "one\n"])
    run.send({ type: "redo" })
    await run.wait({ type: "restored" }, 2)
    expect([text("a.txt"), text("b.txt")]).toEqual(["theirs\n", "two\n"])
    run.send({ type: "undo", edited: "overwrite" })
    await run.wait({ type: "restored" }, 3)
    expect([text("a.txt"), text("b.txt")]).toEqual(["one\n", "one\n"])
    await run.end()
  })

  it("lists what would come back, and does nothing, for a preview", async () => {
    const { run, work, text } = await worked({ "a.txt": "one\n" }, [
      bash("echo two > a.txt; echo n > new.txt"),
    ])
    await work()
    run.send({ type: "undo", preview: true })
    expect(await run.wait({ type: "restored" })).toMatchObject({
      preview: true,
      restored: [
        { path: "a.txt", is: "changed" },
        { path: "new.txt", is: "removed" },
      ],
    })
    expect(text("a.txt")).toBe("two\n")
    expect(run.all({ type: "rewound" })).toEqual([])
    await run.end()
  })

  it("covers hooks, subagents and what the agent's tools write, in one turn", async () => {
    const hook = { match: "edit|write", command: "echo formatted >> src.txt" }
    const { bench, run, text } = await worked(
      { "src.txt": "one\n", "sotto.json": JSON.stringify({ hooks: { after_tool: [hook] } }) },
      [],
    )
    await run.end()
    const server = await serverWith({
      counting: "requests",
      steps: [
        call("read", { path: "src.txt" }),
        call("edit", { path: "src.txt", old: "one", new: "two" }),
        call("task", { agent: "general", description: "work", prompt: "Write it." }),
        bash("echo theirs > by-subagent.txt"),
        { text: "I wrote it." },
        { text: "Done." },
      ],
    })
    const next = talk(bench, server, ...MODEL, "--yes")
    next.say("Work", { id: "work" })
    await next.wait({ type: "turn-end" })
    expect(text("by-subagent.txt")).toBe("theirs\n")
    next.send({ type: "undo" })
    await next.wait({ type: "restored" })
    await next.end()
    expect(text("src.txt")).toBe("one\n")
    expect(existsSync(bench.path("by-subagent.txt"))).toBe(false)
  })

  it("waits for nothing that still works in the background: it says so, and does nothing", async () => {
    const { bench, run, work, text } = await worked({ "a.txt": "one\n" }, [
      bash("cat gate; echo two > a.txt; cat later", { background: true }),
    ])
    const [gate, later] = [bench.gate(), bench.gate("later")]
    await work()
    await gate.open()
    run.send({ type: "undo" })
    expect((await run.wait({ type: "error" })).message).toContain('"bash-1" still works in the background')
    await later.open()
    await run.wait({ type: "turn-end" }, 3)
    run.send({ type: "undo" })
    run.send({ type: "undo" })
    await run.wait({ type: "rewound", to: "work" })
    await run.wait({ type: "restored" }, 2)
    await run.end()
    expect(text("a.txt")).toBe("one\n")
  })

  it("works when the session is opened again", async () => {
    const { bench, server, run, work, text } = await worked({ "a.txt": "one\n" }, [bash("echo two > a.txt")])
    await work()
    await run.end()
    const again = talk(bench, server, "--continue", ...MODEL)
    again.send({ type: "undo" })
    await again.wait({ type: "restored" })
    expect(text("a.txt")).toBe("one\n")
    await again.end()
    const third = talk(bench, server, "--continue", ...MODEL)
    third.send({ type: "redo" })
    await third.wait({ type: "restored" })
    expect(text("a.txt")).toBe("two\n")
    await third.end()
  })

  it("is finished when the session is opened again, if it was killed in the middle", async () => {
    const count = 3_000
    const { bench, server, run, work } = await worked({ "n/0.txt": "one\n" }, [
      bash(`for i in $(seq 1 ${count}); do echo $i > n/$i.txt; done; echo two > n/0.txt`),
    ])
    await work()
    expect(readdirSync(bench.path("n"))).toHaveLength(count + 1)
    run.send({ type: "undo" })
    await run.wait({ type: "rewound" })
    // Files go from here on, one after the other.
    while (readdirSync(bench.path("n")).length > count - 50)
      await new Promise((resolve) => setImmediate(resolve))
    run.signal("SIGKILL")
    await run.ended
    const left = readdirSync(bench.path("n")).length
    expect(left).toBeGreaterThan(1)
    const again = talk(bench, server, "--continue", ...MODEL)
    const { message } = await again.wait({ type: "error" })
    await again.end()
    expect(message).toContain(`is finished now: ${count + 1} of ${count + 1} files`)
    expect(readdirSync(bench.path("n"))).toEqual(["0.txt"])
    expect(readFileSync(bench.path("n/0.txt"), "utf8")).toBe("one\n")
  })

  it("keeps nothing for commands where snapshots are off", async () => {
    const { run, work, text } = await worked({ "a.txt": "one\n", "sotto.json": '{"snapshots":false}' }, [
      bash("echo two > a.txt"),
      call("write", { path: "b.txt", content: "b\n" }),
    ])
    await work()
    run.send({ type: "undo" })
    expect(await run.wait({ type: "restored" })).toMatchObject({ restored: [{ path: "b.txt" }] })
    await run.end()
    expect(text("a.txt")).toBe("two\n")
  })
})
