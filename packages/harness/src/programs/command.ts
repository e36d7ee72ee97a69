import { closeSync, fstatSync, ftruncateSync } from "node:fs"
import { dirname } from "node:path"
import { reasonOf, ToolError } from "../text/errors.js"
import { openPrivate, privateFolder } from "../workspace/private-files.js"
import type { ChildEnvironment } from "./environment.js"
import { watchSize } from "./output-cap.js"
import { startInto } from "./start.js"

/** How a command ended. `why` says who ended it, if it was not itself. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly why?: Stop
}

type Stop = "timeout" | "aborted" | "stopped" | "too much output"

export interface Command {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: ChildEnvironment
  /** Takes everything the command and its children print, in the order they print it. */
  readonly output: string
  readonly guard?: ProcessGuard | undefined
}

/** Somebody who ends a process group when whoever started it cannot, or may no longer have it run. */
export interface ProcessGuard {
  started(pid: number): void
  ended(pid: number): void
}

export interface Running {
  readonly pid: number
  readonly ended: Promise<Ending>
  /** Ends the whole process group: politely first, then for good. */
  stop(why: Stop): void
  /** Lets the program end although the command still runs. */
  unref(): void
}

const GRACE_MS = 2000
const LOOK_MS = 50
const MOST_OUTPUT = 200_000_000

/**
 * Starts a command in a process group of its own. It prints to a file and not through a pipe, so that its end is its
 * own end and not that of every process that inherited the pipe, and nothing it prints is held in memory.
 */
export async function startCommand({ argv, cwd, env, output, guard }: Command): Promise<Running> {
  privateFolder(dirname(output))
  const file = openPrivate(output)
  const [program = "", ...args] = argv
  const child = startInto(file, program, args, { cwd, env, detached: true })
  const pid = await new Promise<number>((resolve, reject) => {
    child.once("spawn", () => resolve(child.pid ?? 0)).once("error", reject)
  }).catch((cause) => {
    closeSync(file)
    const why = reasonOf(cause)
    throw new ToolError(`The command could not be started: ${why}.`, { cause })
  })

  guard?.started(pid)
  let why: Stop | undefined
  let killed = Promise.resolve()
  const stop = (reason: Stop) => {
    if (why !== undefined) return
    why = reason
    // What floods the disk is given no time to go on.
    if (reason === "too much output") signalGroup(pid, "SIGKILL")
    killed = endGroup(pid)
  }
  const stopWatching = watchSize(file, MOST_OUTPUT, () => stop("too much output"))
  const ended = new Promise<Ending>((resolve) => {
    child.once("exit", async (code, signal) => {
      stopWatching()
      await killed
      guard?.ended(pid)
      if (why === "too much output" && fstatSync(file).size > MOST_OUTPUT) ftruncateSync(file, MOST_OUTPUT)
      closeSync(file)
      resolve({ code, signal, ...(why !== undefined && { why }) })
    })
  })
  return { pid, ended, stop, unref: () => child.unref() }
}

/** Whether anything of the group is still there. */
export function groupLives(pid: number): boolean {
  return signalGroup(pid, 0)
}

/** Politely first, then for good. */
export async function endGroup(pid: number, grace = GRACE_MS): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    signalGroup(pid, signal)
    // Not for ever, even after the last: a dead process that nobody reaps still counts as there.
    for (let waited = 0; waited < grace && groupLives(pid); waited += LOOK_MS)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}
