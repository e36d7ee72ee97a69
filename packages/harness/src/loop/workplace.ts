import { realpathSync } from "node:fs"
import { join } from "node:path"
import { type Agent, type ModelChoice, type Rule, standardRules } from "@sotto/core"
import { loadAgents } from "../agents/load.js"
import { type Config, loadConfig } from "../config/load.js"
import type { McpServerSettings } from "../config/outside.js"
import { loadRules } from "../config/reminders.js"
import type { LanguageServers } from "../diagnostics/servers.js"
import { Writes } from "../files/writes.js"
import { dataFolder } from "../folders.js"
import { McpServers } from "../mcp/servers.js"
import { Memories } from "../memory/memories.js"
import { FileIndex } from "../mentions/file-index.js"
import { defaultModel, type Environment } from "../models/resolve.js"
import { type ChildEnvironment, childEnvironment } from "../programs/environment.js"
import { loadSkills, type SkillShelf } from "../prompt/skill-shelf.js"
import { openStore, type Store } from "../store/store.js"
import { loadStyles, type Style } from "../styles/styles.js"
import { Models, type ModelsOptions } from "./link.js"

export interface WorkplaceOptions {
  readonly cwd: string
  readonly env: Environment
  /** At most so many steps a turn, whatever the agents say. */
  readonly maxSteps?: number
  /** MCP servers beside the configured ones; of the same name, these count. */
  readonly mcp?: Readonly<Record<string, McpServerSettings>>
  /** Somebody watches: the rehearsal takes its time, so that there is some to type in. */
  readonly watched?: boolean
  /** How models are called, for whoever cannot wait as long as a person can. */
  readonly calling?: Pick<ModelsOptions, "bounds" | "silence" | "sleep">
  now?(): number
}

/** Everything that the conversations of one directory share. */
export interface Workplace {
  readonly cwd: string
  readonly env: Environment
  /** What commands, hooks and other children inherit of it. */
  readonly childEnv: ChildEnvironment
  readonly config: Config
  readonly agents: readonly Agent[]
  readonly rules: readonly Rule[]
  readonly styles: readonly Style[]
  readonly skills: SkillShelf
  /** Looked at when something is said. */
  readonly memories: Memories
  readonly models: Models
  /** Connected when the first conversation opens. */
  readonly mcp: McpServers
  /** Who wrote which file, of all the agents here. */
  readonly writes: Writes
  /** For completion; made when first asked for. */
  readonly index: FileIndex
  /** Opened when first asked for. */
  readonly store: () => Store
  /** Opened when first asked for; each server starts when a file of its is touched. */
  readonly languageServers: () => Promise<LanguageServers>
  readonly now: () => number
  modelNamed(name: string | undefined): ModelChoice
  close(): Promise<void>
}

export async function openWorkplace(options: WorkplaceOptions): Promise<Workplace> {
  const { env, maxSteps, watched = false, now = Date.now } = options
  const cwd = realpathSync(options.cwd)
  const place = { cwd, env }
  const settled = await loadConfig(place)
  const config = { ...settled, mcp: { ...settled.mcp, ...options.mcp } }
  const [agents, ownRules, styles, skills] = await Promise.all([
    loadAgents({ ...place, config }),
    loadRules(place),
    loadStyles(place),
    loadSkills(place),
  ])
  const models = new Models(env, {
    ...options.calling,
    ...(watched && { tokenDelay: 40 }),
    silence: (model) => inMilliseconds(config.models[model]?.silence) ?? options.calling?.silence?.(model),
  })
  const mcp = new McpServers(config, place)
  let store: Store | undefined
  let languageServers: Promise<LanguageServers> | undefined
  return {
    cwd,
    env,
    childEnv: childEnvironment(env, { keep: config.environment ?? [] }),
    config,
    agents: agents.map((agent) => limited(agent, maxSteps, config.maxSteps)),
    rules: [...standardRules(), ...ownRules],
    styles,
    skills,
    memories: new Memories(place),
    models,
    mcp,
    writes: new Writes(),
    index: new FileIndex(cwd),
    store: () => {
      store ??= openStore(join(dataFolder(env), "sessions.db"))
      return store
    },
    languageServers: () => {
      languageServers ??= import("../diagnostics/servers.js").then(
        ({ LanguageServers }) => new LanguageServers({ ...place, lsp: config.lsp, keep: config.environment }),
      )
      return languageServers
    },
    now,
    modelNamed: (name) => {
      const id = name ?? defaultModel(env, config)
      // Fails here, with what to do, rather than at the first request.
      models.target(id)
      const settings = config.models[id]
      if (settings === undefined) return { id }
      const { capabilities, contextWindow } = settings
      const known = { ...capabilities, ...(contextWindow !== undefined && { contextWindow }) }
      return { id, capabilities: known }
    },
    close: async () => {
      await mcp.close()
      await models.close()
      await (await languageServers)?.close()
      store?.close()
    },
  }
}

function inMilliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}

/** `most` caps every agent; `usual` is for agents that set no number of their own. */
function limited(agent: Agent, most: number | undefined, usual: number | undefined): Agent {
  const own = agent.steps ?? usual
  const steps = most === undefined ? own : Math.min(most, own ?? most)
  return steps === undefined ? agent : { ...agent, steps }
}
