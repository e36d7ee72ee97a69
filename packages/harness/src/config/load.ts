import { readFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import type { Budget, KindSettings, PermissionRule } from "@sotto/core"
import { configFolder, homeFolder } from "../folders.js"
import { reasonOf } from "../reason.js"
import { ConfigError } from "./error.js"
import {
  type AgentSettings,
  type ConfigFile,
  configShape,
  type ModelSettings,
  type SandboxSetting,
} from "./fields.js"
import { parseJsonc } from "./jsonc.js"
import { MCP_FILE, readMcpFile } from "./mcp-file.js"
import { mergeAgent, mergeHooks, mergeRecords } from "./merge.js"
import type { HookEvent, HookSettings, LanguageServerSettings, Limits, McpServerSettings } from "./outside.js"
import { isAbsent, type Place, projectFolders } from "./places.js"
import { rulesFor } from "./projects.js"
import { type McpServerConfig, withVariables } from "./variables.js"

const FILE = "sotto.json"

/** What the user and the project have settled, nearer word last. */
export interface Config {
  readonly model?: string
  readonly agent?: string
  readonly agents: Readonly<Record<string, AgentSettings>>
  /** For all agents. */
  readonly permission: readonly PermissionRule[]
  readonly reminders: Readonly<Record<string, KindSettings>>
  readonly budget: Budget
  readonly system?: "pinned" | "recompute"
  readonly channelsWake?: boolean
  readonly snip?: boolean
  readonly nonce?: boolean
  readonly maxSteps?: number
  /** Absolute paths, or globs that begin with one. */
  readonly instructions: readonly string[]
  readonly models: Readonly<Record<string, ModelSettings>>
  readonly mcp: Readonly<Record<string, McpServerConfig>>
  readonly lsp: Readonly<Record<string, boolean | LanguageServerSettings>>
  readonly hooks: Readonly<Partial<Record<HookEvent, readonly HookSettings[]>>>
  /** Milliseconds. */
  readonly collectTimeout?: number
  readonly titles?: boolean
  readonly style?: string
  readonly auto?: boolean
  readonly compaction: { readonly auto?: boolean; readonly at?: number; readonly tail?: number }
  readonly limits: Limits
  /** What commands may write and reach, where the agent does not say. */
  readonly sandbox?: SandboxSetting
  /**
   * Names of key variables that child processes may have all the same. Only the user's own file may name them: a
   * project that could would read the keys.
   */
  readonly environment?: readonly string[]
  /** The files this was read from. */
  readonly files: readonly string[]
}

const EMPTY: Config = {
  agents: {},
  permission: [],
  reminders: {},
  budget: {},
  instructions: [],
  models: {},
  mcp: {},
  lsp: {},
  hooks: {},
  compaction: {},
  limits: {},
  files: [],
}

/**
 * The user's `sotto.json`, every `.mcp.json` of the project, and the nearest `sotto.json` of it. Throws ConfigError for
 * what cannot be used.
 */
export async function loadConfig(place: Place): Promise<Config> {
  const own = join(configFolder(place.env), FILE)
  const project = projectFolders(place)
    .map((folder) => join(folder, FILE))
    .filter((path) => path !== own)
    .reverse()
  let config = await withMcpFiles(await withFile(EMPTY, own, place, true), place)
  for (const path of project) {
    const merged = await withFile(config, path, place)
    if (merged !== config) return merged
    config = merged
  }
  return config
}

/** The same config if there is no such file. */
async function withFile(config: Config, path: string, place: Place, isOwn = false): Promise<Config> {
  const source = await readText(path)
  if (source === undefined) return config
  const {
    $schema: _,
    projects = {},
    ...found
  } = configShape.read(parseJsonc(source, path), { file: path, field: "" })
  const permission = [...(found.permission ?? []), ...(isOwn ? rulesFor(projects, place.cwd) : [])]
  return { ...merge(config, { ...found, permission }, path, place), files: [...config.files, path] }
}

async function withMcpFiles(config: Config, place: Place): Promise<Config> {
  let merged = config
  for (const folder of projectFolders(place)) {
    const path = join(folder, MCP_FILE)
    const source = await readText(path)
    if (source === undefined) continue
    const servers = readMcpFile(parseJsonc(source, path), path)
    const mcp = { ...merged.mcp, ...reached(servers, "mcpServers", path, place) }
    merged = { ...merged, mcp, files: [...merged.files, path] }
  }
  return merged
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8")
  } catch (cause) {
    if (isAbsent(cause)) return undefined
    const why = reasonOf(cause)
    throw new ConfigError(
      path,
      1,
      "",
      `The file cannot be read: ${why}.`,
      "Make it readable, or move it away.",
    )
  }
}

function merge(
  config: Config,
  found: Omit<ConfigFile, "$schema" | "projects">,
  path: string,
  place: Place,
): Config {
  const {
    agents = {},
    permission = [],
    reminders = {},
    budget,
    instructions = [],
    models = {},
    mcp = {},
    lsp = {},
    hooks = {},
    compaction,
    limits = {},
    ...rest
  } = found
  return {
    ...config,
    ...rest,
    agents: mergeRecords(config.agents, agents, mergeAgent),
    permission: [...config.permission, ...permission],
    reminders: mergeRecords(config.reminders, reminders, mergeKind),
    budget: { ...config.budget, ...budget },
    instructions: [...config.instructions, ...instructions.map((file) => located(file, path, place))],
    models: mergeRecords(config.models, models, mergeModel),
    mcp: { ...config.mcp, ...reached(mcp, "mcp", path, place) },
    lsp: { ...config.lsp, ...lsp },
    hooks: mergeHooks(config.hooks, hooks),
    compaction: { ...config.compaction, ...compaction },
    limits: {
      turn: { ...config.limits.turn, ...limits.turn },
      session: { ...config.limits.session, ...limits.session },
    },
  }
}

/** Servers with their variables filled in and their folders found, from where the file is. */
function reached(
  servers: Readonly<Record<string, McpServerSettings>>,
  field: string,
  path: string,
  place: Place,
): Readonly<Record<string, McpServerConfig>> {
  const entries = Object.entries(servers).map(([name, settings]) => {
    const server = withVariables(settings, place.env, { file: path, field: `${field}.${name}` })
    return [name, server.cwd === undefined ? server : { ...server, cwd: located(server.cwd, path, place) }]
  })
  return Object.fromEntries(entries)
}

function located(file: string, path: string, place: Place): string {
  if (file === "~" || file.startsWith("~/")) return join(homeFolder(place.env), file.slice(1))
  return resolve(dirname(path), file)
}

function mergeKind(before: KindSettings, after: KindSettings): KindSettings {
  return before === false || after === false ? after : { ...before, ...after }
}

function mergeModel(before: ModelSettings, after: ModelSettings): ModelSettings {
  const capabilities = { ...before.capabilities, ...after.capabilities }
  const price = { ...before.price, ...after.price }
  return { ...before, ...after, capabilities, price }
}
