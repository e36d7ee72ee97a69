import type { Agent, SayOptions, Session } from "@sotto/core"
import { ToolError } from "../../platform/text/errors.js"
import { callableAgents, modelOf } from "../../settings/agents/selection.js"
import type { HarnessEvent } from "../../tools/events/events.js"
import { askedBy, type Questions } from "../../tools/events/questions.js"
import type { Tasks } from "../../tools/tasks/tasks.js"
import type { Membership, Team } from "./team.js"

/** A subagent's running session, as far as its parent uses it. */
export interface Child {
  readonly conversation: {
    readonly session: Session
    say(text: string, options?: SayOptions): unknown
    wake(): Promise<void>
    abort(reason: string): void
  }
  close(): Promise<void>
}

/** What is particular to one subagent. Permissions, store and models are its parent's. */
interface ChildOptions {
  readonly agent: string
  readonly model: string
  readonly questions: Questions
  emit(event: HarnessEvent): void
  /** For a member of a team: its place in it. */
  readonly membership?: Membership
  /** For a copy of the parent: the call that asked for it. */
  readonly fork?: ForkedWork
}

/** Work for a copy of a session: it goes on from the call that hands the work over. */
export interface ForkedWork {
  /** The id of the call. */
  readonly call: string
  readonly prompt: string
}

/** A session that has others work for it. */
export interface Parent {
  readonly agents: readonly Agent[]
  model(): string
  readonly questions: Questions
  readonly tasks: Tasks
  /** Undefined in a subagent: a session that works for another has no team of its own. */
  readonly team: Team | undefined
  /** Opens a session that never has more permissions than this one. */
  open(options: ChildOptions): Promise<Child>
}

/** Finds the agent of that name. Throws ToolError if no subagent has it. */
export function subagentNamed(agent: string, { agents }: Parent): Agent {
  const known = callableAgents(agents)
  const called = known.find(({ name }) => name === agent)
  if (called !== undefined) return called
  const names = known.map(({ name }) => name).join(", ")
  throw new ToolError(`There is no subagent "${agent}". There are: ${names}.`)
}

/** Opens a session for a subagent. `who` is its name for people. */
export function openChild(
  parent: Parent,
  called: Agent,
  who: string,
  emit: (event: HarnessEvent) => void,
  place: Pick<ChildOptions, "membership" | "fork"> = {},
): Promise<Child> {
  return parent.open({
    agent: called.name,
    model: modelOf(called) ?? parent.model(),
    questions: askedBy(who, parent.questions),
    emit,
    ...place,
  })
}
