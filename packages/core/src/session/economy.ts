import { contentTokens } from "../epoch/epoch.js"
import type { Agent } from "../vocabulary/agent.js"
import type { EconomyDecision, EconomyInput, TokenCounter } from "../vocabulary/economy.js"
import type { RebaseReason } from "../vocabulary/exchange.js"
import type { Facts } from "../vocabulary/fact.js"
import { sameJson } from "../vocabulary/json.js"
import type { Pins } from "../vocabulary/request.js"
import type { SessionConfig } from "./options.js"
import { dueReasons, makePins, mustWait } from "./rebase.js"
import type { EngineState } from "./state.js"

/** Asks the economy, where the session has one, whether a rebase pays at this boundary. */
export function judge(
  state: EngineState,
  config: SessionConfig,
  agent: Agent,
  facts: Facts,
  reasons: readonly RebaseReason[],
): EconomyDecision | undefined {
  const { economy, count } = config
  if (economy === undefined) return undefined
  const { epoch, model } = state
  const { id, dialect } =
    epoch === undefined || reasons.length > 0 ? model : { id: epoch.pins.model, dialect: epoch.pins.dialect }
  const waits = reasons.length === 0 && mustWait(state)
  return economy.judge({
    at: config.now(),
    usedAt: state.cacheUsedAt,
    account: state.account,
    model: id,
    dialect,
    window: epoch?.pins.capabilities.contextWindow ?? Number.POSITIVE_INFINITY,
    context: epoch?.tokens ?? { all: 0, head: 0 },
    ...results(state, count),
    reasons,
    waits,
    dropsReasoning:
      waits && canDropReasoning(epoch?.pins) && dueReasons(state, config, agent, facts).length === 0,
    changesHead: () => epoch !== undefined && !isSameHead(epoch.pins, makePins(state, config, agent, facts)),
    tool: (name) => (state.tools ?? config.given).find((tool) => tool.name === name),
    count,
  })
}

/**
 * Lists what the model has seen, and what it sees now for the first time. A request in flight may never have been read.
 */
function results(
  { epoch, flight, calls }: EngineState,
  count: TokenCounter,
): Pick<EconomyInput, "held" | "pending"> {
  const all = epoch?.results() ?? []
  const unread = flight ? (epoch?.exchanges.at(-1)?.group.results.length ?? 0) : 0
  const waiting = calls.flatMap(({ result }) => (result ? [contentTokens(result.output, count)] : []))
  return {
    held: unread > 0 ? all.slice(0, -unread) : all,
    pending: [...(unread > 0 ? all.slice(-unread).map(({ tokens }) => tokens) : []), ...waiting],
  }
}

/** True if requests pinned to either begin with the same bytes, and go on in the same way. */
export function isSameHead(one: Pins, other: Pins): boolean {
  return sameJson(decisive(one), decisive(other))
}

/** Picks what of the pins decides bytes. */
function decisive({
  roster: _roster,
  neutralised: _count,
  agent: _agent,
  prompt: _prompt,
  stated: _stated,
  ...pins
}: Pins) {
  return pins
}

/** True if reasoning is tied to earlier bytes and the API can be asked to drop it when they change. */
function canDropReasoning(pins: Pins | undefined): boolean {
  return pins?.capabilities.tiedReasoning === true && (pins.dialect ?? "anthropic") === "anthropic"
}
