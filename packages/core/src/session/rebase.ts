import type { Agent } from "../agent/agent.js"
import type { RebaseReason } from "../epoch/reason.js"
import { holdsReasoning } from "../epoch/rebase.js"
import { type Facts, lastValue } from "../facts/facts.js"
import { sameJson } from "../json.js"
import { rosterNow } from "../ledger/page.js"
import { composeSystem } from "../prompt/layers.js"
import { TRUST_FACT } from "../prompt/vouching.js"
import { type Capabilities, capabilitiesOf, withoutCarrier } from "../wire/capabilities.js"
import type { ModelChoice } from "../wire/model.js"
import { FORMAT, type Pins } from "../wire/request.js"
import { type Sampling, tuningOf } from "../wire/tuning.js"
import { offeredTools } from "./offer.js"
import type { Config } from "./options.js"
import { hasResults, modelKey, type State } from "./state.js"

/** Why the step now being decided begins an epoch; empty if it goes on with the present one. */
export function rebaseReasons(
  state: State,
  config: Config,
  agent: Agent,
  facts: Facts,
): readonly RebaseReason[] {
  const reasons = dueReasons(state, config, agent, facts)
  return reasons.length > 0 && mustWait(state) ? [] : reasons
}

/** Why an epoch begins when the economy asks for one: what had to wait until now is done with it. */
export function economyReasons(
  state: State,
  config: Config,
  agent: Agent,
  facts: Facts,
): readonly RebaseReason[] {
  const due = dueReasons(state, config, agent, facts)
  return [...due, "economy", ...(due.length === 0 && isOutdated(state) ? (["format"] as const) : [])]
}

/** In an open tool turn reasoning must come back unchanged, and behind changed bytes it would be refused. */
export function mustWait(state: State): boolean {
  return (
    state.epoch !== undefined &&
    hasResults(state) &&
    holdsReasoning(state.epoch.exchanges.slice(state.turn?.from))
  )
}

/** Why an epoch is due, whether or not it has to wait. */
export function dueReasons(
  state: State,
  config: Config,
  agent: Agent,
  facts: Facts,
): readonly RebaseReason[] {
  const pins = state.epoch?.pins
  const reasons: RebaseReason[] = []
  if (pins === undefined) reasons.push("start")
  if (state.compaction) reasons.push("compaction")
  if (state.snipped.size > 0) reasons.push("snip")
  if (state.rewound) reasons.push("rewind")
  if (pins === undefined) return reasons
  if (state.modelSwitched && !isPinnedModel(state, pins, agent)) reasons.push("model")
  if (agent.name !== pins.agent && !isPinnedAgent(state, pins, agent)) reasons.push("agent")
  const trust = facts.get(TRUST_FACT)
  if (!sameJson(trust && lastValue(trust), pins.stated[TRUST_FACT])) reasons.push("trust")
  if (
    config.recompute &&
    reasons.length === 0 &&
    composeSystem(agent, state.model.id, facts, config.explanation).text !== pins.system
  )
    reasons.push("system")
  // Not by itself: see `replaceFormat`, which keeps system and tools, and the reasoning of an open turn.
  if (reasons.length > 0 && isOutdated(state)) reasons.push("format")
  return reasons
}

/** Whether another Sotto wrote the bytes of this epoch, in a way that this one cannot repeat. */
export function isOutdated({ epoch }: State): boolean {
  return epoch !== undefined && epoch.pins.format !== FORMAT
}

/** What an epoch that begins now is pinned to. */
export function makePins(state: State, config: Config, agent: Agent, facts: Facts): Pins {
  const { text, stated, neutralised } = composeSystem(agent, state.model.id, facts, config.explanation)
  const offered = offeredTools(state, config)
  return {
    format: FORMAT,
    model: state.model.id,
    ...(state.model.dialect !== undefined && { dialect: state.model.dialect }),
    ...keyedOn(agent, state.model),
    capabilities: capabilitiesFor(state),
    ...(state.nonce !== undefined && { nonce: state.nonce }),
    idTags: config.idTags,
    agent: agent.name,
    prompt: agent.prompt ?? null,
    system: text,
    tools: offered.tools,
    stated,
    neutralised: neutralised + offered.neutralised,
    roster: rosterNow(config.roster, state.switched),
  }
}

function isPinnedModel(state: State, pins: Pins, agent: Agent): boolean {
  const { id, dialect } = state.model
  return (
    id === pins.model &&
    dialect === pins.dialect &&
    sameJson(capabilitiesFor(state), pins.capabilities) &&
    isPinnedTuning(state, pins, agent)
  )
}

function isPinnedAgent(state: State, pins: Pins, agent: Agent): boolean {
  return sameJson(agent.prompt ?? null, pins.prompt) && isPinnedTuning(state, pins, agent)
}

function isPinnedTuning({ model }: State, { think, options }: Pins, agent: Agent): boolean {
  return sameJson(keyedOn(agent, model), {
    ...(think !== undefined && { think }),
    ...(options && { options }),
  })
}

/** What providers key their caches on, beside the conversation. */
function keyedOn(agent: Agent, model: ModelChoice): Pick<Pins, "think" | "options"> {
  const { think, options } = tuningOf(agent, model)
  return { ...(think !== undefined && { think }), ...(options && { options }) }
}

/** What a step says about how the model chooses its words, where anybody does. */
export function samplingOf(agent: Agent, model: ModelChoice): { readonly sampling?: Sampling } {
  const { temperature, topP } = tuningOf(agent, model)
  const sampling = { ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { topP }) }
  return Object.keys(sampling).length > 0 ? { sampling } : {}
}

function capabilitiesFor({ model, refused }: State): Capabilities {
  const known: Capabilities = { ...capabilitiesOf(model), ...model.capabilities }
  return (refused.get(modelKey(model.id, model.dialect)) ?? []).reduce(withoutCarrier, known)
}
