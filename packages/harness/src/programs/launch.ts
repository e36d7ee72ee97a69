import { readlinkSync } from "node:fs"
import { constants, totalmem } from "node:os"
import type { Environment } from "../workspace/folders.js"
import { childEnvironment } from "./environment.js"
import { findProgram, programIn } from "./find-program.js"
import { startPrinting } from "./start.js"

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
export interface Limits {
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
export const HELPER_LIMITS: Limits = { memory: Math.max(2 * GB, Math.floor(totalmem() / 2)) }

type Argv = readonly [program: string, ...args: string[]]

interface Surroundings {
  readonly cwd: string
  readonly env: Environment
}

/**
 * Launches a helper of Sotto's own: ripgrep, a hook, a language server, an MCP server, an editor. It has processes of
 * its own where the machine can give it some, it keeps to the limits, and it dies when Sotto does.
 */
export async function helper(argv: Argv, where: Surroundings, limits = HELPER_LIMITS): Promise<Launch> {
  if (process.platform === "win32") return direct(argv)
  const program = programIn(argv[0], where.env, where.cwd)
  // Starting it fails, with the error that callers know.
  if (program === undefined) return direct(argv)
  const command: Argv = [...withinLimits(limits, [program, ...argv.slice(1)])]
  const prefix = await ownProcesses(where.cwd)
  if (prefix !== undefined) return launch([...prefix, "--die-with-parent", "--", ...command], true)
  const setpriv = process.platform === "linux" ? findProgram("setpriv", where.cwd) : undefined
  return setpriv === undefined
    ? direct(command)
    : launch([setpriv, "--pdeathsig", "KILL", "--", ...command], false)
}

/** Launches a command that a person allowed or typed: processes of its own, no limits, and it may outlive Sotto. */
export async function allowedCommand(argv: Argv, cwd: string): Promise<Launch> {
  const prefix = await ownProcesses(cwd)
  return prefix === undefined ? direct(argv) : launch([...prefix, "--", ...argv], true)
}

/** Launches what a sandbox has wrapped already. */
export function confinedCommand(argv: readonly string[], filter?: Uint8Array): Launch {
  return { ...launch(argv, true), ...(filter && { filter }) }
}

/** Launches a program as it is: one that tries whether supervision works, or one that has nothing to hide from. */
export function direct(argv: readonly string[]): Launch {
  return launch(argv, false)
}

/** Puts limits around a command line. A shell sets them, because Node cannot. */
export function withinLimits(limits: Limits, argv: readonly string[]): Argv {
  const { memory, file, processor, processes } = limits
  const settings = [
    memory !== undefined && `ulimit -d ${Math.floor(memory / 1024)}`,
    file !== undefined && `ulimit -f ${Math.floor(file / 512)}`,
    processor !== undefined && `ulimit -t ${processor}`,
    // Bash has it as -u, dash as -p.
    processes !== undefined && `{ ulimit -u ${processes} || ulimit -p ${processes}; }`,
  ].filter((setting) => setting !== false)
  if (settings.length === 0) return argv as Argv
  // A limit that the system does not know, or that is lower already, is no reason not to start.
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

function launch([program = "", ...args]: readonly string[], wrapped: boolean): Launch {
  return { program, args, wrapped } as unknown as Launch
}

let isShared = false
const trials = new Map<string, Promise<boolean>>()

/** Lets the programs that Sotto starts see its processes and those of others: the user's own sotto.json says so. */
export function shareProcesses(): void {
  isShared = true
}

/**
 * Gives the start of a command line that puts a program into a process namespace with a /proc of its own, so that it
 * cannot read the variables or the memory of Sotto. Undefined where that does not work, which is tried out once.
 */
export async function ownProcesses(cwd: string): Promise<readonly string[] | undefined> {
  const program = isShared ? undefined : bubblewrap(cwd)
  if (program === undefined) return undefined
  const prefix = [program, "--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid"]
  const works = trials.get(program) ?? areApart(prefix)
  trials.set(program, works)
  return (await works) ? prefix : undefined
}

/** Finds bubblewrap. Undefined where it is not installed. */
export function bubblewrap(cwd: string): string | undefined {
  return process.platform === "linux" ? findProgram("bwrap", cwd) : undefined
}

const TRIAL_MS = 5_000

/** Starts a program behind the prefix, and asks it which namespace it is in. */
async function areApart(prefix: readonly string[]): Promise<boolean> {
  const command = [...prefix, "--die-with-parent", "--", "/bin/sh", "-c", "readlink /proc/self/ns/pid"]
  const env = childEnvironment({ PATH: "/usr/bin:/bin" })
  const child = startPrinting(direct(command), { cwd: "/", env, timeout: TRIAL_MS })
  let printed = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text
  })
  child.stderr.resume()
  return new Promise((resolve) => {
    child.once("error", () => resolve(false))
    child.once("close", () => {
      const inside = printed.trim()
      resolve(inside.startsWith("pid:") && inside !== readlinkSync("/proc/self/ns/pid"))
    })
  })
}
