import { join } from "node:path"
import { type Agent, type AgentPrompt, THINK_LEVELS } from "@sotto/core"
import { ownRules, type RuleSources } from "../../execution/permissions/policy.js"
import type { Project } from "../../platform/workspace/project.js"
import { readRegularText } from "../../platform/workspace/regular-file.js"
import { type AgentDefinition, readAgent } from "../config/agent-file.js"
import { ConfigError } from "../config/error.js"
import type { AgentSettings } from "../config/fields.js"
import { markdownIn } from "../config/files.js"
import type { Config } from "../load.js"
import { mergeAgent } from "../merge.js"
import { definitionFolders } from "../trust/definitions.js"
import { CONFIG_FILE } from "../trust/survey.js"
import { builtInAgents, newAgent } from "./builtin.js"

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

type Words = Pick<Config, "agents" | "permission" | "own" | "tightening"> &
  Partial<Pick<Config, "models" | "files">>

/** Loads the agents alone. */
export async function loadAgents(place: Project & { readonly config: Words }): Promise<readonly Agent[]> {
  return (await loadJudgedAgents(place)).agents
}

/**
 * Loads the built-in agents, then what is said about them and others, nearer word last: the user's own Markdown files,
 * `sotto.json`, a trusted folder's Markdown files. Throws ConfigError for a definition that cannot be used.
 */
export async function loadJudgedAgents({
  config,
  ...place
}: Project & { readonly config: Words }): Promise<Agents> {
  const definitions = await definitionsFor(place)
  const agents = agentsFrom(definitions, config)
  for (const agent of agents) checkVariant(agent, config, place)
  return { agents, sourcesOf: sourcing(definitions, config) }
}

async function definitionsFor(place: Project): Promise<Definitions> {
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
    else agents.set(name, adjusted(agents.get(name) ?? newAgent(name, config.permission, given), given))
  }
  return [...agents.values()]
}

function sourcing(definitions: Definitions, config: Words): Agents["sourcesOf"] {
  const { tightening } = config
  if (config.own === undefined && tightening === undefined && definitions.folder.length === 0)
    return ({ permission = [] }) => ownRules(permission)
  const own: Words = config.own ?? { permission: config.permission, agents: config.agents }
  const base = new Map(agentsFrom({ ...definitions, folder: [] }, own).map((agent) => [agent.name, agent]))
  return ({ permission = [], ...agent }) => ({
    all: permission,
    withoutFolder: (base.get(agent.name) ?? newAgent(agent.name, own.permission, agent)).permission ?? [],
    user: [
      ...own.permission,
      ...definitions.own.filter(([one]) => one === agent.name).flatMap(([, given]) => given.permission ?? []),
      ...(own.agents[agent.name]?.permission ?? []),
    ],
    untrustedFolder: [
      ...(tightening?.permission ?? []),
      ...(tightening?.agents[agent.name]?.permission ?? []),
    ],
  })
}

/** Throws ConfigError for a variant that is neither a thinking level nor one of a model's. */
function checkVariant({ name, variant }: Agent, { models = {}, files = [] }: Words, place: Project): void {
  if (variant === undefined) return
  const known = [
    ...THINK_LEVELS,
    ...Object.values(models).flatMap(({ variants = {} }) => Object.keys(variants)),
  ]
  if (known.includes(variant)) return
  const markdown = definitionFolders(place, "agents").map(({ path }) => join(path, `${name}.md`))
  const said = new RegExp(`variant["\\s]*:[\\s"']*${variant.replace(/[^\w]/g, "\\$&")}`)
  const found = [...markdown, ...files].flatMap((file) => {
    const text = readRegularText(file) ?? ""
    const at = text.search(said)
    return at < 0 ? [] : [{ file, line: text.slice(0, at).split("\n").length }]
  })
  const { file, line } = found.at(-1) ?? { file: CONFIG_FILE, line: 1 }
  const what = `No model has the variant ${JSON.stringify(variant)}.`
  throw new ConfigError(
    file,
    line,
    `agents.${name}.variant`,
    what,
    `Use one of: ${known.join(", ")}; or name it in \`models.MODEL.variants\`.`,
  )
}

function adjusted(agent: Agent, { disable: _, prompt: own, ...given }: AgentSettings): Agent {
  const { native, ...base } = agent
  const prompt = addedTo(agent.prompt, own)
  return {
    ...base,
    ...given,
    ...(prompt !== undefined && { prompt }),
    // A native prompt is trusted to name Sotto's own tags; one that a user wrote is text like any other.
    ...(native === true && own === undefined && { native }),
    permission: [...(agent.permission ?? []), ...(given.permission ?? [])],
    ...(given.options && { options: { ...agent.options, ...given.options } }),
  }
}

/** Adds a text to a prompt of the agent's own, as part of it; else the engine adds it to the model's. */
function addedTo(before: AgentPrompt | undefined, given: AgentPrompt | undefined): AgentPrompt | undefined {
  if (given === undefined || typeof given === "string") return given ?? before
  return typeof before === "string" ? `${before}\n\n${given.add}` : given
}
