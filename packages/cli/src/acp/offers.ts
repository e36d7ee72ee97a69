import type { AvailableCommand, ContentBlock, SessionModeState } from "@agentclientprotocol/sdk"
import type { Agent, Aside } from "@sotto/core"
import { selectableAgents } from "@sotto/harness"

/** Acting without asking: not an agent, but the user of an editor sees it as a mode. */
const AUTO = "auto"

/** How a conversation works at the moment. */
export interface AcpMode {
  readonly agent: string
  readonly auto: boolean
}

/** Lists one mode for each agent that a person can talk to, and one for acting without asking. */
export function modesOf(agents: readonly Agent[], mode: AcpMode): SessionModeState {
  const modes = selectableAgents(agents).map(({ name, description }) => ({
    id: name,
    name: titled(name),
    ...(description !== undefined && { description }),
  }))
  const auto = {
    id: AUTO,
    name: "Auto",
    description: "Does the work without asking: what would be asked is allowed, what is denied stays denied.",
  }
  return { currentModeId: idOf(mode, agents), availableModes: hasAuto(agents) ? [...modes, auto] : modes }
}

/** Names the mode for an editor. While an agent plans, that is what counts, also if auto is on. */
export function idOf({ agent, auto }: AcpMode, agents: readonly Agent[]): string {
  const isPlanning = agents.some(({ name, planning }) => name === agent && planning === true)
  return auto && !isPlanning ? AUTO : agent
}

/** Finds the mode that an id names, coming from another; undefined if the id is unknown. */
export function modeNamed(id: string, agents: readonly Agent[], from: AcpMode): AcpMode | undefined {
  const known = selectableAgents(agents)
  if (id !== AUTO || !hasAuto(agents))
    return known.some(({ name }) => name === id) ? { agent: id, auto: false } : undefined
  // What only plans has nothing to act on.
  const working = known.filter(({ planning }) => planning !== true)
  const agent = working.find(({ name }) => name === from.agent) ?? working[0]
  return agent && { agent: agent.name, auto: true }
}

/** True if no agent has that name: such an agent takes the place of our mode. */
function hasAuto(agents: readonly Agent[]): boolean {
  return !agents.some(({ name }) => name === AUTO)
}

function titled(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}

/** What can be typed after a slash. Anything else with one is a prompt like any other. */
export const COMMANDS: AvailableCommand[] = [
  { name: "compact", description: "Replace the conversation so far by a summary" },
  { name: "asides", description: "Show what the model was told beside the conversation" },
  {
    name: "model",
    description: "Go on with another model",
    input: { hint: "provider/model, such as anthropic/claude-opus-5-5" },
  },
]

export interface AcpCommand {
  readonly name: string
  readonly argument: string
}

export function commandIn(blocks: readonly ContentBlock[]): AcpCommand | undefined {
  const [block, ...more] = blocks
  if (block?.type !== "text" || more.length > 0) return undefined
  const [, name, argument = ""] = /^\/(\w+)(?:\s+(.*))?$/s.exec(block.text.trim()) ?? []
  return name !== undefined && COMMANDS.some((known) => known.name === name)
    ? { name, argument: argument.trim() }
    : undefined
}

export function asidesAsText(asides: readonly Aside[]): string {
  if (asides.length === 0) return "The model was told nothing beside the conversation."
  return asides
    .map(({ turn, step, kind, text }) => `**turn ${turn}, step ${step}: ${kind}**\n\n${quoted(text)}`)
    .join("\n\n")
}

function quoted(text: string): string {
  return text.replace(/^/gm, "> ")
}
