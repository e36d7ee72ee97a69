import { existsSync, lstatSync, realpathSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { gitPointer } from "@sotto/shell/git"
import { homeFolder } from "../../platform/workspace/folders.js"
import { isInside } from "../../platform/workspace/location.js"
import { type Project, projectFolders } from "../../platform/workspace/project.js"
import { readRegularText } from "../../platform/workspace/regular-file.js"

const LONGEST_POINTER = 4_096

/**
 * Finds the folder that trust is about: the root of the repository, or the directory itself outside of a repository.
 * Below a directory that `isKnown` names, other than home, a directory without a repository belongs to that one.
 */
export function trustFolder(place: Project, isKnown: (folder: string) => boolean): string {
  const folders = projectFolders(place)
  const [outermost = place.cwd] = folders
  if (existsSync(join(outermost, ".git"))) return outermost
  const home = resolve(homeFolder(place.env))
  return folders.find((folder) => folder !== home && isKnown(folder)) ?? resolve(place.cwd)
}

/**
 * Lists the directories of the folder whose configuration counts here: from the folder down to where the agent works.
 */
export function configuredFolders(place: Project): readonly string[] {
  const root = place.folder ?? trustFolder(place, () => false)
  return projectFolders(place).filter((folder) => isInside(folder, root))
}

/**
 * Finds the repository that registered this folder as one of its worktrees. Undefined unless both sides say so: a
 * folder can claim anything in its `.git` file, but it cannot write into the repository's own records.
 */
export function mainWorktree(folder: string): string | undefined {
  try {
    const pointer = join(folder, ".git")
    if (!lstatSync(pointer).isFile()) return undefined
    const target = gitPointer(readRegularText(pointer, LONGEST_POINTER) ?? "")
    if (target === undefined) return undefined
    const records = realpathSync(resolve(folder, target))
    const worktrees = dirname(records)
    const git = dirname(worktrees)
    if (relative(git, worktrees) !== "worktrees" || !git.endsWith(`${sep}.git`)) return undefined
    const back = readRegularText(join(records, "gitdir"), LONGEST_POINTER)?.trim()
    if (!back || realpathSync(resolve(records, back)) !== realpathSync(pointer)) return undefined
    return dirname(git)
  } catch {
    return undefined
  }
}

/** True if another repository begins somewhere between the folder and this directory below it: a clone, a submodule. */
export function isForeign(directory: string, folder: string): boolean {
  for (let at = directory; at !== folder && isInside(at, folder); at = dirname(at))
    if (existsSync(join(at, ".git"))) return true
  return false
}
