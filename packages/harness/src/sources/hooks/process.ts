import type { Readable } from "node:stream"
import { endGroup, type ProcessGuard } from "../../execution/programs/command.js"
import type { ChildEnvironment } from "../../execution/programs/environment.js"
import { endingOf } from "../../execution/programs/launch.js"
import { startPiped } from "../../execution/programs/start.js"
import { helper } from "../../execution/programs/supervise.js"

export interface HookCommand {
  readonly command: string
  readonly cwd: string
  readonly env: ChildEnvironment
  /** Goes to its standard input, as one line. */
  readonly input: object
  readonly timeoutMs: number
  /** Ends it early. */
  readonly signal: AbortSignal
  readonly guard?: ProcessGuard | undefined
}

/** How a hook ended, and what it printed. */
export interface HookEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: HookOutput
  readonly err: HookOutput
  /** Why it was ended, or never began, if not by itself. */
  readonly why?: "timeout" | "aborted" | { readonly notStarted: string }
}

export interface HookOutput {
  /** The beginning: what comes after is counted and thrown away. */
  readonly kept: Buffer
  readonly bytes: number
}

const MOST_KEPT = 256_000
/** What it printed last may still be on its way when it has ended. */
const DRAIN_MS = 200

export interface RunningHook {
  /** Within the time limit, whatever it does. */
  readonly ended: Promise<HookEnd>
  /** When nothing of it is left that had to be ended. */
  readonly gone: Promise<void>
}

/** Runs a hook in a process group of its own. Never throws. */
export async function startHook(how: HookCommand): Promise<RunningHook> {
  const { command, cwd, env, input, timeoutMs, signal, guard } = how
  const launch = await helper(["/bin/sh", "-c", command], { cwd, env })
  const child = startPiped(launch, { cwd, env, detached: true })
  const { pid } = child
  if (pid !== undefined) guard?.started(pid)
  // It need not read what it is told.
  child.stdin.on("error", () => undefined)
  child.stdin.end(`${JSON.stringify(input)}\n`)
  const [out, err] = [new Capture(child.stdout), new Capture(child.stderr)]
  let gone = Promise.resolve()
  const ended = new Promise<HookEnd>((resolve) => {
    const settle = (end: Pick<HookEnd, "code" | "signal" | "why">) => {
      clearTimeout(timer)
      signal.removeEventListener("abort", onAbort)
      child.stdout.destroy()
      child.stderr.destroy()
      resolve({ ...end, out: out.printed(), err: err.printed() })
    }
    const stop = (why: "timeout" | "aborted") => {
      if (child.pid !== undefined) gone = endGroup(child.pid)
      settle({ code: null, signal: null, why })
    }
    const onAbort = () => stop("aborted")
    const timer = setTimeout(() => stop("timeout"), timeoutMs)
    signal.addEventListener("abort", onAbort)
    if (signal.aborted) onAbort()
    child.once("error", ({ message }) => settle({ code: null, signal: null, why: { notStarted: message } }))
    child.once("exit", (...ending) => {
      if (pid !== undefined) guard?.ended(pid)
      // Not until its pipes are closed: a process that it left behind may hold them open for ever.
      const late = setTimeout(() => settle(endingOf(launch, ...ending)), DRAIN_MS)
      child.once("close", () => {
        clearTimeout(late)
        settle(endingOf(launch, ...ending))
      })
    })
  })
  return { ended, gone: ended.then(() => gone) }
}

class Capture {
  readonly #chunks: Buffer[] = []
  #kept = 0
  #bytes = 0

  constructor(stream: Readable) {
    stream.on("error", () => undefined)
    stream.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length
      if (this.#kept >= MOST_KEPT) return
      this.#chunks.push(chunk)
      this.#kept += chunk.length
    })
  }

  printed(): HookOutput {
    return { kept: Buffer.concat(this.#chunks).subarray(0, MOST_KEPT), bytes: this.#bytes }
  }
}
