import { closeSync, fstatSync, ftruncateSync, readdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { reasonOf, ToolError } from "../../platform/text/errors.js"
import { openPrivate, privateFolder } from "../../platform/workspace/private-files.js"
import type { ChildEnvironment } from "./environment.js"
import { endingOf, type Launch } from "./launch.js"
import { watchSize } from "./output-cap.js"
import { startInto } from "./start.js"

/** How a command ended. `why` says who ended it, if it was not itself. */
export interface CommandEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly why?: Stop
}

type Stop = "timeout" | "aborted" | "stopped" | "too much output"

export interface Command {
  readonly launch: Launch
  readonly cwd: string
  readonly env: ChildEnvironment
  /** Takes everything the command and its children print, in the order they print it. */
  readonly output: string
  readonly guard?: ProcessGuard | undefined
}

/** Ends a process group when the program that started it cannot, or may no longer have it run. */
export interface ProcessGuard {
  started(pid: number): void
  ended(pid: number): void
}

export interface RunningCommand {
  readonly pid: number
  readonly ended: Promise<CommandEnd>
  /** Ends the whole process group: politely first, then for good. */
  stop(why: Stop): void
  /** Lets the program end although the command still runs. */
  unref(): void
}

const GRACE_MS = 2000
const LOOK_MS = 50
const SETTLE_MS = 100
const MOST_OUTPUT = 200_000_000

/**
 * Starts a command in a process group of its own. It prints to a file and not through a pipe, so that its end is its
 * own end and not that of every process that inherited the pipe, and nothing it prints is held in memory.
 */
export async function startCommand({ launch, cwd, env, output, guard }: Command): Promise<RunningCommand> {
  privateFolder(dirname(output))
  const file = openPrivate(output)
  const child = startInto(file, launch, { cwd, env, detached: true })
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
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once("exit", async (code, signal) => {
      stopWatching()
      await killed
      guard?.ended(pid)
      if (why === "too much output" && fstatSync(file).size > MOST_OUTPUT) ftruncateSync(file, MOST_OUTPUT)
      closeSync(file)
      resolve({ ...endingOf(launch, code, signal), ...(why !== undefined && { why }) })
    })
  })
  return { pid, ended, stop, unref: () => child.unref() }
}

/** Tells whether anything of a process group still runs. A dead process that has not been reaped does not count. */
export function groupLives(pid: number): boolean {
  if (!signalGroup(pid, 0)) return false
  try {
    const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
    return processes.some((one) => isRunningIn(pid, one))
  } catch {
    return true // Not Linux: the signal has found something.
  }
}

function isRunningIn(group: number, process: string): boolean {
  try {
    const stat = readFileSync(`/proc/${process}/stat`, "utf8")
    // After the name, which may hold anything: state, parent, group.
    const [state, , inGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return Number(inGroup) === group && state !== "Z" && state !== "X"
  } catch {
    return false // It has ended meanwhile.
  }
}

/** Tells the same of a command that has just ended: bubblewrap reports the end a moment before its last process is gone. */
export async function groupStays(pid: number): Promise<boolean> {
  for (let waited = 0; waited < SETTLE_MS && groupLives(pid); waited += SETTLE_MS / 10)
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS / 10))
  return groupLives(pid)
}

/** Ends a process group: politely first, then for good. */
export async function endGroup(pid: number, grace = GRACE_MS): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    signalGroup(pid, signal)
    // Do not wait for ever, even after the last: a dead process that is never reaped still counts as there.
    for (let waited = 0; waited < grace && groupLives(pid); waited += LOOK_MS)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** Signals a process group. Behind bubblewrap a polite signal goes to the program: bubblewrap would end it for good. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  const inside = signal === "SIGTERM" ? processesBehindBubblewrap(pid) : []
  const sent = (inside.length > 0 ? inside : [-pid]).map((one) => {
    try {
      return process.kill(one, signal)
    } catch {
      return false
    }
  })
  return sent.includes(true)
}

/** Lists the processes that bubblewrap supervises, if the process is bubblewrap: all below the init of its namespace. */
function processesBehindBubblewrap(pid: number): readonly number[] {
  try {
    if (readFileSync(`/proc/${pid}/comm`, "utf8").trim() !== "bwrap") return []
    return childrenOf(pid).flatMap(childrenOf).flatMap(withDescendants)
  } catch {
    return [] // Not Linux, or it is gone.
  }
}

function withDescendants(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(withDescendants)]
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)
}
