import { existsSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { type Place, projectFolders } from "../config/files.js"

/** What instruction files are called. */
export const INSTRUCTION_FILES = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"]

/** Where others' work lies, whose instructions are nobody's here. */
const FOREIGN = new Set(["node_modules", ".git"])

/** What the workspace is a part of: its git repository, or itself. */
export function projectRoot(place: Place): string {
  const [outermost = place.cwd] = projectFolders(place)
  return existsSync(join(outermost, ".git")) ? outermost : resolve(place.cwd)
}

/** The folders from below the root down to the one a file is in, outermost first. None if the file is elsewhere. */
export function foldersDownTo(file: string, root: string): readonly string[] {
  if (!isBelow(file, root)) return []
  const names = relative(root, dirname(file)).split(sep).filter(Boolean)
  if (names.some((name) => FOREIGN.has(name))) return []
  return names.map((_, i) => join(root, ...names.slice(0, i + 1)))
}

export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
