import type { Queued, Session } from "@sotto/core"

/** What people said that the boundary to come delivers. */
export function dueNow(session: Session): readonly Queued[] {
  return session.due().filter(({ origin, hidden }) => origin.kind === "human" && !hidden)
}
