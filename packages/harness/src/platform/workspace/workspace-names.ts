import { createHash } from "node:crypto"
import { readFileSync, realpathSync } from "node:fs"
import { hostname } from "node:os"
import type { Environment } from "./folders.js"

/** What is known of where a session works. */
export interface SessionWorkspace {
  readonly cwd: string
  readonly workspace?: string
}

/** How a workspace may be called. "@" begins the name of a machine. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/**
 * The workspaces that this process has: this machine, for sessions of a folder on it, and those with a name, which
 * other machines may have too, each in a folder of its own.
 */
export class WorkspaceNames {
  /** The name of this machine as a workspace. */
  readonly machine: string
  readonly #folders: ReadonlyMap<string, string>

  constructor(env: Environment, named: Readonly<Record<string, string>> = {}) {
    this.machine = `@${hostOf(env)}`
    this.#folders = new Map(Object.entries(named))
  }

  /** Names by which sessions of these workspaces are known, without the machine. */
  get names(): readonly string[] {
    return [...this.#folders.keys()]
  }

  folder(name: string): string | undefined {
    return this.#folders.get(name)
  }

  named(cwd: string): string | undefined {
    return this.names.find((name) => real(this.#folders.get(name) ?? "") === real(cwd))
  }

  /** Finds the folder here in which a session works; undefined if its workspace is elsewhere, or not known. */
  folderOf({ cwd, workspace }: SessionWorkspace): string | undefined {
    if (workspace === this.machine) return cwd
    return workspace === undefined ? undefined : this.#folders.get(workspace)
  }
}

/** Says why a name cannot be one of a workspace; undefined if it can. */
export function wrongName(name: string): string | undefined {
  return NAME.test(name)
    ? undefined
    : `"${name}" cannot be the name of a workspace: use letters, digits, ".", "_" and "-".`
}

/**
 * Names this machine so that the name stays the same: its host name, told apart from other machines of that name by
 * what the system calls it. `SOTTO_HOST` says it where both change, as in containers.
 */
export function hostOf(env: Environment): string {
  if (env.SOTTO_HOST) return env.SOTTO_HOST
  const known = machineId()
  const name = hostname()
  if (known === undefined) return name
  return `${name}-${createHash("sha256").update(known).digest("hex").slice(0, 8)}`
}

function machineId(): string | undefined {
  for (const path of ["/etc/machine-id", "/var/lib/dbus/machine-id"])
    try {
      const text = readFileSync(path, "utf8").trim()
      if (text !== "") return text
    } catch {
      // The next may be there.
    }
  return undefined
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
