import { realpathSync } from "node:fs"
import { join } from "node:path"
import { type Agent, type ModelChoice, type Rule, standardRules } from "@sotto/core"
import { loadAgents } from "../agents/load.js"
import { type Config, loadConfig } from "../config/load.js"
import type { McpServerSettings } from "../config/outside.js"
import { loadRules } from "../config/reminders.js"
import type { LanguageServers } from "../diagnostics/servers.js"
import { dataFolder } from "../folders.js"
import { Memories } from "../memory/memories.js"
import { defaultModel, type Environment } from "../models/resolve.js"
import { loadSkills, type SkillShelf } from "../prompt/skill-shelf.js"
import { openStore, type Store } from "../store/store.js"
import { Models } from "./link.js"

export interface WorkplaceOptions {
  readonly cwd: string
  readonly env: Environment
  /** At most so many steps a turn, whatever the agents say. */
  readonly maxSteps?: number
  /** MCP servers beside the configured ones; of the same name, these count. */
  readonly mcp?: Readonly<Record<string, McpServerSettings>>
  /** Somebody watches: the rehearsal takes its time, so that there is some to type in. */
  readonly watched?: boolean
  now?(): number
}

/** Everything that the conversations of one directory share. */
export interface Workplace {
  readonly cwd: string
  readonly env: Environment
  readonly config: Config
  readonly agents: readonly Agent[]
  readonly rules: readonly Rule[]
  readonly skills: SkillShelf
  /** Looked at when something is said. */
  readonly memories: Memories
  readonly models: Models
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
  const [agents, ownRules, skills] = await Promise.all([
    loadAgents({ ...place, config }),
    loadRules(place),
    loadSkills(place),
  ])
  const models = new Models(env, watched ? { tokenDelay: 40 } : {})
  let store: Store | undefined
  let languageServers: Promise<LanguageServers> | undefined
  return {
    cwd,
    env,
    config,
    agents: agents.map((agent) => limited(agent, maxSteps ?? config.maxSteps)),
    rules: [...standardRules(), ...ownRules],
    skills,
    memories: new Memories(place),
    models,
    store: () => {
      store ??= openStore(join(dataFolder(env), "sessions.db"))
      return store
    },
    languageServers: () => {
      languageServers ??= import("../diagnostics/servers.js").then(
        ({ LanguageServers }) => new LanguageServers({ ...place, lsp: config.lsp }),
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
      await models.close()
      await (await languageServers)?.close()
      store?.close()
    },
  }
}

function limited(agent: Agent, most: number | undefined): Agent {
  if (most === undefined) return agent
  return { ...agent, steps: Math.min(most, agent.steps ?? most) }
}
