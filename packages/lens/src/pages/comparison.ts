import type { Segment } from "../segments/segment.js"
import { pageSegment } from "./layout.js"
import type { PageSegment, SegmentComparison } from "./page.js"

/** Changes that are shown: more say nothing that the sums do not say. */
const MOST = 200
/** Above this many pairs, what stands between the common start and end is taken as changed from end to end. */
const MOST_PAIRS = 4_000_000

/** Compares two requests segment by segment, in the order in which the provider reads them. */
export function compareSegments(a: readonly Segment[], b: readonly Segment[]): SegmentComparison {
  let start = 0
  while (start < a.length && start < b.length && a[start]?.hash === b[start]?.hash) start++
  let end = 0
  while (
    end < Math.min(a.length, b.length) - start &&
    a[a.length - 1 - end]?.hash === b[b.length - 1 - end]?.hash
  )
    end++
  const changes = changesBetween(a.slice(start, a.length - end), b.slice(start, b.length - end))
  const sum = (segments: readonly Segment[]) => segments.reduce((total, { tokens }) => total + tokens, 0)
  const only = (side: "a" | "b") => changes.reduce((total, one) => total + (one[side]?.tokens ?? 0), 0)
  const shown = changes.slice(0, MOST)
  return {
    same: { segments: start, tokens: sum(a.slice(0, start)) },
    segments: { a: a.length, b: b.length },
    onlyTokens: { a: only("a"), b: only("b") },
    changes: shown.map(({ a: left, b: right }) => ({
      ...(left && { a: shownSegment(left) }),
      ...(right && { b: shownSegment(right) }),
    })),
    left: changes.length - shown.length,
  }
}

const shownSegment = (segment: Segment): PageSegment => pageSegment(segment, true, false)

interface Change {
  a?: Segment
  b?: Segment
}

function changesBetween(a: readonly Segment[], b: readonly Segment[]): readonly Change[] {
  const changes: Change[] = []
  let [i, j] = [0, 0]
  for (const [at, to] of [...common(a, b), [a.length, b.length] as const]) {
    changes.push(...paired(a.slice(i, at), b.slice(j, to)))
    ;[i, j] = [at + 1, to + 1]
  }
  return changes
}

/** Pairs what is gone with what stands there instead, where they are of the same kind. */
function paired(gone: readonly Segment[], come: readonly Segment[]): readonly Change[] {
  const rest = [...come]
  const changes = gone.map((a): Change => {
    const alike = (b: Segment) => b.kind === a.kind && b.role === a.role
    const named = rest.findIndex((b) => alike(b) && a.name !== undefined && a.name === b.name)
    const at =
      named >= 0 ? named : rest.findIndex((b) => alike(b) && (a.kind !== "tool" || a.name === b.name))
    const [b] = at < 0 ? [] : rest.splice(at, 1)
    return b === undefined ? { a } : { a, b }
  })
  return [...changes, ...rest.map((b): Change => ({ b }))]
}

/** Lists pairs of places of the longest common subsequence. */
function common(a: readonly Segment[], b: readonly Segment[]): readonly (readonly [number, number])[] {
  if (a.length * b.length > MOST_PAIRS) return []
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i]?.hash === b[j]?.hash
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0)
  const pairs: (readonly [number, number])[] = []
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) {
    if (a[i]?.hash === b[j]?.hash) pairs.push([i++, j++])
    else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i++
    else j++
  }
  return pairs
}
