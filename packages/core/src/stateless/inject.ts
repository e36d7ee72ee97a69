import { neutralise } from "../text/guard/guard.js"
import { wrapReminder } from "../text/reminder-text.js"
import { isBlank } from "../vocabulary/message.js"
import { type AnyMessage, type AnyPart, withParts } from "./message.js"

/**
 * Wraps what the user typed while the agent worked: text of user messages after the last finished one, from the
 * second step on. Ids are compared as strings, so they have to sort by age. Nothing is changed in place.
 *
 * It renders anew at every step, and **that costs the prompt cache**: a message goes up wrapped in this turn and unwrapped
 * in the next, so everything from there on is written again. Use `frameOnce`, or a session, unless you need exactly this.
 *
 * @example
 * ```ts
 * const sent = injectSystemReminders(messages, lastFinishedId, step)
 * ```
 */
export function injectSystemReminders<M extends AnyMessage>(
  messages: M[],
  lastFinishedId: string | null,
  step: number,
): M[] {
  if (step <= 1 || lastFinishedId === null) return messages
  return messages.map((message) =>
    message.role === "user" && message.id > lastFinishedId
      ? withParts(message, message.parts.map(wrap))
      : message,
  )
}

function wrap(part: AnyPart): AnyPart {
  if (part.type !== "text" || part.synthetic || part.ignored || isBlank(part.text ?? "")) return part
  const lines = [
    "The user sent the following message:",
    neutralise(part.text ?? "").text,
    "",
    "Please address this message and continue with your tasks.",
  ]
  return { ...part, text: wrapReminder(lines.join("\n")) }
}
