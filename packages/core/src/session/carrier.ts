import { Epoch } from "../epoch/epoch.js"
import type { Exchange } from "../epoch/exchange.js"
import { withoutToolChanges } from "../epoch/rebase.js"
import { sameJson } from "../json.js"
import { unbound } from "../message/reply.js"
import { type Carrier, withoutCarrier } from "../wire/capabilities.js"
import { place } from "../wire/place.js"
import type { Pins } from "../wire/request.js"
import { byName } from "../wire/tool.js"
import { modelKey, type State } from "./state.js"

/** The carrier is not used again on this model, and everything already told is placed anew without it. */
export function replaceCarrier(state: State, refused: Carrier, seq: number): void {
  const { epoch } = state
  const model = epoch
    ? modelKey(epoch.pins.model, epoch.pins.dialect)
    : modelKey(state.model.id, state.model.dialect)
  state.refused.set(model, [...(state.refused.get(model) ?? []), refused])
  if (epoch === undefined) return
  const capabilities = withoutCarrier(epoch.pins.capabilities, refused)
  replaceEpoch(state, epoch, { capabilities }, seq, firstChanged)
}

/**
 * Everything already told is placed anew, in another format. The code that wrote the old bytes is gone, so that every
 * byte may have changed. The rebase therefore cannot wait for the end of an open tool turn, as others do.
 */
export function replaceFormat(state: State, format: number, seq: number): void {
  if (state.epoch) replaceEpoch(state, state.epoch, { format }, seq, () => 0)
}

/**
 * A rebase without a step: system and tools stay as they are pinned, and a request in flight goes out again as another
 * one. No rule speaks a second time.
 */
function replaceEpoch(
  state: State,
  epoch: Epoch,
  changes: Partial<Pins>,
  seq: number,
  changedFrom: (exchanges: readonly Exchange[], before: Pins, after: Pins) => number,
): void {
  const { flight } = state
  const pins: Pins = { ...epoch.pins, tools: [...epoch.tools.values()].sort(byName), ...changes }
  const from = changedFrom(epoch.exchanges, epoch.pins, pins)
  const kept = rebind(epoch.exchanges, pins, from, state.turn?.from ?? epoch.exchanges.length)
  state.epoch = new Epoch(pins, kept, epoch.startedAt, state.count)
  if (flight === undefined) return
  state.flight = { ...flight, id: `req-${seq}`, pins, ...state.epoch.request() }
  const page = state.pages.at(-1)
  if (page === undefined) return
  const placed = place(page.group, pins)
  state.pages[state.pages.length - 1] = { ...page, carriers: [...placed.frames, ...placed.reminders] }
}

/** The first exchange whose bytes change, or before which some do. */
function firstChanged(exchanges: readonly Exchange[], before: Pins, after: Pins): number {
  if (!sameJson(before.tools, after.tools)) return 0
  const changed = exchanges.findIndex(
    ({ group }) => !sameJson(place(group, before), place(withoutToolChanges(group), after)),
  )
  return changed < 0 ? exchanges.length : changed
}

/**
 * Reasoning behind the first byte that changes is lost. In the open turn it must come back all the same, unless the
 * model ties it to those bytes: then it would be refused.
 */
function rebind(
  exchanges: readonly Exchange[],
  { capabilities }: Pins,
  changed: number,
  openTurn: number,
): readonly Exchange[] {
  return exchanges.map(({ group, reply }, i) => ({
    group: withoutToolChanges(group),
    reply: reply && i >= changed && (i < openTurn || capabilities.tiedReasoning) ? unbound(reply) : reply,
  }))
}
