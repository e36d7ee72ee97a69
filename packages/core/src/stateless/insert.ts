import { wrapReminder } from "../reminder/reminder.js"
import { type AnyMessage, type AnyPart, withParts } from "./message.js"

const PLAN =
  "Plan mode is active: look, think and write a plan, but change nothing. Files can be read and searched; edits and commands that change anything are off until the user switches to build."
const BUILD_AFTER_PLAN =
  "The mode changed from plan to build: files may be changed and commands run again. Carry out the plan made before, and report progress as you go."

/**
 * Says on the last user message which mode holds: plan, or build after a plan. Nothing is changed in place.
 *
 * It renders anew at every request, and **that costs the prompt cache**: the text moves on to each new last user message
 * and is gone from the one before, which was already sent with it. A session tells a change of mode once, where it happened.
 *
 * @example
 * ```ts
 * const sent = insertReminders({ messages, agent: { name: "plan" } })
 * ```
 */
export function insertReminders<M extends AnyMessage>(input: {
  readonly messages: M[]
  readonly agent: { readonly name: string }
}): M[] {
  const { messages, agent } = input
  const text = reminderFor(agent.name, messages)
  const last = messages.findLastIndex((message) => message.role === "user")
  if (text === undefined || last < 0) return messages
  const reminder: AnyPart = { type: "text", text: wrapReminder(text), synthetic: true }
  return messages.map((message, i) =>
    i === last ? withParts(message, [...message.parts, reminder]) : message,
  )
}

function reminderFor(agent: string, messages: readonly AnyMessage[]): string | undefined {
  if (agent === "plan") return PLAN
  const wasPlan = messages.some((message) => message.role === "assistant" && message.agent === "plan")
  return agent === "build" && wasPlan ? BUILD_AFTER_PLAN : undefined
}
