import { Epoch } from "../epoch/epoch.js"
import type { Exchange } from "../epoch/exchange.js"
import { withoutToolChanges } from "../epoch/rebase.js"
import { unbound } from "../message/reply.js"
import { type Carrier, withoutCarrier } from "../wire/capabilities.js"
import { place } from "../wire/place.js"
import type { Pins } from "../wire/request.js"
import { byName } from "../wire/tool.js"
import { modelKey, type State } from "./state.js"

/**
 * A rebase without a step: everything already told is placed anew without the carrier, and the request that was
 * refused goes out again as another one. No rule speaks a second time.
 */
export function replaceCarrier(state: State, refused: Carrier, seq: number): void {
  const { epoch, flight } = state
  const model = epoch
    ? modelKey(epoch.pins.model, epoch.pins.dialect)
    : modelKey(state.model.id, state.model.dialect)
  state.refused.set(model, [...(state.refused.get(model) ?? []), refused])
  if (epoch === undefined) return
  const pins: Pins = {
    ...epoch.pins,
    tools: [...epoch.tools.values()].sort(byName),
    capabilities: withoutCarrier(epoch.pins.capabilities, refused),
  }
  const kept = rebind(epoch.exchanges, epoch.pins, pins, state.turn?.from ?? epoch.exchanges.length)
  state.epoch = new Epoch(pins, kept, epoch.startedAt, state.count)
  if (flight === undefined) return
  state.flight = { ...flight, id: `req-${seq}`, pins, ...state.epoch.request() }
  const page = state.pages.at(-1)
  if (page === undefined) return
  const placed = place(page.group, pins)
  state.pages[state.pages.length - 1] = { ...page, carriers: [...placed.frames, ...placed.reminders] }
}

/**
 * Reasoning behind the first byte that changes is lost. In the open turn it must come back all the same, unless the
 * model ties it to those bytes: then it would be refused.
 */
function rebind(
  exchanges: readonly Exchange[],
  before: Pins,
  after: Pins,
  openTurn: number,
): readonly Exchange[] {
  const changed = exchanges.findIndex(
    ({ group }) => JSON.stringify(place(group, before)) !== JSON.stringify(place(group, after)),
  )
  const tied = after.capabilities.tiedReasoning
  return exchanges.map(({ group, reply }, i) => ({
    group: withoutToolChanges(group),
    reply: reply && changed >= 0 && i >= changed && (i < openTurn || tied) ? unbound(reply) : reply,
  }))
}
