import type { Agent } from "@sotto/core"
import { type AgentDefinition, readAgent } from "../config/agent-file.js"
import type { AgentSettings } from "../config/fields.js"
import { markdownIn } from "../config/files.js"
import { ownRules, type RuleSources } from "../permissions/policy.js"
import type { Config } from "../settings/load.js"
import { mergeAgent } from "../settings/merge.js"
import { definitionFolders } from "../trust/definitions.js"
import type { Place } from "../workspace/place.js"
import { builtInAgents, STARTING_POINT } from "./builtin.js"

/** What is said about agents in Markdown files: by the user, and by a trusted folder. */
interface Definitions {
  readonly own: readonly AgentDefinition[]
  readonly folder: readonly AgentDefinition[]
}

/** The agents, and whose rules decide for each. */
export interface Agents {
  readonly agents: readonly Agent[]
  sourcesOf(agent: Agent): RuleSources
}

type Words = Pick<Config, "agents" | "permission" | "own" | "tightening">

/** The agents alone. */
export async function loadAgents(place: Place & { readonly config: Words }): Promise<readonly Agent[]> {
  return (await loadJudgedAgents(place)).agents
}

/**
 * The built-in agents, then what is said about them and others, nearer word last: the user's own Markdown files,
 * `sotto.json`, a trusted folder's Markdown files. Throws ConfigError for a definition that cannot be used.
 */
export async function loadJudgedAgents({
  config,
  ...place
}: Place & { readonly config: Words }): Promise<Agents> {
  const definitions = await definitionsFor(place)
  const agents = agentsFrom(definitions, config)
  return { agents, sourcesOf: sourcing(definitions, config) }
}

async function definitionsFor(place: Place): Promise<Definitions> {
  const found = await Promise.all(
    definitionFolders(place, "agents").map(async ({ path, from }) => ({
      from,
      definitions: await Promise.all(markdownIn(path).map(readAgent)),
    })),
  )
  const by = (isUser: boolean) =>
    found.filter(({ from }) => (from === "user") === isUser).flatMap(({ definitions }) => definitions)
  return { own: by(true), folder: by(false) }
}

function agentsFrom({ own, folder }: Definitions, config: Words): readonly Agent[] {
  const settings = new Map<string, AgentSettings>()
  for (const [name, given] of [...own, ...Object.entries(config.agents), ...folder]) {
    const known = settings.get(name)
    settings.set(name, known === undefined ? given : mergeAgent(known, given))
  }

  const agents = new Map(builtInAgents(config.permission).map((agent) => [agent.name, agent]))
  for (const [name, given] of settings) {
    if (given.disable === true) agents.delete(name)
    else agents.set(name, adjusted(agents.get(name) ?? newAgent(name, config), given))
  }
  return [...agents.values()]
}

function sourcing(definitions: Definitions, config: Words): Agents["sourcesOf"] {
  const { tightening } = config
  if (config.own === undefined && tightening === undefined && definitions.folder.length === 0)
    return ({ permission = [] }) => ownRules(permission)
  const own: Words = config.own ?? { permission: config.permission, agents: config.agents }
  const base = new Map(agentsFrom({ ...definitions, folder: [] }, own).map((agent) => [agent.name, agent]))
  return ({ name, permission = [] }) => ({
    all: permission,
    withoutFolder: (base.get(name) ?? newAgent(name, own)).permission ?? [],
    user: [
      ...own.permission,
      ...definitions.own.filter(([one]) => one === name).flatMap(([, given]) => given.permission ?? []),
      ...(own.agents[name]?.permission ?? []),
    ],
    untrustedFolder: [...(tightening?.permission ?? []), ...(tightening?.agents[name]?.permission ?? [])],
  })
}

function newAgent(name: string, { permission }: Pick<Config, "permission">): Agent {
  return { name, permission: [...STARTING_POINT, ...permission] }
}

function adjusted(agent: Agent, { disable: _, ...given }: AgentSettings): Agent {
  const { native, ...base } = agent
  return {
    ...base,
    ...given,
    // A native prompt is trusted to name Sotto's own tags; one that a user wrote is text like any other.
    ...(native === true && given.prompt === undefined && { native }),
    permission: [...(agent.permission ?? []), ...(given.permission ?? [])],
    ...(given.options && { options: { ...agent.options, ...given.options } }),
  }
}
