import { readdirSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { reasonOf } from "../../platform/text/errors.js"
import { isAbsent } from "../../platform/workspace/project.js"
import { readRegularText } from "../../platform/workspace/regular-file.js"
import { ConfigError } from "./error.js"

export interface TextFile {
  readonly path: string
  readonly text: string
}

/** More than anybody writes by hand: what goes beyond is not looked at. */
const MOST_DEFINITIONS = 200

/** Lists the paths of the Markdown files of a folder, by name; none if the folder does not exist. */
export async function markdownPathsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder).catch(nothingThere)
  return markdownNames(entries ?? []).map((entry) => join(folder, entry))
}

function markdownNames(entries: readonly string[]): readonly string[] {
  return entries.filter((entry) => entry.endsWith(".md")).sort()
}

/**
 * Lists the paths of the definitions in a folder. Looks at once. Throws ConfigError for a folder that cannot be read.
 */
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

/** Reads the definitions in a folder. Throws ConfigError for one that cannot be read. */
export function markdownIn(folder: string): readonly TextFile[] {
  return definitionPathsIn(folder).flatMap((path) => {
    const text = configurationAt(path)
    return text === undefined ? [] : [{ path, text }]
  })
}

/** Reads a file of configuration; undefined if it does not exist. Throws ConfigError for one that cannot be read. */
export function configurationAt(path: string): string | undefined {
  try {
    return readRegularText(path)
  } catch (cause) {
    if (isAbsent(cause)) return undefined
    const what = `The file cannot be read: ${reasonOf(cause)}.`
    throw new ConfigError(path, 1, "", what, "Make it a readable file of configuration, or move it away.")
  }
}

/** Serves `catch`: returns undefined for what is not there, and throws any other failure again. */
function nothingThere(cause: unknown): undefined {
  if (isAbsent(cause)) return undefined
  throw cause
}
