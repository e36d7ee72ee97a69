import { type Entry, restoreSession, type Session } from "@sotto/core"

/** A stored session, for reading only: whatever agents its log names are taken to exist. */
export function readSession(log: readonly Entry[]): Session {
  const names = new Set(
    log.flatMap((entry) => {
      if (entry.type === "opened") return [entry.agent]
      return entry.type === "agent" ? [entry.name] : []
    }),
  )
  const agents = [...names].map((name) => ({ name }))
  return restoreSession({ agents, model: { id: "" }, now: () => 0, newId: () => "" }, log)
}
