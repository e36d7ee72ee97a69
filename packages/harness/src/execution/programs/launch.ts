import { constants, totalmem } from "node:os"

declare const supervised: unique symbol

/**
 * How a program is started: only the functions of this file make one, so that no program starts without a decision of
 * what it can see and how long it lives.
 */
export interface Launch {
  readonly [supervised]: true
  readonly program: string
  readonly args: readonly string[]
  /** A filter of system calls, which the program reads from its file descriptor 3. */
  readonly filter?: Uint8Array
  /** True if bubblewrap stands between Sotto and the program. */
  readonly wrapped: boolean
}

/** What a process may use. Each limit holds for a single process, not for all of them together. */
export interface ProgramLimits {
  /** Bytes of memory. */
  readonly memory?: number
  /** Bytes of a file. */
  readonly file?: number
  /** Seconds of a processor. */
  readonly processor?: number
  /** Processes and threads of the user. The kernel exempts root. */
  readonly processes?: number
}

const GB = 1024 ** 3

/** Enough for a language server of a large project, and never so much that the machine stops. */
export const HELPER_LIMITS: ProgramLimits = { memory: Math.max(2 * GB, Math.floor(totalmem() / 2)) }

export type Argv = readonly [program: string, ...args: string[]]

/** Launches what a sandbox has wrapped already. */
export function confinedCommand(argv: readonly string[], filter?: Uint8Array): Launch {
  return { ...launch(argv, true), ...(filter && { filter }) }
}

/** Launches a program as it is: one that tries whether supervision works, or one that has nothing to hide from. */
export function direct(argv: readonly string[]): Launch {
  return launch(argv, false)
}

/** Puts limits around a command line. A shell sets them, because Node cannot. */
export function withinLimits(limits: ProgramLimits, argv: readonly string[]): Argv {
  const { memory, file, processor, processes } = limits
  const settings = [
    memory !== undefined && `ulimit -d ${Math.floor(memory / 1024)}`,
    file !== undefined && `ulimit -f ${Math.floor(file / 512)}`,
    processor !== undefined && `ulimit -t ${processor}`,
    // Bash has it as -u, dash as -p.
    processes !== undefined && `{ ulimit -u ${processes} || ulimit -p ${processes}; }`,
  ].filter((setting) => setting !== false)
  if (settings.length === 0) return argv as Argv
  // Start all the same if the system does not know a limit, or if it is lower already.
  const script = `${settings.map((setting) => `${setting} 2>/dev/null`).join("; ")}; exec "$@"`
  return ["/bin/sh", "-c", script, "sh", ...argv]
}

/** Tells how a program ended: bubblewrap reports a signal as an exit code, as a shell does. */
export function endingOf(
  { wrapped }: Launch,
  code: number | null,
  signal: NodeJS.Signals | null,
): { readonly code: number | null; readonly signal: NodeJS.Signals | null } {
  const name = wrapped && code !== null && code > 128 ? signalNames.get(code - 128) : undefined
  return name === undefined ? { code, signal } : { code: null, signal: name }
}

const signalNames = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
)

/** Puts a command line into a launch. */
export function launch([program = "", ...args]: readonly string[], wrapped: boolean): Launch {
  return { program, args, wrapped } as unknown as Launch
}
