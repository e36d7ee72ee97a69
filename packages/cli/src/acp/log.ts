import type { Entry, Reply } from "@sotto/core"

/** Why the model ended its last answer. */
export function stopOf(log: readonly Entry[]): Reply["stop"] {
  const replied = log.findLast(({ type }) => type === "replied")
  return replied?.type === "replied" ? replied.reply.stop : undefined
}
