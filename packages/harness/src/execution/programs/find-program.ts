import { accessSync, constants, realpathSync, statSync } from "node:fs"
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path"
import type { Environment } from "../../platform/workspace/folders.js"
import { isInside } from "../../platform/workspace/location.js"

/** Where a system keeps its own programs, should PATH not say so. */
const OF_THE_SYSTEM = ["/usr/bin", "/bin"]
const WRITABLE_BY_OTHERS = 0o002
/** Other users can add files to a folder with this mark, but cannot replace files that are not their own. */
const STICKY = 0o1000

const found = new Map<string, string | undefined>()

/**
 * Finds a program that Sotto itself relies on (bash, bwrap), once, by absolute path. A workspace must not bring its own:
 * a folder of PATH counts only if neither the workspace nor another user can put a program into it.
 */
export function findProgram(name: string, cwd: string, env: Environment = process.env): string | undefined {
  const key = [name, cwd, env.PATH].join("\n")
  if (!found.has(key)) found.set(key, firstProgram(safeFolders(env, cwd), name))
  return found.get(key)
}

/** Finds the shell that commands run in. A system has one, whatever PATH says. */
export function findBash(cwd: string): string {
  return findProgram("bash", cwd) ?? firstProgram(OF_THE_SYSTEM, "bash") ?? "bash"
}

/** Lists the folders of PATH in which neither the workspace nor another user can put a program. */
export function safeFolders(env: Environment, cwd: string): readonly string[] {
  return pathFolders(env).filter((folder) => isSafe(folder, cwd))
}

/** Finds what a name or a path would start in this environment. Undefined if it would start nothing. */
export function programIn(name: string, env: Environment, cwd: string): string | undefined {
  if (name.includes("/")) return firstProgram([cwd], name)
  const folders = (env.PATH ?? "").split(delimiter).map((folder) => resolve(cwd, folder))
  return firstProgram(folders, name)
}

/** Lists the absolute folders of PATH. A relative one means another place in each folder. */
export function pathFolders(env: Environment): readonly string[] {
  return (env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder))
}

function isSafe(folder: string, cwd: string): boolean {
  try {
    const real = realpathSync(folder)
    if (isInside(real, realpathSync(cwd)) || (statSync(real).mode & WRITABLE_BY_OTHERS) !== 0) return false
    const { mode } = statSync(dirname(real))
    return (mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0
  } catch {
    return false // It does not exist.
  }
}

function firstProgram(folders: readonly string[], name: string): string | undefined {
  return folders.map((folder) => (isAbsolute(name) ? name : join(folder, name))).find(isProgram)
}

/** True for a file that can be started. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
