import { Epoch } from "../epoch/epoch.js"
import { place } from "../epoch/place.js"
import { firstDropped, withDropped, withoutReasoning, withoutToolChanges } from "../epoch/rebase.js"
import { type Carrier, withoutCarrier } from "../vocabulary/capabilities.js"
import type { Dropped } from "../vocabulary/economy.js"
import type { Exchange } from "../vocabulary/exchange.js"
import { sameJson } from "../vocabulary/json.js"
import type { Pins } from "../vocabulary/request.js"
import { byName } from "../vocabulary/tool.js"
import { type EngineState, modelKey } from "./state.js"

/** Gives up a carrier on this model, and places everything already told anew without it. */
export function replaceCarrier(
  state: EngineState,
  refused: Carrier,
  seq: number,
  dropped: readonly Dropped[] = [],
): void {
  const { epoch } = state
  const model = epoch
    ? modelKey(epoch.pins.model, epoch.pins.dialect)
    : modelKey(state.model.id, state.model.dialect)
  state.refused.set(model, [...(state.refused.get(model) ?? []), refused])
  if (epoch === undefined) return
  const capabilities = withoutCarrier(epoch.pins.capabilities, refused)
  replaceEpoch(
    state,
    epoch,
    { capabilities },
    seq,
    firstChanged,
    new Map(dropped.map(({ id, text }) => [id, text])),
  )
  if (dropped.length > 0 && state.account) state.account = { ...state.account, paid: 0 }
}

/**
 * Places everything already told anew, in another format. The code that wrote the old bytes is gone, so that every byte
 * may have changed. The rebase therefore cannot wait for the end of an open tool turn, as others do.
 */
export function replaceFormat(state: EngineState, format: number, seq: number): void {
  if (state.epoch) replaceEpoch(state, state.epoch, { format }, seq, () => 0)
}

/**
 * Rebases without a step: system and tools stay as they are pinned, and a request in flight goes out again as another
 * one. No rule speaks a second time.
 */
function replaceEpoch(
  state: EngineState,
  epoch: Epoch,
  changes: Partial<Pins>,
  seq: number,
  changedFrom: (exchanges: readonly Exchange[], before: Pins, after: Pins) => number,
  dropped: ReadonlyMap<string, string> = new Map(),
): void {
  const { flight } = state
  const pins: Pins = { ...epoch.pins, tools: [...epoch.tools.values()].sort(byName), ...changes }
  const { exchanges } = epoch
  const from = Math.min(changedFrom(exchanges, epoch.pins, pins), firstDropped(exchanges, dropped))
  const kept = rebind(exchanges, pins, from, state.turn?.from ?? exchanges.length).map((exchange) => ({
    ...exchange,
    group: withDropped(exchange.group, dropped),
  }))
  state.epoch = new Epoch(pins, kept, epoch.startedAt)
  if (flight === undefined) return
  state.flight = { ...flight, id: `req-${seq}`, pins, ...state.epoch.request() }
  const page = state.pages.at(-1)
  if (page === undefined) return
  const placed = place(page.group, pins)
  state.pages[state.pages.length - 1] = { ...page, carriers: [...placed.frames, ...placed.reminders] }
}

/** Finds the first exchange whose bytes change, or before which some do. */
function firstChanged(exchanges: readonly Exchange[], before: Pins, after: Pins): number {
  if (!sameJson(before.tools, after.tools)) return 0
  const changed = exchanges.findIndex(
    ({ group }) => !sameJson(place(group, before), place(withoutToolChanges(group), after)),
  )
  return changed < 0 ? exchanges.length : changed
}

/**
 * Drops reasoning behind the first byte that changes. In the open turn it must come back all the same, unless the model
 * ties it to those bytes: then it would be refused.
 */
function rebind(
  exchanges: readonly Exchange[],
  { capabilities }: Pins,
  changed: number,
  openTurn: number,
): readonly Exchange[] {
  return exchanges.map((exchange, i) => ({
    ...(i >= changed && (i < openTurn || capabilities.tiedReasoning) ? withoutReasoning(exchange) : exchange),
    group: withoutToolChanges(exchange.group),
  }))
}
