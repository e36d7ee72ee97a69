import { readlinkSync } from "node:fs"
import type { Environment } from "../../platform/workspace/folders.js"
import { childEnvironment } from "./environment.js"
import { findProgram, programIn } from "./find-program.js"
import { type Argv, direct, HELPER_LIMITS, type Launch, launch, withinLimits } from "./launch.js"
import { startPrinting } from "./start.js"

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
