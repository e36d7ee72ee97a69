import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { median, megabytes, millis, table, times } from "./figures.js"
import { scriptedServer } from "./model/server.js"
import { piSlowly } from "./terminal/beside-pi.js"
import { longSession } from "./terminal/long.js"
import { echoes, percentile, SOTTO, seen, spawn } from "./terminal/pty.js"
import { speaker } from "./terminal/speaker.js"
import { whileStreaming } from "./terminal/streaming.js"

const LINES = 10_000
const KEYS = 200

/** The goals: each is printed beside what was measured. */
const GOALS = {
  framesASecond: 60,
  echo: 16,
  longEcho: 50,
  memory: 150e6,
  resume: 2,
} as const

/** What the terminal costs: drawing, typing, memory, and coming back to a long session. */
export async function run(wanted: readonly string[]): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "sotto-tui-"))
  const cwd = join(root, "work")
  mkdirSync(cwd)
  const env = {
    PATH: process.env.PATH,
    HOME: root,
    SOTTO_HOME: join(root, "home"),
    TERM: "xterm-256color",
    ANTHROPIC_API_KEY: "key",
    SOTTO_TRUST: "1",
  }
  try {
    for (const [name, page] of Object.entries(PAGES))
      if (wanted.length === 0 || wanted.includes(name))
        console.log((await page({ root, cwd, env })).join("\n"))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** `npm run bench -- tui streaming` measures only that. */
const PAGES: Readonly<Record<string, (place: Place) => Promise<readonly string[]>>> = {
  streaming: streamingPage,
  typing: typingPage,
  long: longPage,
}

interface Place {
  readonly root: string
  readonly cwd: string
  readonly env: object
}

async function streamingPage({ root, cwd, env }: Place): Promise<readonly string[]> {
  const server = await speaker()
  const options = { cols: 100, rows: 40, cwd, env: { ...env, ANTHROPIC_BASE_URL: server.url } }
  const sotto = spawn(process.execPath, [SOTTO, "--model", "anthropic/claude-opus-5-5"], options)
  try {
    await seen(sotto, "say what to do", "")
    const { framesASecond, bytesASecond, echo, busy, slowlyBusy } = await whileStreaming(sotto)
    const pi = await piSlowly(root, server.url)
    return [
      "While text streams in, in a pseudo-terminal of 100 × 40:",
      "",
      `500 tokens a second: ${framesASecond.toFixed(0)} frames a second${verdict(framesASecond, GOALS.framesASecond)}, ${(bytesASecond / 1000).toFixed(1)} kB a second, ${percent(busy)} of a processor`,
      `key to echo meanwhile, p95: ${millis(echo)}${verdict(echo, GOALS.echo)}`,
      `20 tokens a second: ${percent(slowlyBusy)} of a processor, pi ${percent(pi)}${slowlyBusy <= pi ? " (at most pi's)" : " (OVER pi's)"}`,
      "",
    ]
  } finally {
    sotto.kill("SIGKILL")
    await server.close()
  }
}

async function typingPage({ cwd, env }: Place): Promise<readonly string[]> {
  const answer = Array.from({ length: LINES / 2 }, (_, i) => `Line ${i + 1} of a long answer.`).join("\n\n")
  const server = await scriptedServer((n) => ({ text: n === 1 ? "Hello." : answer }))
  const options = { cols: 100, rows: 40, cwd, env: { ...env, ANTHROPIC_BASE_URL: server.url } }
  const cat = spawn("cat", [], options)
  const sotto = spawn(process.execPath, [SOTTO, "--model", "anthropic/claude-opus-5-5"], options)
  try {
    // The kernel echoes the key alone; a screen is drawn with all that was typed.
    const bare = await echoes(cat, KEYS, (typed) => typed.slice(-1))
    await seen(sotto, "say what to do", "")
    await seen(sotto, "── 1 step", "Begin.\r")
    const short = await echoes(sotto, KEYS, (typed) => `▌ ${typed}`, 20)
    sotto.write("\u0015")
    const started = performance.now()
    await seen(sotto, "── 1 step", "Write.\r")
    const printed = performance.now() - started
    const long = await echoes(sotto, KEYS, (typed) => `▌ ${typed}`, 20)
    const base = median(bare)
    const row = (name: string, taken: readonly number[]) => [
      ...[name, millis(median(taken)), millis(percentile(taken, 0.95)), millis(Math.max(...taken))],
      `${(median(taken) / base).toFixed(0)}×`,
    ]
    const p95 = percentile(long, 0.95)
    return [
      `Key to echo, ${KEYS} keys each; the long conversation is one answer of ${LINES} lines.`,
      "",
      ...table(
        ["", "median", "p95", "most", "of cat"],
        [
          row("cat, echoed by the kernel", bare),
          row("sotto, empty", short),
          row(`sotto, ${LINES} lines`, long),
        ],
      ),
      "",
      `printing the ${LINES} lines took ${millis(printed)}`,
      `key to echo with ${LINES} lines, p95: ${millis(p95)}${verdict(p95, GOALS.longEcho)}`,
      "",
    ]
  } finally {
    cat.kill("SIGKILL")
    sotto.kill("SIGKILL")
    await server.close()
  }
}

async function longPage(place: Place): Promise<readonly string[]> {
  const { memory, resumed, empty } = await longSession(place)
  return [
    `after 400 steps: ${megabytes(memory)}${verdict(memory, GOALS.memory)}`,
    `coming back to them: ${millis(resumed)}, an empty start ${millis(empty)}: ${times(resumed / empty)}${verdict(resumed / empty, GOALS.resume)}`,
  ]
}

function verdict(value: number, goal: number): string {
  const limit = goal >= 1e6 ? megabytes(goal) : String(goal)
  return value <= goal ? ` (at most ${limit})` : ` (OVER ${limit})`
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)}%`
}
