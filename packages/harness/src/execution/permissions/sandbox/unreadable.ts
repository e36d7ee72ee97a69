import { dirname, join } from "node:path"
import { ripgrep } from "../../programs/ripgrep.js"
import { readableIn } from "../readable.js"
import type { Judge } from "../rules.js"

/**
 * Lists what a sandbox must hide of a folder because the permissions do not let the agent read it. A folder of which
 * nothing may be read is one path, however much is in it. Paths in a workspace are judged relative to it.
 */
export async function unreadableIn(
  path: string,
  judge: Judge,
  abort: AbortSignal,
  isWorkspace: boolean,
): Promise<readonly string[]> {
  const isReadable = readableIn({ path, relative: isWorkspace ? "." : path, inside: isWorkspace }, judge)
  const denied: string[] = []
  const open = new Set<string>(["."])
  await ripgrep(["--files", "--hidden", "--no-ignore"], path, abort, (file) => {
    if (!isReadable(file)) denied.push(file)
    else for (let folder = dirname(file); !open.has(folder); folder = dirname(folder)) open.add(folder)
    return true
  })
  return [...new Set(denied.map((file) => join(path, outermost(file, open))))]
}

/** Finds the outermost folder around a file of which nothing may be read, or the file itself. */
function outermost(file: string, open: ReadonlySet<string>): string {
  let path = file
  for (let folder = dirname(file); !open.has(folder); folder = dirname(folder)) path = folder
  return path
}
