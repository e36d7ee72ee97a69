import { wrapReminder } from "../text/reminder-text.js"
import { isBlank } from "../vocabulary/message.js"
import { type AnyMessage, type AnyPart, isOnlyReminders, withParts } from "./message.js"

const PLAN =
  "Plan mode is active: look, think and write a plan, but change nothing. Files can be read and searched; edits and commands that change anything are off until the user switches to build."
const BUILD_AFTER_PLAN =
  "The mode changed from plan to build: files may be changed and commands run again. Carry out the plan made before, and report progress as you go."

/** Texts of one's own for `insertReminders`, with or without their tags. A blank one says nothing. */
export interface ModeTexts {
  /** Said while the agent is `plan`. */
  readonly plan?: string
  /** Said by `build` once `plan` has answered. */
  readonly buildSwitch?: string
}

/**
 * Says on the last user message which mode holds: plan, or build after a plan. Nothing is changed in place.
 *
 * It renders anew at every request, and **that costs the prompt cache**: the text moves on to each new last user message
 * and is gone from the one before, which was already sent with it. A session tells a change of mode once, where it happened.
 *
 * @example
 * ```ts
 * const sent = insertReminders({ messages, agent: { name: "plan" }, texts: { plan: "Plan only. Change nothing." } })
 * ```
 */
export function insertReminders<M extends AnyMessage>(input: {
  readonly messages: M[]
  readonly agent: { readonly name: string }
  readonly texts?: ModeTexts
}): M[] {
  const { messages, agent, texts = {} } = input
  const text = reminderFor(agent.name, messages, texts)
  const last = messages.findLastIndex((message) => message.role === "user")
  if (text === undefined || isBlank(text) || last < 0) return messages
  const reminder: AnyPart = {
    type: "text",
    text: isOnlyReminders(text) ? text : wrapReminder(text),
    synthetic: true,
  }
  return messages.map((message, i) =>
    i === last ? withParts(message, [...message.parts, reminder]) : message,
  )
}

function reminderFor(
  agent: string,
  messages: readonly AnyMessage[],
  { plan = PLAN, buildSwitch = BUILD_AFTER_PLAN }: ModeTexts,
): string | undefined {
  if (agent === "plan") return plan
  const wasPlan = messages.some((message) => message.role === "assistant" && message.agent === "plan")
  return agent === "build" && wasPlan ? buildSwitch : undefined
}
