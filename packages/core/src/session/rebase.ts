import { holdsReasoning } from "../epoch/rebase.js"
import { composeSystem } from "../prompt/layers.js"
import { TRUST_FACT } from "../prompt/trusted-text.js"
import type { Agent } from "../vocabulary/agent.js"
import { type Capabilities, capabilitiesOf, withoutCarrier } from "../vocabulary/capabilities.js"
import type { RebaseReason } from "../vocabulary/exchange.js"
import { type Facts, lastValue } from "../vocabulary/fact.js"
import { sameJson } from "../vocabulary/json.js"
import { rosterNow } from "../vocabulary/ledger-page.js"
import type { ModelChoice } from "../vocabulary/model.js"
import { type SamplingSettings, tuningOf } from "../vocabulary/model-settings.js"
import { FORMAT, type Pins } from "../vocabulary/request.js"
import { offersSearch } from "../vocabulary/tool.js"
import { offeredTools } from "./offer.js"
import type { SessionConfig } from "./options.js"
import { type EngineState, hasResults, modelKey } from "./state.js"

/** Lists why the step now being decided begins an epoch; empty if it goes on with the present one. */
export function rebaseReasons(
  state: EngineState,
  config: SessionConfig,
  agent: Agent,
  facts: Facts,
): readonly RebaseReason[] {
  const reasons = dueReasons(state, config, agent, facts)
  return reasons.length > 0 && mustWait(state) ? [] : reasons
}

/** Lists why an epoch begins when the economy asks for one: what had to wait until now is done with it. */
export function economyReasons(
  state: EngineState,
  config: SessionConfig,
  agent: Agent,
  facts: Facts,
): readonly RebaseReason[] {
  const due = dueReasons(state, config, agent, facts)
  return [...due, "economy", ...(due.length === 0 && isOutdated(state) ? (["format"] as const) : [])]
}

/** True in an open tool turn whose reasoning must come back unchanged: behind changed bytes it would be refused. */
export function mustWait(state: EngineState): boolean {
  return (
    state.epoch !== undefined &&
    hasResults(state) &&
    holdsReasoning(state.epoch.exchanges.slice(state.turn?.from))
  )
}

/** Lists why an epoch is due, whether or not it has to wait. */
export function dueReasons(
  state: EngineState,
  config: SessionConfig,
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
  if (agent.name !== pins.agent && !isPinnedAgent(state, config, pins, agent)) reasons.push("agent")
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

/** True if another Sotto wrote the bytes of this epoch, in a way that this one cannot repeat. */
export function isOutdated({ epoch }: EngineState): boolean {
  return epoch !== undefined && epoch.pins.format !== FORMAT
}

/** Makes what an epoch that begins now is pinned to. */
export function makePins(state: EngineState, config: SessionConfig, agent: Agent, facts: Facts): Pins {
  const { text, stated, neutralised } = composeSystem(agent, state.model.id, facts, config.explanation)
  const offered = offeredTools(state, config, agent)
  return {
    format: FORMAT,
    model: state.model.id,
    ...(state.model.dialect !== undefined && { dialect: state.model.dialect }),
    ...keyedOn(agent, state.model),
    capabilities: capabilitiesFor(state),
    ...(state.nonce !== undefined && { nonce: state.nonce }),
    idTags: config.idTags,
    ...(config.cacheKey !== undefined && { cacheKey: config.cacheKey }),
    agent: agent.name,
    prompt: agent.prompt ?? null,
    system: text,
    tools: offered.tools,
    stated,
    neutralised: neutralised + offered.neutralised,
    roster: rosterNow(config.roster, state.switched),
  }
}

function isPinnedModel(state: EngineState, pins: Pins, agent: Agent): boolean {
  const { id, dialect } = state.model
  return (
    id === pins.model &&
    dialect === pins.dialect &&
    sameJson(capabilitiesFor(state), pins.capabilities) &&
    isPinnedTuning(state, pins, agent)
  )
}

function isPinnedAgent(state: EngineState, config: SessionConfig, pins: Pins, agent: Agent): boolean {
  return (
    sameJson(agent.prompt ?? null, pins.prompt) &&
    isPinnedTuning(state, pins, agent) &&
    offersSearch(offeredTools(state, config, agent).tools) === offersSearch(pins.tools)
  )
}

function isPinnedTuning({ model }: EngineState, { think, options }: Pins, agent: Agent): boolean {
  return sameJson(keyedOn(agent, model), {
    ...(think !== undefined && { think }),
    ...(options && { options }),
  })
}

/** Picks what providers key their caches on, beside the conversation. */
function keyedOn(agent: Agent, model: ModelChoice): Pick<Pins, "think" | "options"> {
  const { think, options } = tuningOf(agent, model)
  return { ...(think !== undefined && { think }), ...(options && { options }) }
}

/** Says how the model chooses its words at a step, if the agent or the model says so. */
export function samplingOf(agent: Agent, model: ModelChoice): { readonly sampling?: SamplingSettings } {
  const { temperature, topP } = tuningOf(agent, model)
  const sampling = { ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { topP }) }
  return Object.keys(sampling).length > 0 ? { sampling } : {}
}

function capabilitiesFor({ model, refused }: EngineState): Capabilities {
  const known: Capabilities = { ...capabilitiesOf(model), ...model.capabilities }
  return (refused.get(modelKey(model.id, model.dialect)) ?? []).reduce(withoutCarrier, known)
}
