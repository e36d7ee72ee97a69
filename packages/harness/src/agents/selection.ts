import { type Agent, SottoError } from "@sotto/core"

/** The agents that a person can talk to. */
export function selectableAgents(agents: readonly Agent[]): readonly Agent[] {
  return agents.filter(({ mode, hidden }) => mode !== "subagent" && hidden !== true)
}

/** The agents that another agent can have work for it. */
export function callableAgents(agents: readonly Agent[]): readonly Agent[] {
  return agents.filter(({ mode, hidden }) => mode !== "primary" && hidden !== true)
}

/** Throws for an agent that a person cannot talk to: one that is hidden, or works for other agents only. */
export function checkSelectable(agents: readonly Agent[], name: string): void {
  const agent = agents.find((one) => one.name === name)
  const offered = selectableAgents(agents)
  if (agent === undefined || offered.includes(agent)) return
  const why = agent.hidden === true ? "is used by Sotto itself" : "works for other agents only"
  const names = offered.map((one) => one.name).join(", ")
  throw new SottoError("unknown-agent", `The agent "${name}" ${why}.`, `Use one of: ${names}.`)
}
