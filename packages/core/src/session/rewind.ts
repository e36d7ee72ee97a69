import type { Entry } from "../log/entry.js"
import { SYSTEM_FACT } from "../prompt/layers.js"
import type { Signal } from "../rules/rule.js"
import { fold } from "./fold.js"
import { emptyState, type State } from "./state.js"

type Rewound = Extract<Entry, { type: "rewound" }>

/** Takes one entry in, after those of the log so far. Only a rewind leads to another state: to one of the past. */
export function take(state: State, entry: Entry, log: readonly Entry[]): State {
  fold(state, entry)
  return entry.type === "rewound" ? goBack(state, entry, log) : state
}

/** The sequence number of the step with which the message opened a turn; undefined if it opened none. */
export function stepOfPrompt(log: readonly Entry[], message: string): number | undefined {
  const opened = log.findLast(
    (entry) => entry.type === "step" && entry.step === 1 && entry.delivered.some(({ id }) => id === message),
  )
  return opened?.seq
}

/**
 * The log of a new session that begins as this one was before the prompt: what waited to be delivered with it still
 * waits, but for the prompt itself.
 */
export function forkLog(log: readonly Entry[], message: string, id: string): readonly Entry[] | undefined {
  const step = stepOfPrompt(log, message)
  if (step === undefined) return undefined
  const before = log.filter(({ seq }) => seq < step)
  const delivered = log.find(({ seq }) => seq === step)
  const prompts = delivered?.type === "step" ? delivered.delivered : []
  const at = before.at(-1)?.at ?? 0
  return [
    ...before.map((entry) => (entry.type === "opened" ? { ...entry, id } : entry)),
    ...prompts.map((prompt, i) => ({ type: "cancelled", id: prompt.id, seq: step + i, at }) as const),
  ]
}

/** The conversation as it was, in the world as it is: model, agent, inbox and most facts hold on. */
function goBack(now: State, { step, facts }: Rewound, log: readonly Entry[]): State {
  const then = stateBefore(step, now, log)
  then.memory.adopt(now.memory, (signal) => isMoot(signal, now))
  return {
    ...then,
    seq: now.seq,
    agent: now.agent,
    model: now.model,
    chosen: now.chosen,
    modelSwitched: true,
    refused: now.refused,
    inbox: now.inbox,
    callIds: now.callIds,
    facts: now.facts.asOf(then.facts, [...facts, SYSTEM_FACT], then.clock.steps),
    tools: now.tools,
    toolsDue: now.toolsDue,
    switched: now.switched,
    cacheUsedAt: now.cacheUsedAt,
    rewound: true,
  }
}

function stateBefore(step: number, { count, inbox }: State, log: readonly Entry[]): State {
  let state = emptyState(count, inbox.channelsWake)
  for (const entry of log) {
    if (entry.seq >= step) break
    state = take(state, entry, log)
  }
  return state
}

/** What a message mentioned that is no longer to be delivered. */
function isMoot({ message }: Signal, { inbox }: State): boolean {
  return typeof message === "string" && inbox.get(message) === undefined
}
