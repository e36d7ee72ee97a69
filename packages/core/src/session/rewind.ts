import type { Entry } from "../log/entry.js"

/** Finds the sequence number of the step with which the message opened a turn; undefined if it opened none. */
export function stepOfPrompt(log: readonly Entry[], message: string): number | undefined {
  const opened = log.findLast(
    (entry) => entry.type === "step" && entry.step === 1 && entry.delivered.some(({ id }) => id === message),
  )
  return opened?.seq
}

/**
 * Finds the newest rewind that can be taken back, by the number of its entry. Undefined if there is none, or something
 * has been sent since.
 */
export function redoable(log: readonly Entry[]): number | undefined {
  const taken: number[] = []
  for (const { type, seq } of log)
    if (type === "rewound") taken.push(seq)
    else if (type === "redone") taken.pop()
    else if (!NEUTRAL.has(type)) taken.length = 0
  return taken.at(-1)
}

/** Entries that leave the conversation as it is. */
const NEUTRAL: ReadonlySet<Entry["type"]> = new Set([
  ...(["said", "edited", "cancelled", "noted", "observed", "agent", "model"] as const),
  ...(["billed", "tools", "kind", "recovered"] as const),
])

/**
 * Finds the first entry before which the conversation was as it was before this one: rewinds that were taken back lead
 * no further away, however many there were.
 */
export function origin(log: readonly Entry[], before: number): number {
  let at = before
  while (at > 0 && NEUTRAL.has(log[at - 1]?.type ?? "opened")) at--
  const last = log[at - 1]
  if (last?.type === "rewound") return origin(log, last.step)
  return last?.type === "redone" ? origin(log, last.before) : before
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
