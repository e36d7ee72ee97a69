import type { Entry } from "../log/entry.js"
import { SYSTEM_FACT } from "../prompt/layers.js"
import type { Signal } from "../vocabulary/signal.js"
import { fold } from "./machine.js"
import { type EngineState, emptyState } from "./state.js"

/** A jump of the conversation to what it was before an entry of its log. */
interface Jump {
  readonly before: number
  readonly facts: readonly string[]
  /** True if what was sent since is gone, so that an epoch has to begin. */
  readonly drops: boolean
}

/**
 * Advances the state by one entry of the log. Most entries change the state in place; a rewind, and taking one
 * back, lead to a state of the past.
 */
export function advance(state: EngineState, entry: Entry, log: readonly Entry[]): EngineState {
  fold(state, entry)
  const jump = jumpOf(entry, log)
  return jump === undefined ? state : goBack(state, jump, log)
}

function jumpOf(entry: Entry, log: readonly Entry[]): Jump | undefined {
  if (entry.type === "rewound") return { before: entry.step, facts: entry.facts, drops: true }
  if (entry.type !== "redone") return undefined
  const { before, facts, seq } = entry
  // If all that was ever sent is back, the epoch goes on, and with it the provider's cache.
  return { before, facts, drops: log.slice(before, seq).some(({ type }) => type === "step") }
}

/** Restores the conversation as it was, in the world as it is: model, agent, inbox and most facts hold on. */
function goBack(now: EngineState, { before, facts, drops }: Jump, log: readonly Entry[]): EngineState {
  const then = stateBefore(before, now, log)
  then.memory.adopt(now.memory, (signal) => isMoot(signal, now))
  return {
    ...then,
    seq: now.seq,
    billed: now.billed,
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
    rewound: drops || then.rewound,
  }
}

function stateBefore(step: number, { inbox }: EngineState, log: readonly Entry[]): EngineState {
  let state = emptyState(inbox.channelsWake)
  for (const entry of log) {
    if (entry.seq >= step) break
    state = advance(state, entry, log)
  }
  return state
}

/** True if the signal is about a message that is not to be delivered any more. */
function isMoot({ message }: Signal, { inbox }: EngineState): boolean {
  return typeof message === "string" && inbox.get(message) === undefined
}
