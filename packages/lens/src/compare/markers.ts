import type { Snapshot } from "../segments/snapshot.js"
import type { Difference } from "./compare.js"

/** How many blocks before a breakpoint Anthropic looks for an earlier one. */
const LOOK_BACK = 20

/** Where the breakpoints of a call stand, counted over tools, system and conversation. */
export function marksOf(snapshot: Snapshot): readonly number[] {
  const marks: number[] = []
  snapshot.cached.forEach(({ marked }, i) => {
    if (marked) marks.push(i)
  })
  return marks
}

/**
 * A call that only adds to the one before may still miss: no breakpoint of it stands on an earlier one or within its
 * reach. `entries` are the breakpoints of the thread's calls so far.
 */
export function outOfReach(entries: readonly number[], now: Snapshot): Difference | undefined {
  const furthest = Math.max(-1, ...entries)
  if (now.dialect !== "anthropic" || furthest < 0) return undefined
  const marks = marksOf(now)
  const reached = marks.reduce((best, mark) => {
    const within = entries.filter((entry) => entry <= mark && entry >= mark - LOOK_BACK)
    return Math.max(best, ...within)
  }, -1)
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
    lostTokens: lost.reduce((sum, { tokens }) => sum + tokens, 0),
  }
}
