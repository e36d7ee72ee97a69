import type { Agent } from "@sotto/core"
import { fileFor, writerTo } from "../../tools/tasks/output.js"
import { shortened } from "../../tools/tasks/task.js"
import type { Tasks } from "../../tools/tasks/tasks.js"
import type { Output, ToolContext } from "../../tools/tool.js"
import { openChild, type Parent } from "./child.js"
import { Follower } from "./follower.js"

/** Has a subagent work beside its parent: it returns at once, and the report comes as a message. */
export async function startAgent(
  parent: Parent,
  called: Agent,
  prompt: string,
  context: ToolContext,
): Promise<Output> {
  const { tasks } = parent
  const { id, output, write } = agentFile(tasks, context)
  const follower = new Follower((line) => {
    write(line)
    context.progress(`${called.name}: ${line}`)
  })
  const { conversation, close } = await openChild(parent, called, called.name, (event) =>
    follower.hear(event),
  )
  write(`Session ${conversation.session.id}`)

  const work = async (): Promise<void> => {
    conversation.say(prompt)
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

/** A name for the task of an agent, and the file that takes what it does. */
export function agentFile(tasks: Tasks, { scratch }: ToolContext) {
  const id = tasks.newId("agent")
  const output = fileFor(id, scratch)
  return { id, output, write: writerTo(output) }
}
