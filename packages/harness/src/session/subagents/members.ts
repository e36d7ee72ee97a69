import type { Agent } from "@sotto/core"
import { ToolError } from "../../platform/text/errors.js"
import type { HarnessEvent } from "../../tools/events/events.js"
import { shortened } from "../../tools/tasks/task.js"
import type { Output, ToolContext } from "../../tools/tool.js"
import { agentFile } from "./background.js"
import { openChild, type Parent } from "./child.js"
import { Follower } from "./follower.js"

interface Joining {
  readonly name: string
  readonly prompt: string
  readonly background: boolean
}

/** Has a subagent join the team: it stays when it has reported, works again when written to, and ends when stopped. */
export async function startMember(
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
  const child = await openChild(parent, called, name, hear, membership).catch((error: unknown) => {
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
