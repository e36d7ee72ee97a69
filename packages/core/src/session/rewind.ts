import type { Entry } from "../log/entry.js"

/** Finds the sequence number of the step with which the message opened a turn; undefined if it opened none. */
export function stepOfPrompt(log: readonly Entry[], message: string): number | undefined {
  const opened = log.findLast(
    (entry) => entry.type === "step" && entry.step === 1 && entry.delivered.some(({ id }) => id === message),
  )
  return opened?.seq
}

/**
 * Makes the log of a new session that begins as this one was before the prompt: what waited to be delivered with it
 * still waits, but for the prompt itself. Without a prompt it begins as this one is now. Both begin with the same bytes,
 * so the new session uses the cache of this one.
 */
export function forkLog(
  log: readonly Entry[],
  message: string | undefined,
  id: string,
): readonly Entry[] | undefined {
  const step = message === undefined ? log.length : stepOfPrompt(log, message)
  if (step === undefined) return undefined
  const before = log.filter(({ seq }) => seq < step)
  const delivered = log.find(({ seq }) => seq === step)
  const prompts = delivered?.type === "step" ? delivered.delivered : []
  const at = before.at(-1)?.at ?? 0
  return [
    ...before.map((entry) => (entry.type === "opened" ? { ...entry, id, copied: step } : shared(entry, log))),
    ...prompts.map((prompt, i) => ({ type: "cancelled", id: prompt.id, seq: step + i, at }) as const),
  ]
}

/** Names the cache that an epoch was written to, where its pins leave that to the session's id. */
function shared(entry: Entry, [opened]: readonly Entry[]): Entry {
  if (entry.type !== "step" || entry.epoch === undefined || opened?.type !== "opened") return entry
  const { epoch } = entry
  return { ...entry, epoch: { ...epoch, pins: { cacheKey: opened.id, ...epoch.pins } } }
}
