import { pinTools } from "../prompt/tools.js"
import { type Agent, isAllowed } from "../vocabulary/agent.js"
import { ownTools, type PinnedTool, type ToolChanges } from "../vocabulary/tool.js"
import type { SessionConfig } from "./options.js"
import type { EngineState } from "./state.js"

/** Lists the tools that can be called now, as they are sent to an agent. */
export function offeredTools(
  state: EngineState,
  config: SessionConfig,
  agent: Agent,
): ReturnType<typeof pinTools> {
  const { tools, neutralised } = state.tools === undefined ? config.tools : pinTools(state.tools)
  return { tools: tools.filter((tool) => isOffered(tool, agent)), neutralised }
}

/** What a provider runs cannot be refused when it is called, so that an agent which may not have it is not offered it. */
function isOffered({ provided }: PinnedTool, agent: Agent): boolean {
  return provided === undefined || isAllowed(agent, provided) !== false
}

/** True if a call of the tool may simply be made again. */
export function isRepeatable(state: EngineState, config: SessionConfig, name: string): boolean {
  if (state.tools === undefined) return config.repeatable.has(name)
  return state.tools.some((tool) => tool.name === name && tool.safeToRepeat === true)
}

/**
 * Finds what came and went since the model was last told what it can call; undefined if nothing did, or the provider
 * cannot be told within an epoch. A tool whose definition changed stays as it was told: the next epoch lists it anew.
 */
export function toolChanges(state: EngineState, config: SessionConfig): ToolChanges | undefined {
  const { epoch, toolsDue } = state
  if (!toolsDue || epoch === undefined || !epoch.pins.capabilities.toolChanges) return undefined
  const tools = ownTools((state.tools === undefined ? config.tools : pinTools(state.tools)).tools)
  const names = new Set(tools.map(({ name }) => name))
  const added = tools.filter(({ name }) => !epoch.tools.has(name))
  const removed = ownTools([...epoch.tools.values()]).flatMap(({ name }) => (names.has(name) ? [] : [name]))
  return added.length + removed.length === 0 ? undefined : { added, removed }
}
