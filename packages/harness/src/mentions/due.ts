import type { Entry, Session } from "@sotto/core"

/** The messages that the boundary which is about to come delivers, by id. */
export function dueNow(session: Session): ReadonlySet<string> {
  if (session.phase !== "ready") return new Set()
  const waiting = session.queue().filter(({ held }) => !held)
  const steers = waiting.filter(({ delivery }) => delivery !== "after-turn")
  const goesOn = isOwed(session.log) || steers.some(({ delivery }) => delivery !== "passive")
  if (goesOn) return new Set(steers.map(({ id }) => id))
  const followUp = waiting.find(({ delivery }) => delivery === "after-turn")
  return new Set([...steers, ...(followUp ? [followUp] : [])].map(({ id }) => id))
}

/** Whether the model waits for results, so that the turn goes on without anybody saying a word. */
function isOwed(log: readonly Entry[]): boolean {
  const last = log.findLast(({ type }) =>
    ["step", "replied", "result", "recovered", "aborted"].includes(type),
  )
  return last?.type === "result" || last?.type === "recovered"
}
