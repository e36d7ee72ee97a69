import { SottoError } from "./errors.js"
import type { ModelChoice } from "./model.js"
import { checkTuning, type Tunable } from "./model-settings.js"

/** One rule of an agent's permissions: what may be done, to what. */
export interface PermissionRule {
  /** What is done: "edit", "bash", or "*" for anything. */
  readonly permission: string
  /** To what: a path or a command, where `*` stands for anything. */
  readonly pattern: string
  /** Whether it is allowed, asked about, or denied. */
  readonly action: "allow" | "ask" | "deny"
}

/** A prompt in place of the usual one, or a text that is added to it. */
export type AgentPrompt = string | { readonly add: string }

/**
 * Who answers: a name, what it may do, and how its model is asked. Plain data. A session switches between its agents
 * with `switchAgent`. `temperature`, `topP`, `think`, `variant` and `options` reach its requests.
 */
export interface Agent<Name extends string = string> extends Tunable {
  /** What it is called; unique in the session. */
  readonly name: Name
  /** What it is for. Where its rules do not say what it may do, a switch to it is announced with this. */
  readonly description?: string
  /** Whom it serves: the user, another agent, or both. Absent means both. */
  readonly mode?: "primary" | "subagent" | "all"
  /**
   * Being this agent is being in plan mode: it works out a plan and changes nothing but the plan file. Reminders explain
   * the workflow; enforcing it is for the permissions.
   */
  readonly planning?: boolean
  /**
   * Who wrote the prompt. Absent: the program that embeds the engine. Then the prompt is sent as it is, and the
   * paragraph that explains reminders follows it. `true`: it ships with that program and explains reminders itself, so
   * that nothing is added. `false`: a user or a project: tags in it are made inert.
   */
  readonly native?: boolean
  /** True for an agent that users do not choose, such as one that writes summaries. */
  readonly hidden?: boolean
  /** For user interfaces. */
  readonly color?: string
  /** Rules in order, of which the last match wins. What a switch of agent says that it may do comes from here. */
  readonly permission?: readonly PermissionRule[]
  /** Switching to the agent switches to this model. A name alone is of the same dialect as the session's model. */
  readonly model?: string | ModelChoice
  /**
   * Its own system prompt, in place of the one for the model's family; `{ add }` is added to that one instead. A switch
   * to an agent with another prompt starts an epoch.
   */
  readonly prompt?: AgentPrompt
  /** How many steps a turn may have. */
  readonly steps?: number
}

/** A conversation of its own, or work done for another agent: some rules speak only in the former. */
export type ThreadKind = "main" | "subagent"

export function threadOf(agent: Agent): ThreadKind {
  return agent.mode === "subagent" ? "subagent" : "main"
}

/** Says what the agent's own rules say of all that these permissions cover; undefined where they say nothing. */
export function isAllowed(agent: Agent, ...permissions: readonly string[]): boolean | undefined {
  const decisive = agent.permission?.findLast(
    (rule) => rule.pattern === "*" && ["*", ...permissions].includes(rule.permission),
  )
  return decisive && decisive.action !== "deny"
}

/** True if being this agent is being in plan mode. */
export function isPlanner(agent: Agent): boolean {
  return agent.planning === true
}

/** Gives the model that the agent brings along; undefined if it works with the session's. */
export function ownModel({ model }: Agent, chosen: ModelChoice): ModelChoice | undefined {
  if (typeof model !== "string") return model
  if (model === chosen.id) return undefined
  return { id: model, ...(chosen.dialect !== undefined && { dialect: chosen.dialect }) }
}

export function checkAgents(agents: readonly Agent[]): void {
  if (agents.length === 0) throw badAgent("`agents` is empty.", 'Pass one: { name: "build" }.')
  const seen = new Set<string>()
  for (const agent of agents) {
    if (seen.has(agent.name)) throw badAgent(`Two agents are called "${agent.name}".`, "Rename one.")
    seen.add(agent.name)
    if (agent.steps !== undefined && !(Number.isInteger(agent.steps) && agent.steps >= 1))
      throw badAgent(`Agent "${agent.name}" has steps ${agent.steps}.`, "Use a whole number from 1.")
    checkTuning(agent, `Agent "${agent.name}"`)
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
