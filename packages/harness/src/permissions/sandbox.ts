import { execFile } from "node:child_process"
import { promisify } from "node:util"

export interface SandboxOptions {
  /** The workspace: where the command runs. Read-only unless it is also writable. */
  readonly cwd: string
  /** Folders and files that exist and may be changed. */
  readonly writable?: readonly string[]
  readonly network?: boolean
}

/** A way to run commands that cannot change anything but what they are given. */
export interface Sandbox {
  readonly name: string
  /** Program and arguments that run the command with bash inside. */
  wrap(command: string, options: SandboxOptions): readonly string[]
}

/**
 * bubblewrap's arguments: the file system read-only, its own empty /tmp and /run, no network, no other processes,
 * nothing left when we die. /run is hidden because a socket there (Docker's) accepts orders from a read-only mount too.
 */
export function wrap(command: string, options: SandboxOptions, program = "bwrap"): readonly string[] {
  const { cwd, writable = [], network = false } = options
  const hidden = ["/tmp", "/run"]
  const shown = hidden.some((folder) => cwd === folder || cwd.startsWith(`${folder}/`))
  return [
    program,
    ...["--ro-bind", "/", "/"],
    ...["--dev", "/dev"],
    ...["--proc", "/proc"],
    ...hidden.flatMap((folder) => ["--tmpfs", folder]),
    // Where NixOS keeps its programs.
    ...["--ro-bind-try", "/run/current-system", "/run/current-system"],
    ...(shown ? ["--ro-bind", cwd, cwd] : []),
    ...writable.flatMap((path) => ["--bind", path, path]),
    "--unshare-all",
    ...(network ? ["--share-net"] : []),
    "--die-with-parent",
    // Without a session of its own, a command could type into our terminal.
    "--new-session",
    ...["--chdir", cwd],
    ...["--", "bash", "-c", command],
  ]
}

let found: Promise<Sandbox | undefined> | undefined

/** The sandbox this machine offers, if any. Looked for once: installed is not enough, it has to work. */
export function findSandbox(): Promise<Sandbox | undefined> {
  found ??= tryBubblewrap("bwrap")
  return found
}

export async function tryBubblewrap(program: string): Promise<Sandbox | undefined> {
  if (process.platform !== "linux") return undefined
  const [file = program, ...args] = wrap("test ! -w /", { cwd: "/" }, program)
  try {
    await promisify(execFile)(file, args, { timeout: 5_000 })
  } catch {
    return undefined // Not installed, or the kernel forbids user namespaces.
  }
  return { name: "bubblewrap", wrap: (command, options) => wrap(command, options, program) }
}
