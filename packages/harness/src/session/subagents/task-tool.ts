import type { Agent, Message } from "@sotto/core"
import { ToolError } from "../../platform/text/errors.js"
import { textOf } from "../../platform/text/text.js"
import { TASK } from "../../tools/definitions.js"
import type { HarnessEvent, TurnEnd } from "../../tools/events/events.js"
import { fileFor, writerTo } from "../../tools/tasks/output.js"
import { shortened } from "../../tools/tasks/task.js"
import type { Tasks } from "../../tools/tasks/tasks.js"
import type { Output, Tool, ToolContext } from "../../tools/tool.js"
import { type ForkedWork, openChild, type Parent, subagentNamed } from "./child.js"

/** What a subagent has to say in the end. */
interface SubagentReport {
  readonly text: string
  readonly failed: boolean
}

/** Follows a subagent by its events: a line for what it does, and how its turns end. */
class Follower {
  readonly #show: (line: string) => void
  #error: string | undefined
  #end: TurnEnd = "done"

  constructor(show: (line: string) => void) {
    this.#show = show
  }

  hear(event: HarnessEvent): void {
    const line = lineOf(event)
    if (line !== undefined) this.#show(line)
    if (event.type === "error") this.#error = event.message
    if (event.type === "turn-end") this.#end = event.reason
  }

  /** Its last words, and what kept it from finishing, if something did. */
  report(view: readonly Message[]): SubagentReport {
    if (this.#end === "error") return { text: `It failed: ${this.#error ?? "the turn failed"}`, failed: true }
    const last = view.findLast(({ role }) => role === "assistant")
    const text = textOf(last?.parts ?? [])
    const note =
      this.#end === "limit" ? `The agent was stopped. ${this.#error ?? LIMITED}` : UNFINISHED[this.#end]
    if (text.trim() === "") return { text: note ?? "The agent ended without a report.", failed: true }
    return note === undefined ? { text, failed: false } : { text: `${text}\n\n[${note}]`, failed: true }
  }
}

const LIMITED = "It reached a limit that the user has set."

/** Ends after which the last words are not the report that was asked for. */
const UNFINISHED: Readonly<Partial<Record<TurnEnd, string>>> = {
  length: "The agent's answer was cut at the limit on output.",
  refused: "The agent's model refused to go on.",
  filtered: "The provider's filter withheld the agent's answer.",
  overflow: "The agent's context is full.",
}

function lineOf(event: HarnessEvent): string | undefined {
  if (event.type === "tool-call") return `${event.name} ${JSON.stringify(event.input).slice(0, 100)}`
  if (event.type === "error") return event.message
  return undefined
}

/** Has a subagent do something: its report, or, in the background, its id at once. */
export function taskTool(parent: Parent): Tool {
  return {
    definition: TASK,
    changes: false,
    access: async ({ agent, fork }) => [
      { permission: "task", target: fork === true ? "fork" : String(agent) },
    ],
    run: ({ agent, prompt, background, name, fork }, context) => {
      const work = { prompt: String(prompt), background: background === true }
      if (fork === true) return forkFor(parent, work, name !== undefined, context)
      const assigned = { ...work, agent: String(agent) }
      return delegateTo(parent, name === undefined ? assigned : { ...assigned, name: String(name) }, context)
    },
  }
}

/** Work for a subagent. */
interface Assignment {
  readonly agent: string
  readonly prompt: string
  readonly background: boolean
  /** As a member of a team. */
  readonly name?: string
}

/** Has a copy of the session do it: a subagent that begins with everything that its parent knows. */
function forkFor(
  parent: Parent,
  { prompt, background }: Pick<Assignment, "prompt" | "background">,
  isMember: boolean,
  context: ToolContext,
): Promise<Output> {
  if (isMember) throw new ToolError("A copy of you is no member of a team: leave `name` out.")
  const work = { prompt, fork: { call: context.call, prompt } }
  return background
    ? startAgent(parent, context.agent, work, context)
    : runAgent(parent, context.agent, work, context)
}

/** Has a subagent do it, in one of three ways. */
async function delegateTo(
  parent: Parent,
  { agent, prompt, background, name }: Assignment,
  context: ToolContext,
): Promise<Output> {
  const called = subagentNamed(agent, parent)
  if (name !== undefined) return startMember(parent, called, { name, prompt, background }, context)
  if (background) return startAgent(parent, called, { prompt }, context)
  return runAgent(parent, called, { prompt }, context)
}

/** What a subagent is to do. A copy of its parent finds the prompt in the conversation that it begins with. */
interface Work {
  readonly prompt: string
  readonly fork?: ForkedWork
}

/** Runs a subagent while the parent waits; the last words of the subagent are its report. */
async function runAgent(
  parent: Parent,
  called: Agent,
  { prompt, fork }: Work,
  context: ToolContext,
): Promise<Output> {
  const follower = new Follower((line) => context.progress(`${called.name}: ${line}`))
  const child = await openChild(
    parent,
    called,
    called.name,
    (event) => follower.hear(event),
    fork && { fork },
  )
  const stop = () => child.conversation.abort("the parent was interrupted")
  context.abort.addEventListener("abort", stop, { once: true })
  try {
    if (fork === undefined) child.conversation.say(prompt)
    await child.conversation.wake()
    const { text, failed } = follower.report(child.conversation.session.view())
    return { content: text, ...(failed && { error: true }) }
  } finally {
    context.abort.removeEventListener("abort", stop)
    await child.close()
  }
}

interface Joining {
  readonly name: string
  readonly prompt: string
  readonly background: boolean
}

/** Has a subagent join the team: it stays when it has reported, works again when written to, and ends when stopped. */
async function startMember(
  parent: Parent,
  called: Agent,
  { name, prompt, background }: Joining,
  context: ToolContext,
): Promise<Output> {
  const { team, tasks } = parent
  if (team === undefined)
    throw new ToolError("You work for another agent and cannot have a team of your own: leave `name` out.")
  if (!background) throw new ToolError("A member of a team works in the background: set `background` too.")
  const membership = team.reserve(name)
  const { id, output, write } = agentFile(tasks, context)
  const follower = new Follower((line) => {
    write(line)
    context.progress(`${name}: ${line}`)
  })
  const hear = (event: HarnessEvent) => {
    follower.hear(event)
    if (event.type === "step") tasks.resume(id)
    if (event.type !== "turn-end") return
    const { text, failed } = follower.report(child.conversation.session.view())
    write(text)
    tasks.end(
      id,
      failed ? "failed" : "finished",
      `${name} (${called.name}, ${id}) reports:\n${text}\n\nWhat it did is in ${output}.`,
    )
  }
  const child = await openChild(parent, called, name, hear, { membership }).catch((error: unknown) => {
    team.leave(name)
    throw error
  })
  const { conversation } = child
  const fail = (error: unknown) => tasks.end(id, "failed", `${name} (${id}) failed: ${String(error)}`)
  write(`Session ${conversation.session.id}`)
  tasks.begin({
    id,
    output,
    kind: "agent",
    who: name,
    description: `${name} (${called.name}): ${shortened(prompt)}`,
    lasting: true,
    stop: async () => {
      team.leave(name)
      conversation.abort("it was stopped")
      await conversation.wake().catch(() => undefined)
      await child.close()
    },
  })
  team.join(name, {
    session: conversation.session,
    say: (text, options) => {
      conversation.say(text, options)
      conversation.wake().catch(fail)
    },
  })
  conversation.say(prompt)
  conversation.wake().catch(fail)
  return { content: `${name} started in the background as ${id}. Its reports will come as messages.` }
}

/** Has a subagent work beside its parent: it returns at once, and the report comes as a message. */
async function startAgent(
  parent: Parent,
  called: Agent,
  { prompt, fork }: Work,
  context: ToolContext,
): Promise<Output> {
  const { tasks } = parent
  const { id, output, write } = agentFile(tasks, context)
  const follower = new Follower((line) => {
    write(line)
    context.progress(`${called.name}: ${line}`)
  })
  const { conversation, close } = await openChild(
    parent,
    called,
    called.name,
    (event) => follower.hear(event),
    fork && { fork },
  )
  write(`Session ${conversation.session.id}`)

  const work = async (): Promise<void> => {
    if (fork === undefined) conversation.say(prompt)
    const { text, failed } = await conversation.wake().then(
      () => follower.report(conversation.session.view()),
      (error: unknown) => ({ text: `It failed: ${String(error)}`, failed: true }),
    )
    await close()
    write(text)
    tasks.end(
      id,
      failed ? "failed" : "finished",
      `The agent ${called.name} (${id}) reports:\n${text}\n\nIt was asked: "${shortened(prompt)}". What it did is in ${output}.`,
    )
  }
  let working = Promise.resolve()
  tasks.begin({
    id,
    output,
    kind: "agent",
    who: called.name,
    description: `${called.name}: ${shortened(prompt)}`,
    stop: async () => {
      conversation.abort("it was stopped")
      await working
    },
  })
  working = work()
  return { content: `Started in the background as ${id}. Its report will come as a message.` }
}

function agentFile(tasks: Tasks, { scratch }: ToolContext) {
  const id = tasks.newId("agent")
  const output = fileFor(id, scratch)
  return { id, output, write: writerTo(output) }
}
