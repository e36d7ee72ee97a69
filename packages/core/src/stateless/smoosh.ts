import { type AnyMessage, type AnyPart, withParts } from "./message.js"

interface ResultPart extends AnyPart {
  readonly output?: string | readonly AnyPart[]
}

/**
 * Moves reminders that stand after a tool result into it, so that no text follows one as a sibling. A reminder is
 * what is flagged `synthetic`; no text is looked at. A message that has nothing else left is dropped.
 */
export function smooshReminders<M extends AnyMessage>(messages: readonly M[]): M[] {
  const out: M[] = []
  for (const message of messages) {
    const own = message.parts.findLastIndex(isResult)
    const host = out.at(-1)
    if (own >= 0) out.push(withParts(message, absorb(message.parts, own, message.parts.slice(own + 1))))
    else if (message.role === "user" && host?.role === "tool" && host.parts.some(isResult)) {
      const into = host.parts.findLastIndex(isResult)
      out[out.length - 1] = withParts(
        host,
        absorb([...host.parts, ...reminders(message.parts)], into, message.parts),
      )
      const rest = message.parts.filter((part) => !isReminder(part))
      if (rest.length > 0) out.push(withParts(message, rest))
    } else out.push(message)
  }
  return out
}

/** The parts with the reminders behind the result at `index` moved into it. */
function absorb(parts: readonly AnyPart[], index: number, behind: readonly AnyPart[]): readonly AnyPart[] {
  const moved = reminders(behind)
  if (moved.length === 0) return parts
  return parts.flatMap((part, i) => {
    if (i === index) return [{ ...part, output: [...outputOf(part), ...moved] } as ResultPart]
    return moved.includes(part) ? [] : [part]
  })
}

function outputOf({ output = [] }: ResultPart): readonly AnyPart[] {
  return typeof output === "string" ? [{ type: "text", text: output }] : output
}

function reminders(parts: readonly AnyPart[]): readonly AnyPart[] {
  return parts.filter(isReminder)
}

function isReminder(part: AnyPart): boolean {
  return part.type === "text" && part.synthetic === true
}

function isResult(part: AnyPart): part is ResultPart {
  return part.type === "tool-result"
}
