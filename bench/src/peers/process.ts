import { spawn } from "node:child_process"
import { once } from "node:events"
import { deferred } from "./deferred.js"
import type { Launch, Place } from "./peer.js"

const KEPT = 1_500
const PARTING = 5_000

/** A peer's process: lines come out, JSON lines may go in. */
export interface Running {
  readonly pid: number
  /** Its exit code, once all its output was read. */
  readonly closed: Promise<number | null>
  write(message: object): void
  /** Closes its input and waits for its end; what does not end is killed. */
  end(): Promise<void>
  /** Ends it and what it started, at once. */
  kill(): void
  /** The end of what it said on stderr, for an error message. */
  complaint(): string
}

const groups = new Set<number>()
process.on("exit", () => groups.forEach(endGroup))

/** Starts a program in the place. A line of its output is given as the object it holds, or else as text. */
export function start(
  { command, args, env }: Launch,
  { cwd, home, env: more = {} }: Place,
  onLine: (line: unknown) => void,
  input: "pipe" | "ignore" = "pipe",
): Running {
  const { PATH = "" } = process.env
  const child = spawn(command, args, {
    cwd,
    env: { PATH, HOME: home, TERM: "xterm-256color", LANG: "C.UTF-8", ...env, ...more },
    stdio: [input, "pipe", "pipe"],
    detached: true, // A group of its own, so that its children can be ended with it.
  })
  const closed = once(child, "close").then(([code]) => code as number | null)
  closed.catch(() => {}) // It could not be started, which the missing pid says too.
  const { pid, stdin, stdout, stderr } = child
  if (pid === undefined || stdout === null || stderr === null)
    throw new Error(`${command} cannot be started: is it there?`)

  let said = ""
  stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-KEPT)
  })
  let rest = ""
  stdout.setEncoding("utf8").on("data", (text: string) => {
    // Not readline: JSON may hold separators that it takes for ends of lines.
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) onLine(line.startsWith("{") ? JSON.parse(line) : line)
  })
  stdin?.on("error", () => {}) // It ended before it read everything.

  groups.add(pid)
  closed.finally(() => groups.delete(pid))
  const kill = () => endGroup(pid)
  return {
    pid,
    closed,
    write: (message) => void stdin?.write(`${JSON.stringify(message)}\n`),
    async end() {
      stdin?.end()
      await within(PARTING, closed).catch(kill)
      await closed
    },
    kill,
    complaint: () => said.trim(),
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // It has ended.
  }
}

/** The promise, or an error after so many milliseconds. */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const late = deferred<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`it was not done after ${milliseconds / 1_000} s`)),
    milliseconds,
  )
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
