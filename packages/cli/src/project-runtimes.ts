import { statSync } from "node:fs"
import {
  type Environment,
  type McpServerSettings,
  openProjectRuntime,
  type ProjectRuntime,
  type Store,
  type WorkspaceNames,
} from "@sotto/harness"

export interface Wanted {
  readonly cwd: string
  readonly mcp: Readonly<Record<string, McpServerSettings>>
  /** The user has just said that they trust the folder. */
  readonly trust?: boolean
}

export interface ProjectLease {
  readonly workplace: ProjectRuntime
  /** Closes it with the last session that works there. */
  release(): Promise<void>
}

/** What all directories share. */
export interface SharedParts {
  /** Those of the configuration unless given. */
  readonly workspaces?: WorkspaceNames
  /** An open store, which its owner closes; each directory opens its own unless given. */
  readonly store?: Store
}

/** Sessions of one directory, with the same servers, share what they work with. */
export class ProjectRuntimes {
  readonly #env: Environment
  readonly #missing: (message: string) => Error
  readonly #shared: SharedParts
  readonly #open = new Map<string, { readonly workplace: Promise<ProjectRuntime>; users: number }>()

  /** `missing` words the error for a folder that is not there. */
  constructor(env: Environment, missing: (message: string) => Error, shared: SharedParts = {}) {
    this.#env = env
    this.#missing = missing
    this.#shared = shared
  }

  async lease({ cwd, mcp, trust = false }: Wanted): Promise<ProjectLease> {
    if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
      throw this.#missing(`cwd ${cwd}: there is no such folder`)
    const key = JSON.stringify([cwd, mcp, trust])
    const known = this.#open.get(key) ?? {
      workplace: openProjectRuntime({
        cwd,
        env: this.#env,
        mcp,
        trust,
        ...this.#shared,
      }),
      users: 0,
    }
    known.users++
    this.#open.set(key, known)
    const release = async () => {
      known.users--
      if (known.users > 0) return
      if (this.#open.get(key) === known) this.#open.delete(key)
      await known.workplace.then((workplace) => workplace.close())
    }
    try {
      return { workplace: await known.workplace, release }
    } catch (error) {
      known.users--
      if (this.#open.get(key) === known) this.#open.delete(key)
      throw error
    }
  }
}
