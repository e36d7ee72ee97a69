import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expectAppendOnly } from "@sotto/core/testing"
import { startRehearsal } from "@sotto/rehearsal"
import { environmentFor, refuseRefusals } from "@sotto/rehearsal/testing"
import { expect, it, onTestFinished } from "vitest"
import { INTEGRATIONS } from "../run/integrations.js"

const program = fileURLToPath(new URL("../dist/run/main.js", import.meta.url))

/** Reading the pipe blocks, so the program can be killed while its tool runs. */
const steps = [
  { text: "I read.", calls: [{ name: "read", input: { path: "pipe" } }] },
  { text: "All is well." },
]

it("an agent that is killed with SIGKILL while a tool runs goes on from its log", async () => {
  const rehearsal = await startRehearsal({ script: steps })
  const cwd = mkdtempSync(join(tmpdir(), "sotto-run-"))
  onTestFinished(async () => {
    await rehearsal.close()
    rmSync(cwd, { recursive: true })
  })
  execFileSync("mkfifo", ["pipe"], { cwd })
  const env = { PATH: process.env.PATH, ...environmentFor(rehearsal.url) }
  const start = () => {
    const child = spawn(process.execPath, [program, "anthropic"], { cwd, env })
    onTestFinished(() => void child.kill("SIGKILL"))
    return child
  }

  const first = start()
  first.stdin.end("Read the pipe.\n")
  // Resolves once the tool has opened the pipe's other end.
  const pipe = await open(join(cwd, "pipe"), "w")
  first.kill("SIGKILL")
  await once(first, "close")
  await pipe.close()

  const second = start()
  let printed = ""
  second.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text
  })
  second.stdin.end()
  const again = await open(join(cwd, "pipe"), "w")
  await again.write("from the pipe")
  await again.close()
  expect(await once(second, "close")).toEqual([0, null])
  expect(printed).toContain("All is well.")
  refuseRefusals(rehearsal.requests)
  const bodies = rehearsal.requests.map(({ body }) => body)
  expectAppendOnly(bodies)
  expect(JSON.stringify(bodies.at(-1))).toContain("from the pipe")
})

it("an unknown name is answered with the names there are", async () => {
  const child = spawn(process.execPath, [program, "nothing"])
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text
  })
  expect(await once(child, "close")).toEqual([2, null])
  for (const name of Object.keys(INTEGRATIONS)) expect(said).toContain(name)
})
