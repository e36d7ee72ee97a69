import type { Entry, Reply } from "@sotto/core"

/** How many tokens the model of the newest epoch can hold. */
export function windowOf(log: readonly Entry[]): number {
  const step = log.findLast((entry) => entry.type === "step" && entry.epoch !== undefined)
  return step?.type === "step" ? (step.epoch?.pins.capabilities.contextWindow ?? 0) : 0
}

/** Why the model ended its last answer. */
export function stopOf(log: readonly Entry[]): Reply["stop"] {
  const replied = log.findLast(({ type }) => type === "replied")
  return replied?.type === "replied" ? replied.reply.stop : undefined
}
