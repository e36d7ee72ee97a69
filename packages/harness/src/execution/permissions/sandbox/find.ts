import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { childEnvironment } from "../../programs/environment.js"
import { findBash } from "../../programs/find-program.js"
import { confinedCommand } from "../../programs/launch.js"
import { startPrinting } from "../../programs/start.js"
import { bubblewrap } from "../../programs/supervise.js"
import { bubblewraps } from "./bubblewrap.js"
import { confine } from "./confine.js"
import type { Sandbox } from "./sandbox.js"
import { seatbelt } from "./seatbelt.js"

const LIMIT_MS = 5_000
const WORKS = "confined"

/**
 * Tells whether the sandbox keeps what it promises by trying to break it: a command in it tries to write, to look outside
 * the workspace and into a hidden folder, to reach a server of ours and this process, and looks for capabilities.
 */
async function holds(sandbox: Sandbox): Promise<boolean> {
  const server = createServer((socket) => socket.destroy())
  const folder = await realpath(await mkdtemp(join(tmpdir(), "sotto-probe-")))
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(0, "127.0.0.1", resolve)
    })
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const cwd = join(folder, "work")
    await mkdir(join(cwd, "hidden"), { recursive: true })
    await writeFile(join(cwd, "hidden", "secret"), "")
    await writeFile(join(folder, "outside"), "")
    const confinement = confine(
      { cwd, env: process.env },
      { reach: "read-only", network: false, unreadable: [join(cwd, "hidden")] },
    )
    const printed = await run(sandbox.wrap(attempts(port), confinement), cwd)
    return printed.trim() === WORKS
  } catch {
    return false // Not installed, or nowhere to try it out.
  } finally {
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Writes a script with only what bash itself can do: a program that is missing would look like an attempt that failed.
 */
function attempts(port: number): string {
  return `
broken=
[ -d hidden ] || broken="$broken workspace"
{ : > written; } 2>/dev/null && broken="$broken write"
[ -e hidden/secret ] && broken="$broken hidden"
[ -e ../outside ] && broken="$broken outside"
{ : < /dev/tcp/127.0.0.1/${port}; } 2>/dev/null && broken="$broken network"
[ -w /proc/sys/kernel/core_pattern ] && broken="$broken settings"
kill -0 ${process.pid} 2>/dev/null && [ -e /proc/${process.pid}/cwd/hidden ] && broken="$broken processes"
if [ -e /proc/self/status ]; then
  while read -r name value; do
    case $name in
      CapInh:|CapPrm:|CapEff:|CapAmb:) [ -z "\${value//0/}" ] || broken="$broken capabilities" ;;
      NoNewPrivs:) [ "$value" = 1 ] || broken="$broken privileges" ;;
    esac
  done < /proc/self/status
fi
echo "${WORKS}$broken"
`
}

/**
 * Runs the attempts and resolves to what they printed; rejects if the sandbox could not be started. A sandbox that confines
 * nothing runs them in the folder of the trial, so that they leave no file in the user's own.
 */
function run({ argv, filter }: ReturnType<Sandbox["wrap"]>, cwd: string): Promise<string> {
  const launch = confinedCommand(argv, filter)
  const child = startPrinting(launch, { cwd, env: childEnvironment(process.env), timeout: LIMIT_MS })
  let printed = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text
  })
  child.stderr.resume()
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", () => resolve(printed))
  })
}

const found = new Map<string, Promise<Sandbox | undefined>>()

/** Finds the sandbox of this machine, if there is one that works. It is tried out once, when first needed. */
export function findSandbox(cwd: string = process.cwd()): Promise<Sandbox | undefined> {
  const program = process.platform === "darwin" ? "/usr/bin/sandbox-exec" : bubblewrap(cwd)
  if (program === undefined) return Promise.resolve(undefined)
  const sandbox = found.get(program) ?? firstThatHolds(candidates(program, findBash(cwd)))
  found.set(program, sandbox)
  return sandbox
}

/** Tries each sandbox out until one keeps what it promises: installed is not enough. */
export async function firstThatHolds(sandboxes: readonly Sandbox[]): Promise<Sandbox | undefined> {
  for (const sandbox of sandboxes) if (await holds(sandbox)) return sandbox
  return undefined
}

function candidates(program: string, bash: string): readonly Sandbox[] {
  return process.platform === "darwin" ? [seatbelt(program, bash)] : bubblewraps(program, bash)
}
