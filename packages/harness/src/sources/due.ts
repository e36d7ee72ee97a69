import type { ContentPart, Queued, Session } from "@sotto/core"

/** The messages of humans that the boundary to come may deliver. */
export function dueNow(session: Session): readonly Queued[] {
  const queue = session
    .queue()
    .filter(({ origin, held, hidden }) => origin.kind === "human" && !held && !hidden)
  const joining = queue.filter(({ delivery }) => delivery !== "after-turn")
  if (session.isInTurn) return joining
  return [...joining, ...queue.filter(({ delivery }) => delivery === "after-turn").slice(0, 1)]
}

export function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
}
