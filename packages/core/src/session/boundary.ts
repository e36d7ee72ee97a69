import { findAgent } from "../agent/agent.js"
import { compactionSignal, firstKeptStep } from "../epoch/rebase.js"
import { address } from "../inbox/deliver.js"
import { QUEUED_COMMAND } from "../inbox/frame.js"
import type { Outcome } from "../ledger/page.js"
import type { StepEvent } from "../log/entry.js"
import { layerThree, SYSTEM_FACT } from "../prompt/layers.js"
import { tick } from "../rules/memory.js"
import { speak } from "../rules/speak.js"
import type { Config } from "./options.js"
import { makePins, rebaseReasons } from "./rebase.js"
import { exchangesOf, isOwed, type State } from "./state.js"

/**
 * Decides what goes up now: drains the inbox, begins an epoch if one is due, lets the rules speak. Changes nothing;
 * undefined if there is no reason to call the model.
 */
export function decideStep(state: State, config: Config): StepEvent | undefined {
  const opensTurn = state.turn === undefined
  const due = opensTurn ? state.inbox.forTurn() : state.inbox.forStep()
  if (opensTurn ? due.length === 0 : !isOwed(state) && !state.inbox.steers) return undefined
  const outgoing = address(due, {
    opensTurn,
    humans: config.framesHumans,
    text: config.frameText,
    perStep: config.perStep,
    count: config.count,
  })
  const messages = outgoing.map(({ message }) => message)

  const agent = findAgent(config.agents, state.agent)
  const step = (state.turn?.step ?? 0) + 1
  const last = agent.steps !== undefined && step >= agent.steps
  const turn = state.turn?.number ?? state.turns + 1
  const clock = tick(state.clock, opensTurn && messages.some(({ origin }) => origin.kind === "human"))
  const layer = layerThree(messages, opensTurn, state.facts.get(SYSTEM_FACT))
  const facts = state.facts.with(SYSTEM_FACT, layer, state.clock.steps)
  const reasons = rebaseReasons(state, config, agent, facts)
  const epoch = reasons.length > 0 ? undefined : state.epoch
  const pins = epoch?.pins ?? makePins(state, config, agent, facts)
  const compaction = epoch === undefined ? state.compaction : undefined
  const forget = compaction ? forgetful(config) : []
  const memory = compaction
    ? state.memory.forgetting(forget, firstKeptStep(compaction, exchangesOf(state), clock.steps))
    : state.memory

  // Only a summary makes the conversation another one in size.
  const before = compaction ? undefined : state.epoch
  const context = before?.tokens ?? { all: config.count(pins.system), reminders: 0 }
  const charged = outgoing.reduce((sum, { tokens, charged }) => sum + (charged ? tokens : 0), 0)
  const spoken = speak({
    rules: config.rules,
    memory,
    surroundings: {
      turn,
      step,
      last,
      agent,
      answeredBy: config.agents.find(({ name }) => name === state.answeredBy),
      fact: (key) => facts.get(key),
      facts: (family) => facts.family(family),
      age: (key) => clock.steps - facts.since(key),
      context: { tokens: context.all, window: pins.capabilities.contextWindow },
      receipt: (id) =>
        messages.some((message) => message.id === id) ? "delivered" : state.inbox.receipt(id)?.state,
      snip: pins.idTags,
    },
    born: compaction ? [compactionSignal(compaction)] : [],
    clock,
    stated: pins.stated,
    statedSince: epoch?.startedAt ?? clock.steps,
    room: Math.max(0, Math.min(config.perStep, shareOf(context, config.share)) - charged),
    count: config.count,
  })

  return {
    type: "step",
    request: `req-${state.seq}`,
    agent: agent.name,
    turn,
    step,
    last,
    ...(epoch === undefined && { epoch: { reasons, pins, forget } }),
    delivered: outgoing.map(({ record }) => record),
    reminders: spoken.reminders,
    outcomes: [
      ...outgoing.flatMap(({ record, tokens }): Outcome[] =>
        record.frame ? [{ kind: QUEUED_COMMAND, key: record.id, outcome: "spoke", tokens }] : [],
      ),
      ...spoken.outcomes,
    ],
    memos: spoken.memos,
    held: spoken.held,
  }
}

function shareOf(
  context: { readonly all: number; readonly reminders: number },
  share: number | undefined,
): number {
  return share === undefined ? Number.POSITIVE_INFINITY : Math.floor(share * context.all) - context.reminders
}

function forgetful({ rules }: Config): readonly string[] {
  return rules.filter(({ rule }) => rule.afterCompaction !== "keep").map(({ rule }) => rule.kind)
}
