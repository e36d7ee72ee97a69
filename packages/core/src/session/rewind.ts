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
 * still waits, but for the prompt itself.
 */
export function forkLog(log: readonly Entry[], message: string, id: string): readonly Entry[] | undefined {
  const step = stepOfPrompt(log, message)
  if (step === undefined) return undefined
  const before = log.filter(({ seq }) => seq < step)
  const delivered = log.find(({ seq }) => seq === step)
  const prompts = delivered?.type === "step" ? delivered.delivered : []
  const at = before.at(-1)?.at ?? 0
  return [
    ...before.map((entry) => (entry.type === "opened" ? { ...entry, id, copied: step } : entry)),
    ...prompts.map((prompt, i) => ({ type: "cancelled", id: prompt.id, seq: step + i, at }) as const),
  ]
}
