import { basename } from "node:path"
import type { Agent } from "@sotto/core"
import { ConfigError } from "../config/error.js"
import { type AgentSettings, agentFields } from "../config/fields.js"
import type { Config } from "../config/load.js"
import { mergeAgent } from "../config/merge.js"
import { definitionFolders, markdownIn, type Place, type TextFile } from "../config/places.js"
import { object } from "../config/structure.js"
import { builtInAgents, STARTING_POINT } from "./builtin.js"
import { parseDocument } from "./front-matter.js"

const frontMatter = object(agentFields)

type Definition = readonly [name: string, settings: AgentSettings]

/**
 * The built-in agents, then what is said about them and others, nearer word last: the user's own Markdown files,
 * `sotto.json`, the project's Markdown files. Throws ConfigError for a definition that cannot be used.
 */
export async function loadAgents({
  config,
  ...place
}: Place & { readonly config: Pick<Config, "agents" | "permission"> }): Promise<readonly Agent[]> {
  const [own = [], ...project] = await Promise.all(
    definitionFolders(place, "agents").map(async (folder) => definitionsIn(await markdownIn(folder))),
  )
  const settings = new Map<string, AgentSettings>()
  for (const [name, given] of [...own, ...Object.entries(config.agents), ...project.flat()]) {
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

function definitionsIn(files: readonly TextFile[]): Promise<readonly Definition[]> {
  return Promise.all(files.map(definition))
}

async function definition({ path, text }: TextFile): Promise<Definition> {
  const name = basename(path, ".md")
  if (!/^[\w.-]+$/.test(name))
    throw new ConfigError(
      path,
      1,
      "",
      `"${name}" cannot be the name of an agent.`,
      "Name the file with letters, digits, _ - . only.",
    )
  const { fields, body } = await parseDocument(text, path)
  const settings = fields === undefined ? {} : frontMatter.read(fields, { file: path, field: "" })
  return [name, body === "" ? settings : { ...settings, prompt: body }]
}
