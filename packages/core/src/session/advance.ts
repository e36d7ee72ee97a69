import type { Entry } from "../log/entry.js"
import { SYSTEM_FACT } from "../prompt/layers.js"
import type { Signal } from "../vocabulary/signal.js"
import { fold } from "./machine.js"
import { type EngineState, emptyState } from "./state.js"

type Rewound = Extract<Entry, { type: "rewound" }>

/**
 * Advances the state by one entry of the log. Most entries change the state in place; a rewind leads to a state of the
 * past.
 */
export function advance(state: EngineState, entry: Entry, log: readonly Entry[]): EngineState {
  fold(state, entry)
  return entry.type === "rewound" ? goBack(state, entry, log) : state
}

/** Restores the conversation as it was, in the world as it is: model, agent, inbox and most facts hold on. */
function goBack(now: EngineState, { step, facts }: Rewound, log: readonly Entry[]): EngineState {
  const then = stateBefore(step, now, log)
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
    rewound: true,
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
