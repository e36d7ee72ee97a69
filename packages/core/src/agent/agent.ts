import { SottoError } from "../errors.js"
import type { Json } from "../json.js"

/** One rule of an agent's permissions: what may be done, to what. */
export interface PermissionRule {
  /** What is done: "edit", "bash", or "*" for anything. */
  readonly permission: string
  /** To what: a path or a command, where `*` stands for anything. */
  readonly pattern: string
  /** Whether it is allowed, asked about, or denied. */
  readonly action: "allow" | "ask" | "deny"
}

/**
 * Who answers: a name, what it may do, and how its model is asked. Plain data. A session switches between its agents
 * with `switchAgent`.
 */
export interface Agent<Name extends string = string> {
  /** What it is called; unique in the session. */
  readonly name: Name
  /** What it is for, in a sentence. The texts about a switch, and other agents, are told it. */
  readonly description?: string
  /** Whom it serves: the user, another agent, or both. Absent means both. */
  readonly mode?: "primary" | "subagent" | "all"
  /**
   * True for an agent that the harness brings along, as opposed to one that a user defined. Nothing in the engine
   * depends on it.
   */
  readonly native?: boolean
  /** True for an agent that users do not choose, such as one that writes summaries. */
  readonly hidden?: boolean
  /** How its model samples. */
  readonly temperature?: number
  /** How its model samples. */
  readonly topP?: number
  /** For user interfaces. */
  readonly color?: string
  /**
   * What it may do, as ordered rules of which the last match wins. The harness enforces them; the engine's texts go
   * by them.
   */
  readonly permission?: readonly PermissionRule[]
  /** The model that it is meant for, as the harness names it. */
  readonly model?: string
  /** A variant of that model, as the harness names it. */
  readonly variant?: string
  /**
   * Its own system prompt, in place of the one for the model's family. A switch to an agent with another prompt
   * starts an epoch.
   */
  readonly prompt?: string
  /** Whatever else the harness keeps for it. */
  readonly options?: { readonly [key: string]: Json }
  /** How many steps a turn may have. */
  readonly steps?: number
}

/** A conversation of its own, or work done for another agent: some rules speak only in the former. */
export type Thread = "main" | "subagent"

export function threadOf(agent: Agent): Thread {
  return agent.mode === "subagent" ? "subagent" : "main"
}

/** Whether changing files is off the table, as far as the agent's own rules say (the last match wins). */
export function isReadOnly(agent: Agent): boolean {
  const rules = agent.permission
  if (rules === undefined) return agent.name === "plan"
  const decisive = rules.findLast(
    (rule) => rule.pattern === "*" && ["*", "edit", "write"].includes(rule.permission),
  )
  return decisive?.action === "deny"
}

/** Whether being this agent is being in plan mode: by name, or because its options say so. */
export function isPlanner(agent: Agent): boolean {
  return agent.name === "plan" || agent.options?.plan === true
}

export function checkAgents(agents: readonly Agent[]): void {
  if (agents.length === 0) throw badAgent("`agents` is empty.", 'Pass at least one agent: { name: "build" }.')
  const seen = new Set<string>()
  for (const agent of agents) {
    if (seen.has(agent.name))
      throw badAgent(`Two agents are called "${agent.name}".`, "Rename or remove one of them.")
    seen.add(agent.name)
    if (agent.steps !== undefined && !(Number.isInteger(agent.steps) && agent.steps >= 1))
      throw badAgent(
        `Agent "${agent.name}" has steps ${agent.steps}.`,
        "Use a whole number from 1, or leave it out for no limit.",
      )
  }
}

export function findAgent(agents: readonly Agent[], name: string): Agent {
  const agent = agents.find((candidate) => candidate.name === name)
  if (agent) return agent
  const known = agents.map((candidate) => candidate.name).join(", ")
  throw new SottoError("unknown-agent", `There is no agent "${name}".`, `Use one of: ${known}.`)
}

export function defaultAgent(agents: readonly Agent[]): Agent {
  const primary = agents.find((agent) => agent.mode !== "subagent" && agent.hidden !== true)
  if (primary) return primary
  throw badAgent("No agent is primary.", "Name the one to start with in `agent`.")
}

function badAgent(what: string, remedy: string): SottoError {
  return new SottoError("bad-options", what, remedy)
}
