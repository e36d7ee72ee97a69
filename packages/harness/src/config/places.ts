import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { configFolder, homeFolder } from "../folders.js"

/** Where to look: the folder the agent works in, and the variables that say where the user's own files are. */
export interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The folders that belong to the project, outermost first: from the root of the git repository, or home, down to where
 * the agent works. Outside both it is that folder alone: what lies above may be anybody's, as in /tmp.
 */
export function projectFolders(place: Place): readonly string[] {
  const start = resolve(place.cwd)
  const home = resolve(homeFolder(place.env))
  const folders: string[] = []
  for (let folder = start; ; folder = dirname(folder)) {
    folders.unshift(folder)
    if (folder === home || existsSync(join(folder, ".git"))) return folders
    if (dirname(folder) === folder) return [start]
  }
}

/** Folders of definitions: the user's own, then the project's, so that nearer ones come later. */
export function definitionFolders(place: Place, kind: string): readonly string[] {
  const project = projectFolders(place).map((folder) => join(folder, ".sotto", kind))
  return [...new Set([join(configFolder(place.env), kind), ...project])]
}

export interface TextFile {
  readonly path: string
  readonly text: string
}

/** The paths of the Markdown files of a folder, by name; none if there is no such folder. */
export async function markdownPathsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder).catch(nothingThere)
  return (entries ?? [])
    .filter((entry) => entry.endsWith(".md"))
    .sort()
    .map((entry) => join(folder, entry))
}

/** The same with what is in them. */
export async function markdownIn(folder: string): Promise<readonly TextFile[]> {
  const paths = await markdownPathsIn(folder)
  const files = await Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(path, "utf8").catch(nothingThere) })),
  )
  return files.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]))
}

/** For `catch`: what is not there is undefined, any other failure stays one. */
export function nothingThere(cause: unknown): undefined {
  if (isAbsent(cause)) return undefined
  throw cause
}

/** There is no file to read: no entry, or a folder by that name. */
export function isAbsent(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  return code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR"
}
