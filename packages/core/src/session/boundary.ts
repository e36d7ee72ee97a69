import { contentTokens, headTokens } from "../epoch/epoch.js"
import { compactionSignal, firstKeptStep } from "../epoch/rebase.js"
import { address, type FramedDelivery } from "../inbox/deliver.js"
import { QUEUED_COMMAND } from "../inbox/frame.js"
import type { Queued } from "../inbox/inbox.js"
import type { StepEvent } from "../log/entry.js"
import { layerThree, SYSTEM_FACT } from "../prompt/layers.js"
import { type Clock, tick } from "../rules/memory.js"
import { type RuleDecisions, speak } from "../rules/speak.js"
import { type Agent, findAgent } from "../vocabulary/agent.js"
import type { EconomyDecision, TokenCounter } from "../vocabulary/economy.js"
import type { Facts } from "../vocabulary/fact.js"
import type { RuleOutcome } from "../vocabulary/ledger-page.js"
import { judge } from "./economy.js"
import { toolChanges } from "./offer.js"
import type { SessionConfig } from "./options.js"
import { economyReasons, makePins, rebaseReasons, samplingOf } from "./rebase.js"
import { dueIn, type EngineState, exchangesOf, isOwed } from "./state.js"

/**
 * Decides what goes up now: drains the inbox, begins an epoch if one is due, lets the rules speak. Changes nothing.
 * Returns undefined without a reason to call the model.
 */
export function decideStep(state: EngineState, config: SessionConfig): StepEvent | undefined {
  const outgoing = drain(state, config)
  if (outgoing === undefined) return undefined
  const moment = momentOf(state, config, outgoing)
  const ground = groundOf(state, config, moment)
  const spoken = hear(state, config, moment, ground, outgoing)
  const { epoch, pins, reasons, forget, judgement } = ground
  const changes = changedTools(state, config, epoch)
  const head = config.logsTokens && { tokens: headTokens(pins, config.count) }
  return {
    type: "step",
    request: `req-${state.seq}`,
    agent: moment.agent.name,
    turn: moment.turn,
    step: moment.step,
    last: moment.last,
    ...(epoch === undefined && { epoch: { reasons, pins, ...head, forget, ...thrift(judgement) } }),
    ...(judgement && { economy: judgement.account }),
    ...changes,
    ...samplingOf(moment.agent, state.model),
    delivered: outgoing.map(({ record }) => record),
    reminders: spoken.reminders,
    outcomes: [...outgoing.flatMap(framed), ...spoken.outcomes],
    memos: spoken.memos,
    held: spoken.held,
    ...(Object.keys(spoken.silences).length > 0 && { silences: spoken.silences }),
    ...(config.logsTokens && { tokens: groupTokens(state, outgoing, spoken, changes, config.count) }),
  }
}

/** Counts what goes up, by the caller's counter. */
function groupTokens(
  { calls }: EngineState,
  outgoing: readonly FramedDelivery[],
  { reminders }: RuleDecisions,
  { tools }: Pick<StepEvent, "tools">,
  count: TokenCounter,
): number {
  const costs = [
    ...calls.flatMap(({ result }) => (result ? [result.tokens ?? contentTokens(result.output, count)] : [])),
    ...outgoing.map(({ message, record, tokens }) =>
      // The words of a framed message are in `tokens` already.
      record.frame ? tokens + contentTokens(message.content, () => 0) : contentTokens(message.content, count),
    ),
    ...reminders.map(({ tokens, body }) => tokens + contentTokens(body?.media ?? [], count)),
    tools ? count(JSON.stringify(tools)) : 0,
  ]
  return costs.reduce((sum, cost) => sum + cost, 0)
}

/** Says what the economy does with an epoch that begins. */
function thrift(judgement: EconomyDecision | undefined) {
  const { dropped = [], rebases = false, reasoning } = judgement ?? {}
  return { ...(dropped.length > 0 && { dropped }), ...(rebases && reasoning && { reasoning }) }
}

function changedTools(
  state: EngineState,
  config: SessionConfig,
  epoch: EngineState["epoch"],
): Pick<StepEvent, "tools"> {
  const tools = epoch && toolChanges(state, config)
  return tools === undefined ? {} : { tools }
}

/** Takes the messages of this boundary; undefined if nothing is owed and nothing wakes the agent. */
function drain(state: EngineState, config: SessionConfig): readonly FramedDelivery[] | undefined {
  const opensTurn = state.turn === undefined
  const due = dueIn(state)
  if (opensTurn ? due.length === 0 : !isOwed(state) && !state.inbox.steers) return undefined
  return address(due, {
    opensTurn,
    humans: config.framesHumans,
    text: config.frameText,
    perStep: config.perStep,
    count: config.count,
  })
}

/** Where in the session this boundary is, and what holds at it. */
interface BoundaryMoment {
  readonly agent: Agent
  readonly turn: number
  readonly step: number
  readonly last: boolean
  readonly clock: Clock
  readonly facts: Facts
  readonly messages: readonly Queued[]
}

function momentOf(
  state: EngineState,
  config: SessionConfig,
  outgoing: readonly FramedDelivery[],
): BoundaryMoment {
  const opensTurn = state.turn === undefined
  const messages = outgoing.map(({ message }) => message)
  const agent = findAgent(config.agents, state.agent)
  const step = (state.turn?.step ?? 0) + 1
  const layer = layerThree(messages, opensTurn, state.facts.get(SYSTEM_FACT))
  return {
    agent,
    turn: state.turn?.number ?? state.turns + 1,
    step,
    last: agent.steps !== undefined && step >= agent.steps,
    clock: tick(state.clock, opensTurn && messages.some(({ origin }) => origin.kind === "human")),
    facts: state.facts.with(SYSTEM_FACT, layer, state.clock.steps),
    messages,
  }
}

/** Finds what this step stands on: the present epoch, or what the one it begins is pinned to and remembers. */
function groundOf(state: EngineState, config: SessionConfig, { agent, facts, clock }: BoundaryMoment) {
  const asked = rebaseReasons(state, config, agent, facts)
  const judgement = judge(state, config, agent, facts, asked)
  const reasons = judgement?.rebases ? economyReasons(state, config, agent, facts) : asked
  const epoch = reasons.length > 0 ? undefined : state.epoch
  const compaction = epoch === undefined ? state.compaction : undefined
  const forget = compaction ? forgetful(config) : []
  const firstKept = compaction && firstKeptStep(compaction, exchangesOf(state), clock.steps)
  return {
    reasons,
    epoch,
    pins: epoch?.pins ?? {
      ...makePins(state, config, agent, facts),
      ...(judgement?.rebases && judgement.reasoning === "drop" && { dropsReasoning: true as const }),
    },
    judgement,
    compaction,
    forget,
    memory: firstKept === undefined ? state.memory : state.memory.forgetting(forget, firstKept),
  }
}

function hear(
  state: EngineState,
  config: SessionConfig,
  { agent, turn, step, last, clock, facts, messages }: BoundaryMoment,
  { epoch, pins, compaction, memory }: ReturnType<typeof groundOf>,
  outgoing: readonly FramedDelivery[],
): RuleDecisions {
  // Only a summary makes the conversation another one in size.
  const before = compaction ? undefined : state.epoch
  const context = before?.tokens ?? { all: config.count(pins.system), reminders: 0 }
  const charged = outgoing.reduce((sum, { tokens, charged }) => sum + (charged ? tokens : 0), 0)
  const agentNamed = (name: string | undefined) => config.agents.find((one) => one.name === name)
  return speak({
    rules: rulesNow(config.rules, state.switched),
    memory,
    surroundings: {
      turn,
      step,
      last,
      agent,
      answeredBy: agentNamed(state.answeredBy),
      agentNamed,
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
    silences: state.silences,
  })
}

function rulesNow(rules: SessionConfig["rules"], switched: EngineState["switched"]): SessionConfig["rules"] {
  if (switched.size === 0) return rules
  return rules.map((one) => ({ ...one, enabled: switched.get(one.rule.kind) ?? one.enabled }))
}

function framed({ record, tokens }: FramedDelivery): readonly RuleOutcome[] {
  return record.frame ? [{ kind: QUEUED_COMMAND, key: record.id, outcome: "spoke", tokens }] : []
}

function shareOf(
  context: { readonly all: number; readonly reminders: number },
  share: number | undefined,
): number {
  return share === undefined ? Number.POSITIVE_INFINITY : Math.floor(share * context.all) - context.reminders
}

function forgetful({ rules }: SessionConfig): readonly string[] {
  return rules.filter(({ rule }) => rule.afterCompaction !== "keep").map(({ rule }) => rule.kind)
}
