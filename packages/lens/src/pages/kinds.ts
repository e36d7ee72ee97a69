import type { Segment } from "../segments/segment.js"
import type { ContextKind } from "./page.js"

export type KindTokens = Partial<Record<ContextKind, number>>

/** Adds the tokens of segments to sums by kind. A reminder counts as one wherever it stands. */
export function addKinds(sums: KindTokens, segments: Iterable<Segment>): KindTokens {
  const add = (kind: ContextKind, tokens: number) => {
    if (tokens > 0) sums[kind] = (sums[kind] ?? 0) + tokens
  }
  for (const segment of segments) {
    const reminders = segment.isReminder
      ? segment.tokens
      : Math.min(
          segment.tokens,
          segment.reminders.reduce((sum, { tokens }) => sum + tokens, 0),
        )
    add("reminders", reminders)
    add(kindOf(segment), segment.tokens - reminders)
  }
  return sums
}

function kindOf({ section, kind, role, hasMedia }: Segment): ContextKind {
  if (section === "tools") return "tools"
  if (section === "system") return "system"
  if (hasMedia && kind !== "result") return "media"
  switch (kind) {
    case "reasoning":
      return "reasoning"
    case "call":
      return "calls"
    case "result":
      return "results"
    default:
      return role === "assistant" || role === "model" ? "assistant" : "user"
  }
}
