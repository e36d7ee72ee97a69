import { execFile } from "node:child_process"
import { realpathSync } from "node:fs"
import { performance } from "node:perf_hooks"
import { promisify } from "node:util"
import { confine, findSandbox } from "@sotto/harness"

const run = promisify(execFile)
const WARM_UP = 3

/** What a command costs that does nothing, plain and in the sandbox: median milliseconds of several runs. */
export async function sandboxCost(times: number): Promise<string> {
  const began = performance.now()
  const sandbox = await findSandbox()
  const finding = performance.now() - began
  if (sandbox === undefined) return "sandboxed command: there is no sandbox on this machine that works"
  const place = { cwd: realpathSync(process.cwd()), env: process.env }
  const plain = await median(times, () => ["bash", "-c", "true"])
  const confined = await median(times, () =>
    sandbox.wrap("true", confine(place, { reach: "read-only", network: false })),
  )
  const more = (confined - plain).toFixed(1)
  const ratio = (confined / plain).toFixed(1)
  return `sandboxed command (${sandbox.name}): plain ${plain.toFixed(1)} ms, sandboxed ${confined.toFixed(1)} ms (+${more} ms, ${ratio} times); trying it out, once per process: ${finding.toFixed(0)} ms`
}

async function median(times: number, argv: () => readonly string[]): Promise<number> {
  const took: number[] = []
  for (let i = 0; i < times + WARM_UP; i++) {
    const began = performance.now()
    const [program = "", ...args] = argv()
    await run(program, args)
    if (i >= WARM_UP) took.push(performance.now() - began)
  }
  return took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)] ?? 0
}
