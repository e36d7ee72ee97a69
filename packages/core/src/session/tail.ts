import { type EngineState, exchangesOf } from "./state.js"

/** Finds the first of the newest exchanges that together cost at most `tokens`: those that a compaction keeps. */
export function tailFrom(state: EngineState, tokens: number): number {
  const exchanges = exchangesOf(state)
  let from = exchanges.length - (state.flight ? 1 : 0)
  let room = tokens
  for (let i = from - 1; i >= 0; i--) {
    const exchange = exchanges[i]
    if (exchange === undefined || state.epoch === undefined) break
    room -= state.epoch.tokensOf(exchange)
    if (room < 0) break
    from = i
  }
  return from
}
