import { realpathSync } from "node:fs"
import type { Agent, Entry, ModelChoice, Rule, ThinkLevel } from "@sotto/core"
import type { RuleSources } from "../../execution/permissions/policy.js"
import {
  type ChildEnvironment,
  childEnvironment,
  withheldFrom,
} from "../../execution/programs/environment.js"
import { shareProcesses } from "../../execution/programs/supervise.js"
import { capabilitiesIn } from "../../models/model-facts.js"
import { Models, type ModelsOptions } from "../../models/models.js"
import { defaultModel, fullModelName, mustHaveModel } from "../../models/resolve.js"
import { readKeys, renewStoredKeys, withStoredKeys } from "../../models/stored-keys.js"
import type { Environment } from "../../platform/workspace/folders.js"
import type { Project } from "../../platform/workspace/project.js"
import { WorkspaceNames } from "../../platform/workspace/workspace-names.js"
import { loadJudgedAgents } from "../../settings/agents/load.js"
import { loadStyles, type Style } from "../../settings/agents/styles.js"
import type { McpServerSettings } from "../../settings/config/outside.js"
import { type Config, loadConfig } from "../../settings/load.js"
import { decideTrust, type FolderTrust, type TrustQuestion } from "../../settings/trust/decide.js"
import type { LanguageServers } from "../../sources/diagnostics/servers.js"
import { Writes } from "../../sources/files/writes.js"
import { promptCommand, promptCommands } from "../../sources/mcp/prompts.js"
import { McpServers } from "../../sources/mcp/servers.js"
import { Memories } from "../../sources/memory/memories.js"
import { FileIndex } from "../../sources/mentions/file-index.js"
import {
  type InvokedCommand,
  loadCommands,
  type OwnCommand,
  ownCommandIn,
  ownCommands,
  withStandardCommands,
} from "../../sources/own-commands/own-commands.js"
import { loadRules } from "../../sources/reminders/load.js"
import { sottoRules } from "../../sources/reminders/standard.js"
import { loadSkills, type SkillShelf } from "../../sources/skills/shelf.js"
import type { FileChange } from "../../sources/snapshots/file-changes.js"
import type { RestoreOutcome } from "../../sources/snapshots/restore.js"
import type { WorkspaceTree } from "../../sources/snapshots/tree.js"
import type { ChangedFile } from "../../sources/snapshots/version.js"
import { storePlace } from "../../store/place.js"
import { hasDatabase, prepareStore } from "../../store/postgres.js"
import { isShared, openFile, openStore, type Store } from "../../store/store.js"
import { activeTelemetry } from "../telemetry/active.js"
import type { Telemetry } from "../telemetry/telemetry.js"

/** How a project is opened. */
export interface ProjectRuntimeOptions {
  readonly cwd: string
  readonly env: Environment
  /** The largest number of steps in a turn, whatever the agents say. */
  readonly maxSteps?: number
  /** How much the agents that people talk to think, whatever their settings say; subagents with a level keep it. */
  readonly think?: ThinkLevel
  /** MCP servers beside the configured ones; of the same name, these count. */
  readonly mcp?: Readonly<Record<string, McpServerSettings>>
  /** Whether the user trusts the folder for this once, whatever they said before. `SOTTO_TRUST=1` says the same. */
  readonly trust?: boolean
  /** Asks the user whether they trust the folder. Left out, what needs trust is left out. */
  readonly askTrust?: (question: TrustQuestion) => Promise<boolean>
  /** True if a user watches: the rehearsal takes its time, so that the user has some to type in. */
  readonly watched?: boolean
  /** The workspaces of this process; those of the user's configuration unless given. */
  readonly workspaces?: WorkspaceNames
  /** An open store to use, which the caller closes; one of its own unless given. */
  readonly store?: Store
  /** False if the stand-in may not answer where no model is named and no key is set; it may unless given. */
  readonly standIn?: boolean
  /** How models are called, for a caller that cannot wait as long as a person can. */
  readonly calling?: Pick<ModelsOptions, "bounds" | "silence" | "sleep">
  now?(): number
}

/** Everything that the conversations of one directory share. */
export interface ProjectRuntime {
  readonly cwd: string
  readonly env: Environment
  /** What commands, hooks and other children inherit of it. */
  readonly childEnv: ChildEnvironment
  /** Names of the variables that children do not get because they look like secrets. */
  readonly withheld: readonly string[]
  /** Where the loaders look, and whether the user trusts it. */
  readonly place: Project
  readonly trust: FolderTrust
  /** What was left out and cannot be trusted by any user, for people. */
  readonly notices: readonly string[]
  readonly config: Config
  readonly agents: readonly Agent[]
  /** Whose rules decide for an agent. */
  sourcesOf(agent: Agent): RuleSources
  readonly rules: readonly Rule[]
  readonly styles: readonly Style[]
  readonly skills: SkillShelf
  /** What can be typed after a slash, beside Sotto's own commands: read anew where skills or servers have changed. */
  readonly ownCommands: () => readonly OwnCommand[]
  /** The command of these that a text is, if it is one; also a prompt of a server that is not connected yet. */
  readonly ownCommandIn: (text: string) => InvokedCommand | undefined
  /** Looked at when something is said. */
  readonly memories: Memories
  readonly models: Models
  /** Connected when the first conversation opens. */
  readonly mcp: McpServers
  /** Who wrote which file, of all the agents here. */
  readonly writes: Writes
  /** The files as they were last seen, for undo; made when first asked for. */
  readonly tree: () => Promise<WorkspaceTree>
  /** Lists what several logs say was changed here, and compares it with what is there now. */
  readonly fileChanges: (logs: readonly (readonly Entry[])[]) => Promise<readonly FileChange[]>
  /** Brings files back to what they were before. Resolves to what was left, and why. */
  readonly undoFiles: (files: readonly ChangedFile[]) => Promise<RestoreOutcome["left"]>
  /** For completion; made when first asked for. */
  readonly index: FileIndex
  /** Opened when first asked for. */
  readonly store: () => Store
  /** The workspace that a session which begins here belongs to; undefined where the store is this machine's own. */
  readonly workspace: () => string | undefined
  /** Opened when first asked for; each server starts when a file of its is touched. */
  readonly languageServers: () => Promise<LanguageServers>
  readonly now: () => number
  /** The process's, where it is on. */
  readonly telemetry: Telemetry | undefined
  modelNamed(name: string | undefined): ModelChoice
  /** Takes in keys that were stored since this was opened. */
  renewKeys(): void
  close(): Promise<void>
}

/** Opens a project: its configuration, agents, rules, tools and store. */
export async function openProjectRuntime(options: ProjectRuntimeOptions): Promise<ProjectRuntime> {
  const { maxSteps, watched = false, now = Date.now } = options
  const keys = readKeys(options.env)
  // A copy: keys that are stored later are put in, and are for this project alone.
  const env = withStoredKeys({ ...options.env }, keys)
  const cwd = realpathSync(options.cwd)
  const trust = await decideTrust(
    { cwd, env },
    {
      ...(options.trust === true && { yes: true }),
      ...(options.askTrust && { ask: options.askTrust }),
    },
  )
  const place = { cwd, env, trusted: trust.trusted, folder: trust.folder }
  const settled = await loadConfig(place)
  const config = { ...settled, mcp: { ...settled.mcp, ...options.mcp } }
  const notices = [...trust.notices, ...(config.notices ?? []), ...(keys.problem ? [keys.problem] : [])]
  const [{ agents, sourcesOf }, ownRules, styles, skills] = await Promise.all([
    loadJudgedAgents({ ...place, config }),
    loadRules(place, (notice) => notices.push(notice)),
    loadStyles(place),
    loadSkills(place),
  ])
  const commands = loadCommands(place)
  const models = new Models(env, {
    ...options.calling,
    ...(watched && { tokenDelay: 40 }),
    ...(config.cacheDiagnostics && { cacheDiagnostics: true }),
    silence: (model) => inMilliseconds(config.models[model]?.silence) ?? options.calling?.silence?.(model),
  })
  if (config.processes === "shared") shareProcesses()
  const mcp = new McpServers(config, place)
  let childEnv: ChildEnvironment | undefined
  let withheld: readonly string[] | undefined
  let store = options.store ?? (await databaseOf(env))
  let languageServers: Promise<LanguageServers> | undefined
  const commandsHere = () => withStandardCommands(ownCommands(commands, skills))
  let tree: Promise<WorkspaceTree> | undefined
  const restoring = () => import("../../sources/snapshots/file-changes.js")
  const restoreParts = async () => ({
    cwd,
    kept: (await workplace.tree()).kept,
    content: (hash: string) => workplace.store().content(hash),
  })
  const workplace: ProjectRuntime = {
    cwd,
    env,
    // For the first program that is started: looking through all variables takes milliseconds.
    get childEnv() {
      childEnv ??= childEnvironment(env, config)
      return childEnv
    },
    get withheld() {
      withheld ??= withheldFrom(env, config)
      return withheld
    },
    place,
    trust,
    notices,
    config,
    sourcesOf,
    agents: agents.map((agent) => thinking(limited(agent, maxSteps, config.maxSteps), options.think)),
    rules: [...sottoRules(), ...ownRules],
    styles,
    skills,
    ownCommands: () => [...commandsHere(), ...promptCommands(mcp, env)],
    ownCommandIn: (text) => ownCommandIn(text, commandsHere(), (name) => promptCommand(name, mcp, env)),
    memories: new Memories(place),
    models,
    mcp,
    writes: new Writes(),
    tree: () => {
      tree ??= import("../../sources/snapshots/tree.js").then(({ openTree }) =>
        openTree(cwd, env, config, [workplace.store().path]),
      )
      return tree
    },
    fileChanges: async (logs) => (await restoring()).fileChanges(logs, await restoreParts()),
    undoFiles: async (files) => (await restoring()).undoFiles(files, await restoreParts()),
    index: new FileIndex(cwd),
    store: () => {
      store ??= openFile(storePlace(env))
      return store
    },
    workspace: () => {
      const here = options.workspaces ?? new WorkspaceNames(env, config.workspaces)
      return here.named(cwd) ?? (isShared(workplace.store()) ? here.machine : undefined)
    },
    languageServers: () => {
      languageServers ??= import("../../sources/diagnostics/servers.js").then(
        ({ LanguageServers }) => new LanguageServers({ ...place, lsp: config.lsp, pass: config.pass }),
      )
      return languageServers
    },
    now,
    telemetry: activeTelemetry(),
    modelNamed: (name) => {
      if (name === undefined && options.standIn === false) mustHaveModel(env, config)
      const id = fullModelName(name ?? defaultModel(env, config))
      // Fails here, with what to do, rather than at the first request.
      const { dialect } = models.target(id)
      const {
        capabilities: _,
        contextWindow: __,
        price: ___,
        silence: ____,
        ...tuning
      } = config.models[id] ?? {}
      const known = capabilitiesIn(config, id)
      const think = options.think ?? tuning.think ?? config.think
      return {
        id,
        dialect,
        ...tuning,
        ...(think !== undefined && { think }),
        ...(Object.keys(known).length > 0 && { capabilities: known }),
      }
    },
    renewKeys: () => {
      renewStoredKeys(env)
      models.forget()
    },
    close: async () => {
      await mcp.close()
      await models.close()
      await (await languageServers)?.close()
      void (await tree)?.close()
      if (options.store === undefined) await store?.close()
    },
  }
  return workplace
}

/** Opens the store if it is a database, which has to be waited for. A file is opened when it is first asked for. */
async function databaseOf(env: Environment): Promise<Store | undefined> {
  await prepareStore(env)
  return hasDatabase(env) ? await openStore(storePlace(env), { env }) : undefined
}

/**
 * Sets how much an agent thinks. What is asked for by hand counts more than an agent's settings; subagents keep theirs,
 * because they are not who was asked.
 */
function thinking(agent: Agent, think: ThinkLevel | undefined): Agent {
  return think === undefined || agent.mode === "subagent" || agent.hidden === true
    ? agent
    : { ...agent, think }
}

function inMilliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}

/** Limits the steps of an agent: `most` caps every agent; `usual` is for agents that set no number of their own. */
function limited(agent: Agent, most: number | undefined, usual: number | undefined): Agent {
  const own = agent.steps ?? usual
  const steps = most === undefined ? own : Math.min(most, own ?? most)
  return steps === undefined ? agent : { ...agent, steps }
}
