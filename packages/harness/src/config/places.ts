import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, isAbsolute, join, resolve } from "node:path"

/** Where to look: the folder the agent works in, and the variables that say where the user's own files are. */
export interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export function homeFolder({ env }: Pick<Place, "env">): string {
  return env.HOME || env.USERPROFILE || homedir()
}

/** The user's own configuration. A relative XDG_CONFIG_HOME is to be ignored, its specification says. */
export function configFolder(place: Pick<Place, "env">): string {
  const { SOTTO_HOME, XDG_CONFIG_HOME } = place.env
  if (SOTTO_HOME) return resolve(SOTTO_HOME)
  const base =
    XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(homeFolder(place), ".config")
  return join(base, "sotto")
}

/**
 * The folders that belong to the project, outermost first: from the root of the git repository, or home, down to where
 * the agent works. Outside both it is that folder alone: what lies above may be anybody's, as in /tmp.
 */
export function projectFolders(place: Place): readonly string[] {
  const start = resolve(place.cwd)
  const home = resolve(homeFolder(place))
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
  return [...new Set([join(configFolder(place), kind), ...project])]
}

export interface TextFile {
  readonly path: string
  readonly text: string
}

/** The Markdown files of a folder, by name; none if there is no such folder. */
export async function markdownIn(folder: string): Promise<readonly TextFile[]> {
  const entries = await readdir(folder).catch(nothingThere)
  const paths = (entries ?? [])
    .filter((entry) => entry.endsWith(".md"))
    .sort()
    .map((entry) => join(folder, entry))
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
