import { type Snapshot, tokensIn } from "../segments/snapshot.js"
import type { Difference } from "./compare.js"

/** How many blocks before a breakpoint Anthropic looks for an earlier one. */
export const LOOK_BACK = 20

/** Lists where the breakpoints of a call stand, counted over tools, system and conversation. */
export function marksOf(snapshot: Snapshot): readonly number[] {
  const marks: number[] = []
  snapshot.cached.forEach(({ marked }, i) => {
    if (marked) marks.push(i)
  })
  return marks
}

function furthestFound(marks: readonly number[], entries: readonly number[]): number {
  return marks.reduce((best, mark) => {
    const within = entries.filter((entry) => entry <= mark && entry >= mark - LOOK_BACK)
    return Math.max(best, ...within)
  }, -1)
}

/**
 * Tokens before a difference that are processed again as well: Anthropic keeps a prefix only up to a breakpoint, so what
 * stands between the last one that is found and the difference is lost, the tools included.
 */
export function lostBefore(difference: Difference, entries: readonly number[], now: Snapshot): number {
  const start = placeOf(difference, now)
  const found = furthestFound(
    marksOf(now),
    entries.filter((entry) => entry < start),
  )
  return tokensIn(now.cached.slice(found + 1, start))
}

function placeOf({ section, at }: Difference, { sections }: Snapshot): number {
  const { tools, system } = sections
  switch (section) {
    case "key":
      return 0
    case "tools":
      return at
    case "system":
      return tools.length + at
    case "parameters":
      return tools.length + system.length
    case "messages":
      return tools.length + system.length + at
  }
}

/**
 * Finds a miss of a call that only adds to the one before: no breakpoint of it stands on an earlier one or within its
 * reach. `entries` are the breakpoints of the thread's calls so far.
 */
export function outOfReach(entries: readonly number[], now: Snapshot): Difference | undefined {
  const furthest = Math.max(-1, ...entries)
  if (now.dialect !== "anthropic" || furthest < 0) return undefined
  const marks = marksOf(now)
  const reached = furthestFound(marks, entries)
  if (reached >= furthest) return undefined
  const segments = now.cached
  const lost = segments.slice(reached + 1, furthest + 1)
  const first = segments[furthest]
  if (first === undefined) return undefined
  const after = marks.find((mark) => mark > furthest)
  const detail =
    marks.length === 0
      ? "the request has no cache marker any more"
      : after === undefined
        ? "no cache marker stands at or after the end of what was cached"
        : `the next cache marker stands ${after - furthest} blocks after the end of what was cached; ${LOOK_BACK} are searched`
  return {
    section: first.section,
    at: 0,
    path: segments[after ?? -1]?.path ?? first.path,
    cause: "markers-out-of-reach",
    detail,
    lostTokens: tokensIn(lost),
  }
}
