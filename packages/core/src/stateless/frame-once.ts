import { framedText, frameFor } from "../inbox/frame.js"
import { outsideText } from "../text/guard/outside.js"
import { wrapReminder } from "../text/reminder-text.js"
import { SottoError } from "../vocabulary/errors.js"
import { isBlank } from "../vocabulary/message.js"
import { type AnyMessage, type AnyPart, withParts } from "./message.js"

/**
 * Introduces what the user typed while the agent worked, once and for good. For a loop that keeps its own messages: call
 * it before every request, send what it returns, and **store what it returns**. A message it has decided about carries
 * `framed`, so later calls leave it alone, and what was sent stays the same to the byte. The prompt cache keeps working.
 *
 * The user's words stay in the message as an `ignored` part, for the view; what the model gets is a `synthetic` one.
 * `step` counts the requests of the turn from 1. At step 1 the message opens the turn and is not introduced.
 *
 * @example
 * ```ts run
 * import { frameOnce } from "@sotto/core"
 *
 * let messages = [
 *   { id: "1", role: "user" as const, parts: [{ type: "text", text: "Refactor the parser." }] },
 *   { id: "2", role: "assistant" as const, parts: [{ type: "text", text: "I read it first." }] },
 *   { id: "3", role: "user" as const, parts: [{ type: "text", text: "Keep the tests." }] },
 * ]
 * messages = frameOnce(messages, 2)
 * console.log(messages[2]?.parts[1]?.text)
 * console.log(frameOnce(messages, 3) === messages)
 * ```
 */
export function frameOnce<M extends AnyMessage>(messages: M[], step: number): M[] {
  if (!(Number.isInteger(step) && step > 0))
    throw new SottoError("bad-input", `frameOnce: step is ${step}.`, "Count the requests of the turn from 1.")
  // What stands before a reply was sent with it, in whatever form it has.
  const sent = messages.findLastIndex((message) => message.role === "assistant")
  const isNew = (message: M, i: number) => i > sent && message.role === "user" && message.framed === undefined
  if (!messages.some(isNew)) return messages
  return messages.map((message, i) => (isNew(message, i) ? decided(message, step > 1) : message))
}

function decided<M extends AnyMessage>(message: M, isMidTurn: boolean): M {
  const words = message.parts.filter(isWords)
  const frame = frameFor({ kind: "human" }, !isMidTurn, "next-step")
  if (frame === undefined || words.length === 0) return { ...message, framed: false }
  const text = framedText(frame, [{ type: "text", text: words.map((part) => part.text).join("\n") }])
  const reminder: AnyPart = { type: "text", text: wrapReminder(outsideText(text).text), synthetic: true }
  const last = words.at(-1)
  const parts = message.parts.flatMap((part) => {
    if (!isWords(part)) return [part]
    const shown = { ...part, ignored: true }
    return part === last ? [shown, reminder] : [shown]
  })
  return { ...withParts(message, parts), framed: true }
}

function isWords(part: AnyPart): boolean {
  return part.type === "text" && !part.synthetic && !part.ignored && !isBlank(part.text ?? "")
}
