import { summaryText } from "../epoch/place.js"
import type { CompactionSize } from "../log/entry.js"
import { estimateTokens } from "../text/tokens.js"
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

/** Estimates what a summary saves that stands for all exchanges before `from`. Returns undefined if nothing was sent yet. */
export function compactionSize(
  state: EngineState,
  summary: string,
  from: number | undefined,
): CompactionSize | undefined {
  const { epoch } = state
  if (epoch === undefined) return undefined
  const { all, head } = epoch.tokens
  const kept = from === undefined ? [] : exchangesOf(state).slice(from)
  const tail = kept.reduce((sum, exchange) => sum + epoch.tokensOf(exchange), 0)
  return { before: all, after: head + estimateTokens(summaryText(summary)) + tail }
}
