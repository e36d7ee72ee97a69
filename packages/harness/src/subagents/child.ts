import type { Agent } from "@sotto/core"
import { callableAgents } from "../agents/selection.js"
import type { Tasks } from "../tasks/tasks.js"
import type { Seat, Team } from "./team.js"
import { ToolError } from "../tools/tool.js"
import { asking } from "../events/questions.js"
import type { Conversation } from "../loop/conversation.js"
import type { HarnessEvent } from "../events/events.js"
import type { Gate } from "../permissions/gate.js"
import type { OpenConversation, OpenOptions } from "../opening/options.js"

/** A session that has others work for it. */
export interface Delegating extends OpenOptions {
  /** Of the parent as it is now. */
  readonly model: string
  readonly tasks: Tasks
  /** Absent in a subagent: who works for another has no team. */
  readonly team: Team | undefined
  open(options: OpenOptions): Promise<OpenConversation>
  readonly conversation: () => Conversation
  readonly gate: Gate
}

/** The agent of that name, if it may be called. */
export function subagentNamed(agent: string, { workplace }: Delegating): Agent {
  const known = callableAgents(workplace.agents)
  const called = known.find(({ name }) => name === agent)
  if (called !== undefined) return called
  const names = known.map(({ name }) => name).join(", ")
  throw new ToolError(`There is no subagent "${agent}". There are: ${names}.`)
}

/** Opens a session for a subagent. A subagent never has more permissions than its parent. `who` is its name for people. */
export function openChild(
  parent: Delegating,
  { name, model }: Agent,
  who: string,
  hear: (event: HarnessEvent) => void,
  seat?: Seat,
): Promise<OpenConversation> {
  return parent.open({
    workplace: parent.workplace,
    desk: asking(who, parent.desk),
    yes: parent.yes,
    agent: name,
    model: model ?? parent.model,
    emit: hear,
    parent: { id: parent.conversation().session.id, gate: parent.gate },
    ...(seat && { seat }),
  })
}
