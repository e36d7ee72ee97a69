import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expectAppendOnly } from "@sotto/core/testing"
import { startRehearsal } from "@sotto/rehearsal"
import { environmentFor, refuseRefusals } from "@sotto/rehearsal/testing"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { openGate } from "./support/gate.js"

const PROGRAMS = ["anthropic", "openai", "google"]
const guide = readFileSync(new URL("../../docs/interrupting.md", import.meta.url), "utf8")
const source = (name: string) => readFileSync(new URL(`../forty-lines/${name}.ts`, import.meta.url), "utf8")

const WORDS = "Alpha beta gamma delta."
const AFTER = "Go another way."
const steps = [
  { text: WORDS, calls: [{ name: "read", input: { path: "pipe" } }] },
  ...Array.from({ length: 4 }, () => ({ text: "As you wish." })),
]

/** Starts the built program in a folder with a pipe: reading it blocks until the test writes. */
async function start(name: string, passes: (event: string) => boolean) {
  const cwd = mkdtempSync(join(tmpdir(), "sotto-forty-"))
  execFileSync("mkfifo", ["pipe"], { cwd })
  const rehearsal = await startRehearsal({ script: steps })
  const gate = await openGate(rehearsal.url, (event, { response }) => response > 0 || passes(event))
  const program = fileURLToPath(new URL(`../dist/forty-lines/${name}.js`, import.meta.url))
  const env = { PATH: process.env.PATH, ...environmentFor(gate.url) }
  const child = spawn(process.execPath, [program], { cwd, env })
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await gate.close()
    await rehearsal.close()
    rmSync(cwd, { recursive: true })
  })
  let printed = ""
  let failed = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    failed += text
  })
  const prints = (words: string) =>
    vi.waitFor(() => expect(`${printed}${failed}`).toContain(words), { timeout: 20_000 })
  child.stdin.write("Begin.\n")
  return {
    held: gate.held,
    prints,
    pipe: () => open(join(cwd, "pipe"), "w"),
    type: (line: string) => void child.stdin.write(`${line}\n`),
    interrupt: () => void child.kill("SIGINT"),
    /** Ends the program, and looks at what it has sent. */
    async end(kept: readonly string[]) {
      await prints("As you wish.\n[done]")
      child.stdin.end()
      expect(await once(child, "close")).toEqual([0, null])
      expect(failed).toBe("")
      refuseRefusals(rehearsal.requests)
      const bodies = rehearsal.requests.map(({ body }) => body)
      expectAppendOnly(bodies)
      const last = JSON.stringify(bodies.at(-1))
      for (const words of [AFTER, ...kept]) expect([words, last.split(words).length - 1]).toEqual([words, 1])
    },
  }
}

describe.each(PROGRAMS)("the agent of 40 lines on %s", (name) => {
  it("has at most 40 lines, and is the one in the guide", () => {
    const text = source(name)
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(40)
    expect(guide).toContain(`\`\`\`ts file=${name}.ts\n${text}\`\`\``)
  })

  it("interrupted before the first event", async () => {
    const agent = await start(name, () => false)
    await agent.held
    agent.interrupt()
    await agent.prints("[interrupted]")
    agent.type(AFTER)
    await agent.end([])
  })

  it("interrupted in the middle of the text", async () => {
    const agent = await start(name, (event) => !event.includes("gamma"))
    await agent.prints("beta")
    agent.interrupt()
    await agent.prints("[interrupted]")
    agent.type(AFTER)
    await agent.end(["Alpha beta"])
  })

  it("interrupted while a tool runs", async () => {
    const agent = await start(name, () => true)
    // Resolves once the tool has opened the pipe's other end.
    const pipe = await agent.pipe()
    agent.interrupt()
    await agent.prints("[interrupted]")
    agent.type(AFTER)
    await agent.prints("As you wish.")
    await pipe.write("too late")
    await pipe.close()
    await agent.end([WORDS, "Stopped by the user before it finished."])
  })

  it("told what cannot wait in the middle of the text", async () => {
    const agent = await start(name, (event) => !event.includes("gamma"))
    await agent.prints("beta")
    agent.type(`!${AFTER}`)
    await agent.end(["Alpha beta"])
  })
})
