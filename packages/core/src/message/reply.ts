import type { AssistantPart, AssistantTextPart, ToolCallPart } from "./message.js"
import { isBlank } from "./message.js"

export interface Usage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** What the model answered to one request. */
export interface Reply {
  readonly parts: readonly AssistantPart[]
  readonly stop?: "end" | "tool-calls" | "length" | "refusal" | "other"
  readonly usage?: Usage
}

export const EMPTY_REPLY: Reply = { parts: [] }

export function callsOf(parts: readonly AssistantPart[]): readonly ToolCallPart[] {
  return parts.filter((part) => part.type === "tool-call")
}

/** What an interrupted reply leaves behind: finished text and calls, and only the reasoning that is signed. */
export function keepFinished(partial: Reply): Reply {
  return {
    ...partial,
    parts: partial.parts.filter((part) => {
      switch (part.type) {
        case "text":
          return !isBlank(part.text)
        case "reasoning":
          return part.signature !== undefined
        case "tool-call":
          return part.unfinished !== true
      }
    }),
  }
}

/**
 * What stands in the conversation for a reply: never nothing, because two groups without an assistant
 * message between them would be merged, and a user message after a system message is refused.
 */
export function spoken(parts: readonly AssistantPart[], whenEmpty: string): readonly AssistantPart[] {
  const kept = parts.filter((part) => part.type !== "text" || part.text !== "")
  const says = kept.some((part) => part.type === "tool-call" || (part.type === "text" && !isBlank(part.text)))
  return says ? kept : [...kept.filter((part) => part.type !== "text"), marker(whenEmpty)]
}

/** A rebase changes earlier bytes, and reasoning is bound to them; other parts lose their provider's own form with it. */
export function unbound(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  return parts
    .filter((part) => part.type !== "reasoning")
    .map((part) => {
      const { verbatim: _, ...plain } = part
      return plain
    })
}

export function isBound(parts: readonly AssistantPart[]): boolean {
  return parts.some((part) => part.type === "reasoning" || part.verbatim !== undefined)
}

function marker(text: string): AssistantTextPart {
  return { type: "text", text, synthetic: true }
}
