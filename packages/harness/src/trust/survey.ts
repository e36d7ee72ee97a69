import { existsSync, lstatSync, realpathSync } from "node:fs"
import { basename, join, relative, sep } from "node:path"
import { type ConfigFile, configShape } from "../config/fields.js"
import { parseJsonc } from "../config/jsonc.js"
import { MCP_FILE, readMcpFile } from "../config/mcp-file.js"
import { configurationAt, definitionPathsIn, type Place } from "../config/places.js"
import { configFolder } from "../folders.js"
import { INSTRUCTION_FILES } from "../prompt/nested.js"
import { reasonOf } from "../reason.js"
import { neededBy, serverText } from "./fields.js"
import { configuredFolders, leadsInside } from "./folder.js"
import { type Brought, bring, digestOf } from "./item.js"

export const CONFIG_FILE = "sotto.json"

/** Kinds of definitions in `.sotto/`, and what one is called. */
const DEFINITIONS = { agents: "agent", reminders: "reminder", styles: "style" } as const

const LONGEST_SHOWN = 300

/** What a folder brings along that takes effect only with trust, and what of it cannot be read. */
export interface Survey {
  readonly items: readonly Brought[]
  readonly notices: readonly string[]
}

/**
 * Looks through the folder's configuration. Starts nothing and expands nothing. A folder without configuration costs a
 * few looks at names.
 */
export function survey(place: Place & { readonly folder: string }): Survey {
  let items: readonly Brought[] = []
  const notices: string[] = []
  const named = (path: string) => relative(place.folder, path).split(sep).join("/")
  const read = (path: string): string | undefined => {
    const found = folderText(path)
    if ("notice" in found) notices.push(found.notice)
    return "text" in found ? found.text : undefined
  }
  const folders = configuredFolders(place)
  for (const folder of folders) {
    items = [...items, ...links(folder, place.folder, named)]
    const path = join(folder, MCP_FILE)
    const text = read(path)
    if (text !== undefined) items = [...items, ...servers(text, path, named(path))]
    if (existsSync(join(folder, ".sotto")))
      items = [...items, ...definitions(join(folder, ".sotto"), place, named, read, notices)]
  }
  const found = nearestConfig(folders, place, read)
  if (found !== undefined) items = [...items, ...neededBy(found.settings, named(found.path))]
  return { items, notices }
}

/** A folder's own file: one that cannot be read is passed over with a word to the user, and is never waited for. */
export function folderText(path: string): { readonly text?: string } | { readonly notice: string } {
  try {
    const text = configurationAt(path)
    return text === undefined ? {} : { text }
  } catch (cause) {
    return { notice: `${reasonOf(cause)} Until then it is left out.` }
  }
}

/** A `sotto.json` as it was found. */
export interface FoundConfig {
  readonly path: string
  readonly settings: Omit<ConfigFile, "$schema">
}

/** The nearest `sotto.json` of the folder; the user's own is not the folder's. Throws ConfigError for a bad one. */
export function nearestConfig(
  folders: readonly string[],
  { env }: Place,
  read: (path: string) => string | undefined,
): FoundConfig | undefined {
  const own = join(configFolder(env), CONFIG_FILE)
  for (const folder of folders.toReversed()) {
    const path = join(folder, CONFIG_FILE)
    const source = path === own ? undefined : read(path)
    if (source !== undefined) return { path, settings: parsedConfig(source, path) }
  }
  return undefined
}

export function parsedConfig(source: string, path: string): FoundConfig["settings"] {
  const { $schema: _, ...settings } = configShape.read(parseJsonc(source, path), { file: path, field: "" })
  return settings
}

function servers(text: string, path: string, name: string): readonly Brought[] {
  const found = readMcpFile(parseJsonc(text, path), path)
  return Object.entries(found).map(([server, settings]) =>
    bring("MCP server", `${name}: mcpServers.${server}`, serverText(settings), settings),
  )
}

function definitions(
  folder: string,
  { env, folder: root }: Place & { readonly folder: string },
  named: (path: string) => string,
  read: (path: string) => string | undefined,
  notices: string[],
): readonly Brought[] {
  const listed = (directory: string, tell = true): readonly string[] => {
    try {
      return definitionPathsIn(directory)
    } catch (cause) {
      if (tell) notices.push(`${reasonOf(cause)} Until then it is left out.`)
      return []
    }
  }
  const kinds = Object.entries(DEFINITIONS).filter(
    ([kind]) => join(folder, kind) !== join(configFolder(env), kind),
  )
  const found = kinds.flatMap(([kind, what]) =>
    listed(join(folder, kind)).flatMap((path): readonly Brought[] => {
      const text = read(path)
      if (text === undefined) return []
      // What lies elsewhere is not for everybody who sees this to read.
      const shown = leadsInside(path, root) ? excerpt(text) : `a link to ${realpathSync(path)}`
      return [bring(what, named(path), `${basename(path, ".md")}: ${shown}`, digestOf(text))]
    }),
  )
  const memory = join(folder, "memory")
  // Memories say for themselves what is wrong with them, where they are looked at.
  const notes = listed(memory, false).length
  // What notes say changes all the time, and is told as the folder's: only that they may be told is asked about.
  if (notes === 0) return found
  return [...found, bring("memory", named(memory), "told to the model where it matches", "")]
}

/** Instruction files that are links to somewhere outside the folder. */
function links(folder: string, root: string, named: (path: string) => string): readonly Brought[] {
  return INSTRUCTION_FILES.flatMap((name): readonly Brought[] => {
    const path = join(folder, name)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (!found?.isSymbolicLink() || leadsInside(path, root)) return []
    try {
      const target = realpathSync(path)
      return [bring("instructions", named(path), `a link to ${target}`, target)]
    } catch {
      return []
    }
  })
}

function excerpt(text: string): string {
  const shown = text.trim()
  return shown.length > LONGEST_SHOWN
    ? `${shown.slice(0, LONGEST_SHOWN)}… (${text.length} characters)`
    : shown
}
