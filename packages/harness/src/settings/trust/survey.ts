import { existsSync, lstatSync, realpathSync } from "node:fs"
import { basename, join, relative, sep } from "node:path"
import { reasonOf } from "../../platform/text/errors.js"
import { configFolder } from "../../platform/workspace/folders.js"
import { leadsInside } from "../../platform/workspace/location.js"
import type { Project } from "../../platform/workspace/project.js"
import { type ConfigFile, configShape } from "../config/fields.js"
import { configurationAt, definitionPathsIn } from "../config/files.js"
import { parseJsonc } from "../config/jsonc.js"
import { MCP_FILE, readMcpFile } from "../config/mcp-file.js"
import { type DefinitionKind, definitionText } from "./definition-text.js"
import { neededBy } from "./fields.js"
import { configuredFolders } from "./folder.js"
import { INSTRUCTION_FILES } from "./instruction-files.js"
import { type DigestedItem, digestedItem, digestOf } from "./item.js"
import { serverText } from "./shown.js"

export const CONFIG_FILE = "sotto.json"

/** Kinds of definitions in `.sotto/`, and what one is called. */
const DEFINITIONS = { agents: "agent", commands: "command", reminders: "reminder", styles: "style" } as const

/** What a folder brings along that takes effect only with trust, and what of it cannot be read. */
export interface Survey {
  readonly items: readonly DigestedItem[]
  readonly notices: readonly string[]
  /** Mistakes in the folder's files. In a trusted folder the loaders throw them. */
  readonly mistakes: readonly Mistake[]
}

interface Mistake {
  readonly path: string
  readonly cause: unknown
}

/**
 * Looks through the folder's configuration. Starts nothing and expands nothing. A folder without configuration costs a
 * few looks at names.
 */
export async function survey(place: Project & { readonly folder: string }): Promise<Survey> {
  let items: readonly DigestedItem[] = []
  const notices: string[] = []
  const mistakes: Mistake[] = []
  const named = (path: string) => relative(place.folder, path).split(sep).join("/")
  const read = (path: string): string | undefined => {
    const found = folderText(path)
    if ("notice" in found) notices.push(found.notice)
    return "text" in found ? found.text : undefined
  }
  const mistaken = (path: string, cause: unknown) => {
    // The reason could quote the file.
    const isHere = leadsInside(path, place.folder)
    mistakes.push({ path, cause: isHere ? cause : new Error("It leads to a file that is no configuration.") })
    return undefined
  }
  const folders = configuredFolders(place)
  for (const folder of folders) {
    items = [...items, ...links(folder, place.folder, named)]
    const path = join(folder, MCP_FILE)
    const text = read(path)
    if (text !== undefined) items = [...items, ...servers(text, path, named(path), mistaken)]
    if (existsSync(join(folder, ".sotto"))) {
      const looking = { place, named, read, notices, mistaken }
      items = [...items, ...(await definitions(join(folder, ".sotto"), looking))]
    }
  }
  const found = nearestConfig(folders, place, read, mistaken)
  if (found !== undefined) items = [...items, ...neededBy(found.settings, named(found.path))]
  return { items, notices, mistakes }
}

/** Writes what the user is told of a mistake in a folder that they do not trust. */
export function mistakeNotice({ path, cause }: Mistake): string {
  const tightening =
    basename(path) === CONFIG_FILE ? " The rules in it that tighten permissions do not count either." : ""
  return `${leftOutNotice(path, cause)}${tightening}`
}

function leftOutNotice(path: string, cause: unknown): string {
  const reason = reasonOf(cause)
  const isHere = reason.startsWith(`${path}:`)
  return `${path} is left out: ${isHere ? `line ${reason.slice(path.length + 1)}` : reason}`
}

/**
 * Reads a folder's own file: one that cannot be read is passed over with a word to the user, and is never waited for.
 */
export function folderText(path: string): { readonly text?: string } | { readonly notice: string } {
  try {
    const text = configurationAt(path)
    return text === undefined ? {} : { text }
  } catch (cause) {
    return { notice: leftOutNotice(path, cause) }
  }
}

/** A `sotto.json` as it was found. */
export interface FoundConfig {
  readonly path: string
  readonly settings: Omit<ConfigFile, "$schema">
}

/**
 * Finds the nearest `sotto.json` of the folder; the user's own is not the folder's. A bad one is passed over if
 * `mistaken` hears of it; otherwise it throws ConfigError.
 */
export function nearestConfig(
  folders: readonly string[],
  { env }: Project,
  read: (path: string) => string | undefined,
  mistaken?: (path: string, cause: unknown) => void,
): FoundConfig | undefined {
  const own = join(configFolder(env), CONFIG_FILE)
  for (const folder of folders.toReversed()) {
    const path = join(folder, CONFIG_FILE)
    const source = path === own ? undefined : read(path)
    if (source === undefined) continue
    try {
      return { path, settings: parsedConfig(source, path) }
    } catch (cause) {
      if (mistaken === undefined) throw cause
      mistaken(path, cause)
    }
  }
  return undefined
}

export function parsedConfig(source: string, path: string): FoundConfig["settings"] {
  const { $schema: _, ...settings } = configShape.read(parseJsonc(source, path), { file: path, field: "" })
  return settings
}

/** Checks the text of a `sotto.json` or a `.mcp.json`. Throws ConfigError, which names the first field that is wrong. */
export function checkSettings(text: string, path: string): void {
  if (basename(path) === MCP_FILE) readMcpFile(parseJsonc(text, path), path)
  else parsedConfig(text, path)
}

function servers(
  text: string,
  path: string,
  name: string,
  mistaken: (path: string, cause: unknown) => void,
): readonly DigestedItem[] {
  try {
    const found = readMcpFile(parseJsonc(text, path), path)
    return Object.entries(found).map(([server, settings]) =>
      digestedItem("MCP server", `${name}: mcpServers.${server}`, serverText(settings), settings),
    )
  } catch (cause) {
    mistaken(path, cause)
    return []
  }
}

interface Looking {
  readonly place: Project & { readonly folder: string }
  named(path: string): string
  read(path: string): string | undefined
  readonly notices: string[]
  mistaken(path: string, cause: unknown): undefined
}

async function definitions(folder: string, looking: Looking): Promise<readonly DigestedItem[]> {
  const { place, named, notices } = looking
  const listed = (directory: string, tell = true): readonly string[] => {
    try {
      return definitionPathsIn(directory)
    } catch (cause) {
      if (tell) notices.push(leftOutNotice(directory, cause))
      return []
    }
  }
  const kinds = (Object.keys(DEFINITIONS) as readonly DefinitionKind[]).filter(
    (kind) => join(folder, kind) !== join(configFolder(place.env), kind),
  )
  const found = await Promise.all(
    kinds.flatMap((kind) => listed(join(folder, kind)).map((path) => definition(kind, path, looking))),
  )
  const items = found.flat()
  const memory = join(folder, "memory")
  // Memories say for themselves what is wrong with them, where they are looked at.
  const notes = listed(memory, false).length
  // What notes say changes all the time, and is told as the folder's: only that they may be told is asked about.
  if (notes === 0) return items
  return [...items, digestedItem("memory", named(memory), "told to the model where it matches", "")]
}

async function definition(
  kind: DefinitionKind,
  path: string,
  { place, named, read, mistaken }: Looking,
): Promise<readonly DigestedItem[]> {
  const text = read(path)
  if (text === undefined) return []
  try {
    // Do not print a file from outside the folder: others may see this list.
    const detail = leadsInside(path, place.folder)
      ? await definitionText(kind, { path, text })
      : `${basename(path, ".md")}: a link to ${realpathSync(path)}`
    return [digestedItem(DEFINITIONS[kind], named(path), detail, digestOf(text))]
  } catch (cause) {
    mistaken(path, cause)
    return []
  }
}

function links(folder: string, root: string, named: (path: string) => string): readonly DigestedItem[] {
  return INSTRUCTION_FILES.flatMap((name): readonly DigestedItem[] => {
    const path = join(folder, name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (!found?.isSymbolicLink() || leadsInside(path, root)) return []
    try {
      const target = realpathSync(path)
      return [digestedItem("instructions", named(path), `a link to ${target}`, target)]
    } catch {
      return []
    }
  })
}
