import { realpathSync } from "node:fs"
import { performance } from "node:perf_hooks"
import {
  allowedCommand,
  childEnvironment,
  confine,
  confinedCommand,
  direct,
  findSandbox,
  type Launch,
  startPrinting,
} from "@sotto/harness"

const WARM_UP = 3

/** Measures a command that does nothing, plain, with processes of its own, and confined: median milliseconds of several runs. */
export async function sandboxCost(times: number): Promise<string> {
  const began = performance.now()
  const sandbox = await findSandbox()
  const finding = performance.now() - began
  if (sandbox === undefined) return "confined command: there is no sandbox on this machine that works"
  const cwd = realpathSync(process.cwd())
  const nothing = ["bash", "-c", "true"] as const
  const plain = await median(times, async () => direct(nothing))
  const apart = await median(times, () => allowedCommand(nothing, cwd))
  const confined = await median(times, async () => {
    const { argv, filter } = sandbox.wrap(
      "true",
      confine({ cwd, env: process.env }, { reach: "read-only", network: false }),
    )
    return confinedCommand(argv, filter)
  })
  const row = (name: string, took: number) =>
    `${name} ${took.toFixed(1)} ms (+${(took - plain).toFixed(1)} ms, ${(took / plain).toFixed(1)} times)`
  return `command that does nothing: plain ${plain.toFixed(1)} ms, ${row("with processes of its own", apart)}, ${row(`confined (${sandbox.name})`, confined)}; trying the sandbox out, once per process: ${finding.toFixed(0)} ms`
}

async function median(times: number, launch: () => Promise<Launch>): Promise<number> {
  const took: number[] = []
  for (let i = 0; i < times + WARM_UP; i++) {
    const began = performance.now()
    const child = startPrinting(await launch(), { env: childEnvironment(process.env) })
    child.stdout.resume()
    child.stderr.resume()
    await new Promise((resolve) => child.once("close", resolve))
    if (i >= WARM_UP) took.push(performance.now() - began)
  }
  return took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)] ?? 0
}
