import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

export const SOTTO = fileURLToPath(new URL("../../../packages/cli/bin/sotto.js", import.meta.url))

/** The pseudo-terminal that the command's own tests use. */
export interface Pty {
  readonly pid: number
  write(data: string): void
  kill(signal?: string): void
  onData(listen: (data: string) => void): { dispose(): void }
  onExit(listen: () => void): { dispose(): void }
}
interface Ptys {
  spawn(file: string, args: readonly string[], options: object): Pty
}
export const { spawn } = createRequire(new URL("../../../packages/cli/package.json", import.meta.url))(
  "@lydell/node-pty",
) as Ptys

// biome-ignore lint/suspicious/noControlCharactersInRegex: what is said to a terminal begins with one
const CODES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[78])/g

/** Writes, and waits until the terminal was given this. */
export function seen(pty: Pty, wanted: string, written: string): Promise<void> {
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

/** One key after the other, so many milliseconds apart: from pressing it until what was typed is on the terminal. */
export async function echoes(
  pty: Pty,
  keys: number,
  shown: (typed: string) => string,
  pause = 0,
): Promise<readonly number[]> {
  const times: number[] = []
  let typed = ""
  for (let i = 0; i < keys; i++) {
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
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
  }
  return times
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Seconds of the processor that a process has used. */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Bytes of memory that a process has now. */
export function memoryOf(pid: number): number {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
  return Number(found?.[1] ?? Number.NaN) * 1024
}
