import type { Message } from "@sotto/core"
import { type Output, type ToolContext, ToolError } from "../tools/tool.js"
import type { Conversation } from "./conversation.js"
import type { HarnessEvent } from "./events.js"
import type { Gate } from "./gate.js"
import type { OpenConversation, OpenOptions } from "./opening.js"

/** A subagent that works beside its parent. */
export interface Helper {
  readonly done: Promise<void>
  stop(): void
}

export interface Delegating extends OpenOptions {
  /** Of the parent as it is now. */
  readonly model: string
  readonly helpers: Set<Helper>
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
  const called = known.find(({ name }) => name === agent)
  if (called === undefined)
    throw new ToolError(
      `There is no subagent "${agent}". There are: ${known.map(({ name }) => name).join(", ")}.`,
    )
  const child = await parent.open({
    workplace: parent.workplace,
    desk: parent.desk,
    yes: parent.yes,
    agent,
    model: called.model ?? parent.model,
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
  const stop = () => child.conversation.abort("the parent was interrupted")
  if (!background) {
    context.abort.addEventListener("abort", stop, { once: true })
    return work().finally(() => context.abort.removeEventListener("abort", stop))
  }
  let stopped = false
  const helper: Helper = {
    stop: () => {
      stopped = true
      stop()
    },
    done: work()
      .catch((error: unknown): Output => ({ content: `It failed: ${String(error)}` }))
      .then(({ content }) => {
        parent.helpers.delete(helper)
        const text = `The agent ${agent} (${id}) reports:\n${String(content)}`
        if (!stopped) parent.conversation().say(text, { origin: { kind: "task-notification" } })
      }),
  }
  parent.helpers.add(helper)
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
