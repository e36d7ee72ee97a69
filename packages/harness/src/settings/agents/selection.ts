import { type Agent, SottoError } from "@sotto/core"
import { isInternal } from "./builtin.js"

/** Lists the agents that a person can talk to. */
export function selectableAgents(agents: readonly Agent[]): readonly Agent[] {
  return agents.filter(({ mode, hidden }) => mode !== "subagent" && hidden !== true)
}

/** Gives the name of the agent's own model; undefined if it works with the session's. */
export function modelOf({ model }: Agent): string | undefined {
  return typeof model === "string" ? model : model?.id
}

/**
 * Gives an agent as the engine takes it. The harness chooses the model itself, because it knows how to reach it, and
 * keeps for itself the options that do not belong in a provider's body. A prompt that Sotto did not ship is a text from
 * outside.
 */
export function forEngine({ model: _, options = {}, ...agent }: Agent): Agent {
  const { sandbox: __, ...fields } = options
  return { native: false, ...agent, ...(Object.keys(fields).length > 0 && { options: fields }) }
}

/** Lists the agents that another agent can have work for it. */
export function callableAgents(agents: readonly Agent[]): readonly Agent[] {
  return agents.filter(({ mode, hidden }) => mode !== "primary" && hidden !== true)
}

/**
 * Throws for an agent that a person cannot talk to: one that does not exist, works for agents only, or is Sotto's own. A
 * hidden agent of the user's is not offered in lists; naming it selects it.
 */
export function checkSelectable(agents: readonly Agent[], name: string): void {
  const why = whyNot(
    name,
    agents.find((one) => one.name === name),
  )
  if (why === undefined) return
  const names = selectableAgents(agents).map((one) => one.name)
  throw new SottoError("unknown-agent", why, `Use one of: ${names.join(", ")}.`)
}

function whyNot(name: string, agent: Agent | undefined): string | undefined {
  if (agent === undefined) return `There is no agent "${name}".`
  if (isInternal(name)) return `The agent "${name}" is used by Sotto itself.`
  return agent.mode === "subagent" ? `The agent "${name}" works for other agents only.` : undefined
}
