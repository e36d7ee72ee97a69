import { existsSync, readdirSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { homeFolder } from "../workspace/folders.js"
import { reasonOf } from "../text/errors.js"
import { readRegularText } from "../workspace/regular-file.js"
import { ConfigError } from "./error.js"

/** Where to look: the folder the agent works in, and the variables that say where the user's own files are. */
export interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether the user trusts the folder. A place that does not say is not trusted. */
  readonly trusted?: boolean
  /** The folder that trust is about; the repository's root, or `cwd` where there is none, unless given. */
  readonly folder?: string
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

export interface TextFile {
  readonly path: string
  readonly text: string
}

/** More than anybody writes by hand: what goes beyond is not looked at. */
const MOST_DEFINITIONS = 200

/** The paths of the Markdown files of a folder, by name; none if there is no such folder. */
export async function markdownPathsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder).catch(nothingThere)
  return markdownNames(entries ?? []).map((entry) => join(folder, entry))
}

function markdownNames(entries: readonly string[]): readonly string[] {
  return entries.filter((entry) => entry.endsWith(".md")).sort()
}

/** The paths of the definitions in a folder. Looks at once. Throws ConfigError for a folder that cannot be read. */
export function definitionPathsIn(folder: string): readonly string[] {
  try {
    const names = markdownNames(readdirSync(folder)).slice(0, MOST_DEFINITIONS)
    return names.map((entry) => join(folder, entry))
  } catch (cause) {
    if (isAbsent(cause)) return []
    const what = `The folder cannot be read: ${reasonOf(cause)}.`
    throw new ConfigError(folder, 1, "", what, "Make it readable, or move it away.")
  }
}

/** The same with what is in them. Throws ConfigError for one that cannot be read. */
export function markdownIn(folder: string): readonly TextFile[] {
  return definitionPathsIn(folder).flatMap((path) => {
    const text = configurationAt(path)
    return text === undefined ? [] : [{ path, text }]
  })
}

/** What a file of configuration says; undefined if there is none. Throws ConfigError for one that cannot be read. */
export function configurationAt(path: string): string | undefined {
  try {
    return readRegularText(path)
  } catch (cause) {
    if (isAbsent(cause)) return undefined
    const what = `The file cannot be read: ${reasonOf(cause)}.`
    throw new ConfigError(path, 1, "", what, "Make it a readable file of configuration, or move it away.")
  }
}

/** For `catch`: what is not there is undefined, any other failure stays one. */
function nothingThere(cause: unknown): undefined {
  if (isAbsent(cause)) return undefined
  throw cause
}

/** There is no file to read: no entry, or a folder by that name. */
export function isAbsent(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  return code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR"
}
