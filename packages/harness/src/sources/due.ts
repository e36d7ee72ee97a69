import type { ContentPart, Queued, Session } from "@sotto/core"

/** What people said that the boundary to come delivers. */
export function dueNow(session: Session): readonly Queued[] {
  return session.due().filter(({ origin, hidden }) => origin.kind === "human" && !hidden)
}

export function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
}
