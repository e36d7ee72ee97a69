import type { Agent } from "@sotto/core"
import type { Output, ToolContext } from "../../tools/tool.js"
import { startAgent } from "./background.js"
import { openChild, type Parent, subagentNamed } from "./child.js"
import { Follower } from "./follower.js"
import { startMember } from "./members.js"

/** Work for a subagent. */
export interface Assignment {
  readonly agent: string
  readonly prompt: string
  readonly background: boolean
  /** As a member of a team. */
  readonly name?: string
}

/** Has a subagent do it, in one of three ways. */
export async function delegateTo(
  parent: Parent,
  { agent, prompt, background, name }: Assignment,
  context: ToolContext,
): Promise<Output> {
  const called = subagentNamed(agent, parent)
  if (name !== undefined) return startMember(parent, called, { name, prompt, background }, context)
  if (background) return startAgent(parent, called, prompt, context)
  return runAgent(parent, called, prompt, context)
}

/** The parent waits; the last words of the subagent are its report. */
async function runAgent(
  parent: Parent,
  called: Agent,
  prompt: string,
  context: ToolContext,
): Promise<Output> {
  const follower = new Follower((line) => context.progress(`${called.name}: ${line}`))
  const child = await openChild(parent, called, called.name, (event) => follower.hear(event))
  const stop = () => child.conversation.abort("the parent was interrupted")
  context.abort.addEventListener("abort", stop, { once: true })
  try {
    child.conversation.say(prompt)
    await child.conversation.wake()
    const { text, failed } = follower.report(child.conversation.session.view())
    return { content: text, ...(failed && { error: true }) }
  } finally {
    context.abort.removeEventListener("abort", stop)
    await child.close()
  }
}
