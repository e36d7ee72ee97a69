import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { processesIn } from "./support/processes.js"
import { type Bench, benchWith, reaching, serverWith, talk } from "./support/sotto.js"

const COMMAND = fileURLToPath(new URL("../bin/sotto.js", import.meta.url))
const MODEL = ["--model", "anthropic/claude-sonnet-4-5"]
/** Says who it is, and then says something again and again. */
const LASTING = "echo $$ > ready; while :; do echo more; sleep 0.1; done"

async function staged() {
  const server = await serverWith([
    { calls: [{ name: "bash", input: { command: LASTING } }] },
    { text: "Good." },
    { text: "Good." },
  ])
  const bench = benchWith()
  bench.gate("ready")
  return { server, bench }
}

/** Waits until the command runs. */
async function commandOf(bench: Bench): Promise<void> {
  await readFile(bench.path("ready"))
}

describe.concurrent("a run that is ended from outside", () => {
  it.each([
    ["SIGHUP", 129],
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("by %s exits with %i, ends its command and keeps its queue", async (signal, code) => {
    const { server, bench } = await staged()
    const run = talk(bench, server, ...MODEL, "--yes", "Begin.")
    await commandOf(bench)
    run.say("Later.", { id: "later", delivery: "after-turn" })
    await run.wait({ type: "queued", id: "later" })
    run.signal(signal)
    expect((await run.ended).code).toBe(code)
    expect(processesIn(bench.cwd)).toEqual([])
    expect(run.all({ type: "turn-end" })).toMatchObject([{ reason: "interrupted" }])
    const again = talk(bench, server, ...MODEL, "--continue", "And now?")
    await again.wait({ type: "delivered", id: "later" })
    expect((await again.end()).code).toBe(0)
  })

  it("twice by SIGHUP, as a closing terminal does, still ends its command", async () => {
    const { server, bench } = await staged()
    const run = talk(bench, server, ...MODEL, "--yes", "Begin.")
    await commandOf(bench)
    run.signal("SIGHUP")
    run.signal("SIGHUP")
    expect((await run.ended).code).toBe(129)
    expect(processesIn(bench.cwd)).toEqual([])
  })

  it("by a closed socket, without writing anything, exits with 141 and ends its command", async () => {
    const { server, bench } = await staged()
    const args = [COMMAND, "run", "Begin.", "--yes", "--quiet", ...MODEL]
    const env = { PATH: process.env.PATH, SOTTO_HOME: bench.home, HOME: bench.home, ...reaching(server.url) }
    const child = spawn(process.execPath, args, { cwd: bench.cwd, env, stdio: ["ignore", "pipe", "inherit"] })
    await commandOf(bench)
    child.stdout.destroy()
    expect(await once(child, "exit")).toEqual([141, null])
    expect(processesIn(bench.cwd)).toEqual([])
  })

  it("by a closed pipe exits with 141 at the next write, and ends its command", async () => {
    const { server, bench } = await staged()
    bench.gate("stop")
    const run = `"$NODE" "$SOTTO" run Begin. --yes --output jsonl ${MODEL.join(" ")}`
    const env = {
      PATH: process.env.PATH,
      SOTTO_HOME: bench.home,
      HOME: bench.home,
      NODE: process.execPath,
      SOTTO: COMMAND,
      ...reaching(server.url),
    }
    const shell = spawn("bash", ["-c", `{ ${run}; echo $? > code; } | cat stop`], { cwd: bench.cwd, env })
    await commandOf(bench)
    await writeFile(bench.path("stop"), "now\n")
    await once(shell, "exit")
    expect(await readFile(bench.path("code"), "utf8")).toBe("141\n")
    expect(processesIn(bench.cwd)).toEqual([])
  })
})
