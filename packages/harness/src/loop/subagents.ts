import type { Message } from "@sotto/core"
import { type Output, type ToolContext, ToolError } from "../tools/tool.js"
import type { Conversation } from "./conversation.js"
import type { HarnessEvent } from "./events.js"
import type { Gate } from "./gate.js"
import type { OpenConversation, OpenOptions } from "./opening.js"

export interface Delegating extends OpenOptions {
  open(options: OpenOptions): Promise<OpenConversation>
  readonly conversation: () => Conversation
  readonly gate: Gate
}

/** Runs a subagent as a session of its own, which never may more than its parent. Its last words are the report. */
export async function delegateTo(
  parent: Delegating,
  agent: string,
  prompt: string,
  background: boolean,
  context: ToolContext,
): Promise<Output> {
  const known = parent.workplace.agents.filter(({ mode, hidden }) => mode !== "primary" && hidden !== true)
  if (!known.some(({ name }) => name === agent))
    throw new ToolError(
      `There is no subagent "${agent}". There are: ${known.map(({ name }) => name).join(", ")}.`,
    )
  const child = await parent.open({
    workplace: parent.workplace,
    desk: parent.desk,
    yes: parent.yes,
    agent,
    emit: (event) => {
      const line = progressOf(event)
      if (line !== undefined) context.progress(`${agent}: ${line}`)
    },
    parent: { id: parent.conversation().session.id, gate: parent.gate },
  })
  const { id } = child.conversation.session
  const work = async (): Promise<Output> => {
    try {
      child.conversation.say(prompt)
      await child.conversation.wake()
      return report(child.conversation.session.view())
    } finally {
      await child.close()
    }
  }
  if (!background) {
    const stop = () => child.conversation.abort("the parent was interrupted")
    context.abort.addEventListener("abort", stop, { once: true })
    return work().finally(() => context.abort.removeEventListener("abort", stop))
  }
  void work().then(({ content }) => {
    const text = `The agent ${agent} (${id}) reports:\n${String(content)}`
    parent.conversation().say(text, { origin: { kind: "task-notification" } })
  })
  return { content: `Started in the background as ${id}. Its report will come as a message.` }
}

function report(view: readonly Message[]): Output {
  const last = view.findLast(({ role }) => role === "assistant")
  const text = last?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") ?? ""
  return text.trim() === ""
    ? { content: "The agent ended without a report.", error: true }
    : { content: text }
}

function progressOf(event: HarnessEvent): string | undefined {
  if (event.type === "tool-call") return `${event.name} ${JSON.stringify(event.input).slice(0, 100)}`
  if (event.type === "error") return event.message
  return undefined
}
