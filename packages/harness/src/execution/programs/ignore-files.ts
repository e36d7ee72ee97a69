import { statSync } from "node:fs"
import { dirname, join } from "node:path"
import { foldersBelow } from "../../platform/workspace/walk.js"

const NAMES = [".ignore", ".rgignore", ".gitignore", ".git/info/exclude"]
/** Bytes. Nobody writes a longer one. */
const LONGEST = 1_000_000
/** Folders that are looked into at most. */
const MOST_FOLDERS = 50_000

/** True if ripgrep would read an ignore file of the folder, or above it, that is a pipe, a device or too long. */
export function hasBadIgnoreFile(folder: string): boolean {
  const parent = dirname(folder)
  return NAMES.some((name) => isBad(join(folder, name))) || (parent !== folder && hasBadIgnoreFile(parent))
}

/** The same for all folders below. */
export async function hasBadIgnoreFileBelow(folder: string): Promise<boolean> {
  const enters = (name: string) => name !== ".git"
  for await (const { folder: one, entries } of foldersBelow(folder, { most: MOST_FOLDERS, enters }))
    if (entries.some(({ name }) => NAMES.includes(name) && isBad(join(one, name)))) return true
  return false
}

/** Lists the ignore files of one folder that can be read. */
export function goodIgnoreFiles(folder: string): readonly string[] {
  return NAMES.map((name) => join(folder, name)).filter(
    (path) => statSync(path, { throwIfNoEntry: false }) !== undefined && !isBad(path),
  )
}

function isBad(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found !== undefined && !found.isDirectory() && (!found.isFile() || found.size > LONGEST)
  } catch {
    return false // A circle of links, or nothing that ripgrep could open either.
  }
}
