import { existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { type Environment, homeFolder } from "./folders.js"

/** Where to look: the folder the agent works in, and the variables that say where the user's own files are. */
export interface Project {
  readonly cwd: string
  readonly env: Environment
  /** Whether the user trusts the folder. A place that does not say is not trusted. */
  readonly trusted?: boolean
  /** The folder that trust is about; unless given, the repository's root, or `cwd` outside of a repository. */
  readonly folder?: string
}

/**
 * Lists the folders that belong to the project, outermost first: from the root of the git repository, or home, down to
 * where the agent works. Outside both it is that folder alone: what lies above may belong to anyone, as in /tmp.
 */
export function projectFolders(place: Project): readonly string[] {
  const start = resolve(place.cwd)
  const home = resolve(homeFolder(place.env))
  const folders: string[] = []
  for (let folder = start; ; folder = dirname(folder)) {
    folders.unshift(folder)
    if (folder === home || existsSync(join(folder, ".git"))) return folders
    if (dirname(folder) === folder) return [start]
  }
}

/** Finds what the workspace is a part of: its git repository, or itself. */
export function projectRoot(place: Project): string {
  const [outermost = place.cwd] = projectFolders(place)
  return existsSync(join(outermost, ".git")) ? outermost : resolve(place.cwd)
}

/** True if there was no file to read: no entry, or a folder by that name. */
export function isAbsent(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  return code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR"
}
