import { dirname, join, resolve } from "node:path"
import type { Budget, KindSettings, PermissionRule, ThinkLevel } from "@sotto/core"
import type { SandboxSetting } from "../execution/permissions/sandbox/sandbox.js"
import { configFolder, homeFolder } from "../platform/workspace/folders.js"
import type { Project } from "../platform/workspace/project.js"
import type {
  AgentSettings,
  ConfigFile,
  ConfiguredModel,
  EconomySetting,
  MendingSettings,
  TerminalSettings,
} from "./config/fields.js"
import { configurationAt } from "./config/files.js"
import { parseJsonc } from "./config/jsonc.js"
import { MCP_FILE, readMcpFile } from "./config/mcp-file.js"
import type {
  HookEvent,
  HookSettings,
  LanguageServerSettings,
  McpServerSettings,
  SpendLimits,
} from "./config/outside.js"
import { type McpServerConfig, withVariables } from "./config/variables.js"
import { mergeAgent, mergeHooks, mergeRecords } from "./merge.js"
import { type ModelUpdate, readUpdate } from "./model-update.js"
import { rulesFor } from "./projects.js"
import { narrowerSandbox, ownOnly, untrustedPart, withoutPrivate, withoutTexts } from "./trust/fields.js"
import { configuredFolders } from "./trust/folder.js"
import { CONFIG_FILE, type FoundConfig, folderText, nearestConfig, parsedConfig } from "./trust/survey.js"

/** What one source says about permissions. */
interface RuleWords {
  readonly permission: readonly PermissionRule[]
  readonly agents: Readonly<Record<string, AgentSettings>>
}

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
  readonly think?: ThinkLevel
  /** Absolute paths, or globs that begin with one. */
  readonly instructions: readonly string[]
  readonly models: Readonly<Record<string, ConfiguredModel>>
  /** What `sotto models update` has kept of models. `models` counts more. */
  readonly update?: ModelUpdate
  readonly mcp: Readonly<Record<string, McpServerConfig>>
  readonly lsp: Readonly<Record<string, boolean | LanguageServerSettings>>
  readonly hooks: Readonly<Partial<Record<HookEvent, readonly HookSettings[]>>>
  /** Milliseconds. */
  readonly collectTimeout?: number
  readonly titles?: boolean
  readonly cacheDiagnostics?: boolean
  readonly style?: string
  readonly auto?: boolean
  readonly compaction: { readonly auto?: boolean; readonly at?: number; readonly tail?: number }
  /** Searches of the provider's, and the private hosts that `fetch` may ask. */
  readonly web?: ConfigFile["web"]
  /** "break-even" unless given. */
  readonly economy?: EconomySetting
  /** What is kept for undo: the size of a file, and of all in a workspace; false if nothing is. */
  readonly snapshots?: boolean | { readonly file?: string; readonly total?: string }
  readonly limits: SpendLimits
  /** What `sotto proxy` may change. */
  readonly proxy: MendingSettings
  /** What commands may write and reach, where the agent does not say. */
  readonly sandbox?: SandboxSetting
  /**
   * Names of variables that look like secrets and that child processes get all the same. Only the user's own file may
   * name them: a project that could would read the keys.
   */
  readonly pass?: readonly string[]
  /** Whether child processes see those of Sotto, by the user's own file. */
  readonly processes?: "own" | "shared"
  /** By name: absolute paths of workspaces that other machines have too, by the user's own file. */
  readonly workspaces: Readonly<Record<string, string>>
  /** Where sessions are kept, by the user's own file. A folder that could say it could send them elsewhere. */
  readonly store?: string
  /** The terminal UI, by the user's own file. */
  readonly terminal?: TerminalSettings
  /** What the user's own file says of permissions, where a trusted folder has a word too. */
  readonly own?: RuleWords
  /** What an untrusted folder says of permissions. */
  readonly tightening?: RuleWords
  /** What was left out, for people. */
  readonly notices?: readonly string[]
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
  proxy: {},
  workspaces: {},
  files: [],
}

/**
 * Loads the user's `sotto.json`, every `.mcp.json` of the folder, the nearest `sotto.json` of it, and what the user has kept
 * of models. Of a folder that is not trusted only what tightens counts, and a file of it with a mistake is passed over. Throws ConfigError for any
 * other file that cannot be used.
 */
export async function loadConfig(place: Project): Promise<Config> {
  const config = configIn(place)
  const { update, problem } = readUpdate(place.env)
  return {
    ...config,
    ...(update && { update }),
    ...(problem !== undefined && { notices: [...(config.notices ?? []), problem] }),
  }
}

function configIn(place: Project): Config {
  const path = join(configFolder(place.env), CONFIG_FILE)
  const source = configurationAt(path)
  const own = source === undefined ? EMPTY : ownConfig(source, path, place)
  const folders = configuredFolders(place)
  const read = (file: string) => textOf(folderText(file))
  if (place.trusted !== true) {
    // The decision about trust has told the user of a mistake in the folder's file.
    const found = nearestConfig(folders, place, read, () => undefined)
    return found === undefined ? own : withUntrusted(own, found)
  }
  const found = nearestConfig(folders, place, read)
  const all = withMcpFiles(own, folders, read, place)
  return found === undefined ? all : withTrusted(all, found, own, place)
}

function textOf(found: ReturnType<typeof folderText>): string | undefined {
  return "text" in found ? found.text : undefined
}

/** Reads the user's own file, which alone may say something for single folders. */
function ownConfig(source: string, path: string, place: Project): Config {
  const settings = parsedConfig(source, path)
  const permission = [...(settings.permission ?? []), ...rulesFor(settings.projects ?? {}, place.cwd)]
  return merged(EMPTY, { path, settings: { ...settings, permission } }, place)
}

function merged(config: Config, { path, settings }: FoundConfig, place: Project): Config {
  return { ...merge(config, settings, path, place), files: [...config.files, path] }
}

/**
 * Adds what an untrusted folder says: it counts where it tightens, and is kept apart, because it is judged by itself.
 */
function withUntrusted(own: Config, { path, settings }: FoundConfig): Config {
  const { permission = [], agents = {} } = untrustedPart(settings)
  return { ...own, tightening: { permission, agents }, files: [...own.files, path] }
}

/** Adds the folder's word after the user's own. Leaves out what no folder may say, with a word to the user. */
function withTrusted(all: Config, { path, settings }: FoundConfig, own: Config, place: Project): Config {
  const { reminders, notices: ignored } = withoutTexts(settings.reminders ?? {}, path)
  const { store: _, retention: __, tenants: ___, webhooks: ____, ...theirs } = settings
  const { web, notices: closed } = withoutPrivate(settings.web ?? {}, path)
  const whole = merged(all, { path, settings: { ...theirs, reminders, web } }, place)
  const sandbox = narrowerSandbox(own.sandbox, settings.sandbox)
  const notices = [...ignored, ...closed, ...ownOnly(settings, path)]
  return {
    ...whole,
    pass: own.pass ?? [],
    processes: own.processes ?? "own",
    terminal: own.terminal ?? {},
    workspaces: own.workspaces,
    ...(sandbox !== undefined && { sandbox }),
    own: { permission: own.permission, agents: own.agents },
    ...(notices.length > 0 && { notices }),
  }
}

function withMcpFiles(
  config: Config,
  folders: readonly string[],
  read: (path: string) => string | undefined,
  place: Project,
): Config {
  let whole = config
  for (const folder of folders) {
    const path = join(folder, MCP_FILE)
    const source = read(path)
    if (source === undefined) continue
    const servers = readMcpFile(parseJsonc(source, path), path)
    const mcp = { ...whole.mcp, ...reached(servers, "mcpServers", path, place) }
    whole = { ...whole, mcp, files: [...whole.files, path] }
  }
  return whole
}

function merge(config: Config, found: Omit<ConfigFile, "$schema">, path: string, place: Project): Config {
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
    proxy,
    web,
    projects: _,
    workspaces = {},
    env,
    environment = [],
    ...rest
  } = found
  return {
    ...config,
    ...rest,
    pass: [...(config.pass ?? []), ...environment, ...(env?.pass ?? [])],
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
    proxy: { ...config.proxy, ...proxy },
    ...(web && { web: { ...config.web, ...web } }),
    workspaces: {
      ...config.workspaces,
      ...Object.fromEntries(
        Object.entries(workspaces).map(([name, folder]) => [name, located(folder, path, place)]),
      ),
    },
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
  place: Project,
): Readonly<Record<string, McpServerConfig>> {
  const entries = Object.entries(servers).map(([name, settings]) => {
    const server = withVariables(settings, place.env, { file: path, field: `${field}.${name}` })
    return [name, server.cwd === undefined ? server : { ...server, cwd: located(server.cwd, path, place) }]
  })
  return Object.fromEntries(entries)
}

function located(file: string, path: string, place: Project): string {
  if (file === "~" || file.startsWith("~/")) return join(homeFolder(place.env), file.slice(1))
  return resolve(dirname(path), file)
}

function mergeKind(before: KindSettings, after: KindSettings): KindSettings {
  return before === false || after === false ? after : { ...before, ...after }
}

function mergeModel(before: ConfiguredModel, after: ConfiguredModel): ConfiguredModel {
  const capabilities = { ...before.capabilities, ...after.capabilities }
  const price = { ...before.price, ...after.price }
  return { ...before, ...after, capabilities, price }
}
