import { pinTools } from "../prompt/tools.js"
import type { ToolChanges } from "../vocabulary/tool.js"
import type { SessionConfig } from "./options.js"
import type { EngineState } from "./state.js"

/** Lists the tools that can be called now, as they are sent. */
export function offeredTools(state: EngineState, config: SessionConfig): ReturnType<typeof pinTools> {
  return state.tools === undefined ? config.tools : pinTools(state.tools)
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
  const { tools } = offeredTools(state, config)
  const names = new Set(tools.map(({ name }) => name))
  const added = tools.filter(({ name }) => !epoch.tools.has(name))
  const removed = [...epoch.tools.keys()].filter((name) => !names.has(name))
  return added.length + removed.length === 0 ? undefined : { added, removed }
}
