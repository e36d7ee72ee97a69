import { dirname, join, relative, sep } from "node:path"
import { isInside } from "../../platform/workspace/location.js"

/** Where others' work lies, whose instructions are nobody's here. */
const FOREIGN = new Set(["node_modules", ".git"])

/** The folders from below the root down to the one a file is in, outermost first. None if the file is elsewhere. */
export function foldersDownTo(file: string, root: string): readonly string[] {
  if (file === root || !isInside(file, root)) return []
  const names = relative(root, dirname(file)).split(sep).filter(Boolean)
  if (names.some((name) => FOREIGN.has(name))) return []
  return names.map((_, i) => join(root, ...names.slice(0, i + 1)))
}
