import { constants } from "node:os"
import { startInstead } from "./start.js"

/** A program that the user runs through Sotto. */
export interface AttachedProgram {
  readonly pid: number | undefined
  /** The exit code, as a shell gives it: 128 and the number of the signal if one ended it. Rejects if it cannot start. */
  readonly ended: Promise<number>
  signal(name: NodeJS.Signals): void
}

/** Starts a program in this terminal, with the variables as they are given. It has stdin, stdout and stderr. */
export function startAttached(
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
): AttachedProgram {
  const [program, ...args] = command
  const child = startInstead(program, args, { env: { ...env } })
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    )
  })
  return {
    pid: child.pid,
    ended,
    signal: (name) => {
      child.kill(name)
    },
  }
}
