import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expectAppendOnly, NotAppendOnly } from "@sotto/core/testing"
import { median, millis, table } from "./figures.js"
import { type Exchange, scriptedServer } from "./scripted-server.js"

const SOTTO = fileURLToPath(new URL("../../packages/cli/bin/sotto.js", import.meta.url))
const RUNS = 7
const SHORT = 20
const LONG = 300
/** At either end of a long turn, to compare. */
const EDGE = 30

export async function run(): Promise<void> {
  const starts: Turn[] = []
  for (let i = 0; i < RUNS; i++) starts.push(await play(SHORT))
  const long = await play(LONG)
  const [first] = long.exchanges
  const gaps = (turn: Turn) => stepsOf(turn).map(({ gap }) => gap)
  const nets = (turn: Turn) => stepsOf(turn).map(({ net }) => net)
  const begin = median(nets(long).slice(0, EDGE))
  const end = median(nets(long).slice(-EDGE))
  const tools = (JSON.parse(first?.body ?? "{}") as { readonly tools?: readonly unknown[] }).tools ?? []
  const rows: readonly (readonly string[])[] = [
    [
      "start to first request",
      ...spread(
        starts.map(({ toFirstRequest }) => toFirstRequest),
        millis,
      ),
    ],
    [
      "memory at first request (peak)",
      ...spread(
        starts.map(({ coldMemory }) => coldMemory),
        megabytes,
      ),
    ],
    [
      `memory after ${SHORT} steps (peak)`,
      ...spread(
        starts.map(({ peakMemory }) => peakMemory),
        megabytes,
      ),
    ],
    [`memory after ${LONG} steps (peak)`, ...spread([long.peakMemory], megabytes)],
    [`reply to next request, ${SHORT} steps`, ...spread(starts.flatMap(gaps), millis)],
    [`  net of the tool`, ...spread(starts.flatMap(nets), millis)],
    [`reply to next request, ${LONG} steps`, ...spread(gaps(long), millis)],
    [`  net of the tool`, ...spread(nets(long), millis)],
    [`  first ${EDGE} steps, net`, ...spread(nets(long).slice(0, EDGE), millis)],
    [`  last ${EDGE} steps, net`, ...spread(nets(long).slice(-EDGE), millis)],
    ["first request", bytes(first), "", ""],
    [`last request (step ${LONG + 1})`, bytes(long.exchanges.at(-1)), "", ""],
  ]
  const changed = [...starts, long].reduce((sum, { exchanges }) => sum + changedBytes(exchanges), 0)
  const page = [
    `\`sotto run\` as a process of its own against a server on loopback (Anthropic's API): ${RUNS} turns of ${SHORT} steps and one of`,
    `${LONG}, each step one \`read\` of a small file. A step is measured from the end of the reply to the arrival of the next`,
    "request; net of the tool: less the time between the call and its result in the output.",
    "",
    ...table(["", "median", "least", "most"], rows),
    "",
    `a step at the end costs ${(end / begin).toFixed(2)} times one at the beginning`,
    `tools offered: ${tools.length}`,
    `bytes already sent that changed: ${changed}`,
  ]
  console.log(page.join("\n"))
}

interface Turn {
  readonly toFirstRequest: number
  readonly coldMemory: number
  readonly peakMemory: number
  readonly exchanges: readonly Exchange[]
  /** Milliseconds that each call took, as the output tells it. */
  readonly toolTimes: readonly number[]
}

/** One `sotto run` from its start to its end. */
async function play(steps: number): Promise<Turn> {
  const root = mkdtempSync(join(tmpdir(), "sotto-bench-"))
  const cwd = join(root, "work")
  mkdirSync(cwd)
  writeFileSync(join(cwd, "small.txt"), "A small file.\nOf two lines.\n")
  const memory: number[] = []
  let child: ChildProcess | undefined
  const server = await scriptedServer(
    (n) =>
      n <= steps
        ? { call: { name: "read", input: { path: "small.txt" } } }
        : { text: `Read ${steps} times.` },
    () => memory.push(peakMemoryOf(child?.pid)),
  )
  try {
    const start = performance.now()
    const args = [
      "run",
      "--model",
      "anthropic/claude-opus-5-5",
      "--output",
      "jsonl",
      "--cwd",
      cwd,
      "Read it.",
    ]
    const { PATH, HOME } = process.env
    child = spawn(process.execPath, [SOTTO, ...args], {
      env: {
        PATH,
        HOME,
        SOTTO_HOME: join(root, "home"),
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: "key",
      },
      stdio: ["ignore", "pipe", "inherit"],
    })
    const closed = once(child, "close")
    const toolTimes = await timesOfTools(child)
    await closed
    const { exchanges } = server
    if (child.exitCode !== 0 || exchanges.length !== steps + 1)
      throw new Error(`sotto ended with ${child.exitCode} after ${exchanges.length} requests.`)
    return {
      toFirstRequest: (exchanges[0]?.arrived ?? Number.NaN) - start,
      coldMemory: memory[0] ?? Number.NaN,
      peakMemory: memory.at(-1) ?? Number.NaN,
      exchanges,
      toolTimes,
    }
  } finally {
    await server.close()
    rmSync(root, { recursive: true, force: true })
  }
}

async function timesOfTools({ stdout }: ChildProcess): Promise<readonly number[]> {
  if (stdout === null) throw new Error("The process has no output.")
  const times: number[] = []
  let called = 0
  for await (const line of createInterface({ input: stdout })) {
    const { type } = JSON.parse(line) as { readonly type: string }
    if (type === "tool-call") called = performance.now()
    if (type === "tool-result") times.push(performance.now() - called)
  }
  return times
}

function stepsOf({ exchanges, toolTimes }: Turn): readonly { readonly gap: number; readonly net: number }[] {
  return exchanges.slice(1).map(({ arrived }, i) => {
    const gap = arrived - (exchanges[i]?.answered ?? Number.NaN)
    return { gap, net: gap - (toolTimes[i] ?? Number.NaN) }
  })
}

/** Of each request, how much of the block that it changed was sent before. */
function changedBytes(exchanges: readonly Exchange[]): number {
  const bodies = exchanges.map(({ body }) => JSON.parse(body) as unknown)
  return bodies.slice(1).reduce((sum: number, body, i) => {
    try {
      expectAppendOnly([bodies[i], body])
      return sum
    } catch (error) {
      if (!(error instanceof NotAppendOnly)) throw error
      return sum + Math.max(1, (exchanges[i]?.body.length ?? 0) - error.offset)
    }
  }, 0)
}

/** The most memory that the process has ever had, in bytes. Linux alone tells. */
function peakMemoryOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024
  } catch {
    return Number.NaN
  }
}

function spread(values: readonly number[], format: (value: number) => string): readonly string[] {
  return [median(values), Math.min(...values), Math.max(...values)].map(format)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}

function bytes(exchange: Exchange | undefined): string {
  return `${Buffer.byteLength(exchange?.body ?? "").toLocaleString("en")} B`
}
