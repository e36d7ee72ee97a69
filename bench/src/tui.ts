import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { median, millis, table } from "./figures.js"
import { scriptedServer } from "./model/server.js"

const SOTTO = fileURLToPath(new URL("../../packages/cli/bin/sotto.js", import.meta.url))
const LINES = 10_000
const KEYS = 200
/** Key to echo, in milliseconds. */
const GOAL = 50

/** The pseudo-terminal that the command's own tests use. */
interface Pty {
  write(data: string): void
  kill(signal?: string): void
  onData(listen: (data: string) => void): { dispose(): void }
}
interface Ptys {
  spawn(file: string, args: readonly string[], options: object): Pty
}
const { spawn } = createRequire(new URL("../../packages/cli/package.json", import.meta.url))(
  "@lydell/node-pty",
) as Ptys

/** How long a key takes to be seen, in a conversation of ten thousand lines. */
export async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "sotto-tui-"))
  const answer = Array.from({ length: LINES / 2 }, (_, i) => `Line ${i + 1} of a long answer.`).join("\n\n")
  const server = await scriptedServer((n) => ({ text: n === 1 ? "Hello." : answer }))
  const env = {
    PATH: process.env.PATH,
    HOME: root,
    SOTTO_HOME: join(root, "home"),
    TERM: "xterm-256color",
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "key",
  }
  mkdirSync(join(root, "work"))
  const options = { cols: 100, rows: 40, cwd: join(root, "work"), env }
  const cat = spawn("cat", [], options)
  const sotto = spawn(process.execPath, [SOTTO, "--model", "anthropic/claude-opus-5-5"], options)
  try {
    // The kernel echoes the key alone; a screen is drawn with all that was typed.
    const bare = await echoes(cat, (typed) => typed.slice(-1))
    await seen(sotto, "say what to do", "")
    await seen(sotto, "Hello.", "Begin.\r")
    await seen(sotto, "── 1 step", "")
    const short = await echoes(sotto, (typed) => `▌ ${typed}`)
    sotto.write("\u0015")
    const started = performance.now()
    await seen(sotto, "── 1 step", "Write.\r")
    const printed = performance.now() - started
    const long = await echoes(sotto, (typed) => `▌ ${typed}`)
    const base = median(bare)
    const row = (name: string, times: readonly number[]) => [
      ...[name, millis(median(times)), millis(percentile(times, 0.95)), millis(Math.max(...times))],
      `${(median(times) / base).toFixed(0)}×`,
    ]
    const rows = [
      row("cat, echoed by the kernel", bare),
      row("sotto, empty", short),
      row(`sotto, ${LINES} lines`, long),
    ]
    const page = [
      `Key to echo in a pseudo-terminal of 100 × 40, ${KEYS} keys each; the long conversation is one answer of ${LINES} lines.`,
      "",
      ...table(["", "median", "p95", "most", "of cat"], rows),
      "",
      `printing the ${LINES} lines took ${millis(printed)}`,
      `key to echo with ${LINES} lines, p95: ${percentile(long, 0.95) < GOAL ? "under" : "OVER"} ${GOAL} ms`,
    ]
    console.log(page.join("\n"))
  } finally {
    cat.kill("SIGKILL")
    sotto.kill("SIGKILL")
    await server.close()
    rmSync(root, { recursive: true, force: true })
  }
}

/** One key after the other: from pressing it until what was typed is written to the terminal. */
async function echoes(pty: Pty, shown: (typed: string) => string): Promise<readonly number[]> {
  const times: number[] = []
  let typed = ""
  for (let i = 0; i < KEYS; i++) {
    // A line stays shorter than the terminal is wide.
    if (typed.length === 60) {
      pty.write("\u0015")
      typed = ""
    }
    const key = String.fromCharCode(97 + (i % 26))
    typed += key
    const start = performance.now()
    await seen(pty, shown(typed), key)
    times.push(performance.now() - start)
  }
  return times
}

/** Writes, and waits until the terminal was given this. */
function seen(pty: Pty, wanted: string, written: string): Promise<void> {
  return new Promise((resolve) => {
    let heard = ""
    const listening = pty.onData((data) => {
      heard += data.replaceAll(CODES, "")
      if (!heard.includes(wanted)) return
      listening.dispose()
      resolve()
    })
    pty.write(written)
  })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what is said to a terminal begins with one
const CODES = /\u001b\[[0-?]*[ -/]*[@-~]/g

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
