import { fstatSync, writeSync } from "node:fs"
import { EXIT } from "./usage.js"

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
/** Milliseconds between two looks at whether anybody still reads. */
const LOOK_MS = 500

/** The user left with Ctrl+C before anything began. */
export class Left extends Error {
  override readonly name = "Left"
  readonly code = SIGNALS.SIGINT
}

export interface ExitWatch {
  /** Aborts when the command has to end before its work does. */
  readonly signal: AbortSignal
  /** The exit code for that, once it is so: as a shell gives it for a program that a signal ended. */
  readonly code: number | undefined
  /** Lets signals do again what they always do. */
  stop(): void
}

interface LeavingOptions {
  /** False where Ctrl+C is a key like others. */
  readonly interrupts?: boolean
  /** True while another program has the terminal, such as an editor: Ctrl+C is meant for that one. */
  isLent?(): boolean
}

/**
 * Watches for the end from outside: SIGHUP, SIGINT, SIGTERM, and a standard output whose reader is gone. The work is
 * then brought to its end in order: a second SIGINT does not wait for that.
 */
export function watchForLeaving(options: LeavingOptions = {}): ExitWatch {
  const left = new AbortController()
  let code: number | undefined
  const leave = (given: number) => {
    code ??= given
    left.abort()
  }
  const heard = (name: keyof typeof SIGNALS) => () => {
    if (name === "SIGINT" && options.isLent?.()) return
    if (left.signal.aborted && name === "SIGINT") process.exit(SIGNALS[name])
    leave(SIGNALS[name])
  }
  const names = (["SIGHUP", "SIGTERM", "SIGINT"] as const).filter(
    (name) => name !== "SIGINT" || options.interrupts !== false,
  )
  const listeners = names.map((name) => [name, heard(name)] as const)
  for (const [name, listener] of listeners) process.on(name, listener)
  const closed = () => leave(EXIT.unread)
  // The command's own listener would end the process, and leave behind what it has started.
  const before = process.stdout.listeners("error")
  process.stdout.removeAllListeners("error").on("error", closed)
  process.stderr.on("error", closed)
  const looking = probe(closed)
  return {
    signal: left.signal,
    get code() {
      return code
    },
    stop: () => {
      for (const [name, listener] of listeners) process.removeListener(name, listener)
      clearInterval(looking)
      if (code !== undefined) return
      process.stderr.removeListener("error", closed)
      process.stdout.removeListener("error", closed)
      for (const listener of before) process.stdout.on("error", listener as (error: Error) => void)
    },
  }
}

/**
 * Writes nothing to a socket again and again: a socket then says at once that its other end is gone. A pipe says it
 * only at the next write.
 */
function probe(closed: () => void): NodeJS.Timeout | undefined {
  if (!fstatSync(process.stdout.fd).isSocket()) return undefined
  const nothing = new Uint8Array(0)
  const looking = setInterval(() => {
    try {
      writeSync(process.stdout.fd, nothing)
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EPIPE")) return
      clearInterval(looking)
      closed()
    }
  }, LOOK_MS)
  return looking.unref()
}
