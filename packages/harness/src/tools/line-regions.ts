import { type Region, regionBetween } from "./diff.js"

/** Beyond this number of differing lines the exact way costs more than it shows: one region covers all of them. */
const MOST_CHANGES = 500

/** Finds every place in which two texts differ, line by line: the fewest lines that turn one into the other. */
export function lineRegions(before: string, after: string): readonly Region[] {
  const [outer] = regionBetween(before, after)
  if (outer === undefined) return []
  const a = before.split(/\r?\n/).slice(outer.from, outer.to)
  const b = after.split(/\r?\n/).slice(outer.newFrom, outer.newTo)
  const kept = a.length === 0 || b.length === 0 ? [] : keptLines(a, b)
  if (kept === undefined) return [outer]
  return between(kept, a.length, b.length).map(({ from, to, newFrom, newTo }) => ({
    from: outer.from + from,
    to: outer.from + to,
    newFrom: outer.newFrom + newFrom,
    newTo: outer.newFrom + newTo,
  }))
}

type Pair = readonly [line: number, newLine: number]

function between(kept: readonly Pair[], lines: number, newLines: number): readonly Region[] {
  const regions: Region[] = []
  let [from, newFrom] = [0, 0]
  for (const [to, newTo] of [...kept, [lines, newLines] as const]) {
    if (to > from || newTo > newFrom) regions.push({ from, to, newFrom, newTo })
    ;[from, newFrom] = [to + 1, newTo + 1]
  }
  return regions
}

/**
 * Finds the lines that stay, by Myers' greedy search: for each number of changes, how far every diagonal reaches.
 * Undefined where there are too many changes.
 */
function keptLines(a: readonly string[], b: readonly string[]): readonly Pair[] | undefined {
  const most = Math.min(a.length + b.length, MOST_CHANGES)
  const reach = new Map<number, number>([[1, 0]])
  const before: ReadonlyMap<number, number>[] = []
  for (let changes = 0; changes <= most; changes++) {
    before.push(new Map(reach))
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = comesDown(reach, diagonal, changes)
        ? (reach.get(diagonal + 1) ?? 0)
        : (reach.get(diagonal - 1) ?? 0) + 1
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++
      reach.set(diagonal, x)
      if (x >= a.length && x - diagonal >= b.length) return traced(before, a.length, b.length)
    }
  }
  return undefined
}

function comesDown(reach: ReadonlyMap<number, number>, diagonal: number, changes: number): boolean {
  if (diagonal === -changes) return true
  if (diagonal === changes) return false
  return (reach.get(diagonal - 1) ?? 0) < (reach.get(diagonal + 1) ?? 0)
}

function traced(
  before: readonly ReadonlyMap<number, number>[],
  lines: number,
  newLines: number,
): readonly Pair[] {
  const kept: Pair[] = []
  let [x, y] = [lines, newLines]
  for (let changes = before.length - 1; changes >= 0; changes--) {
    const reach = before[changes] ?? new Map<number, number>()
    const diagonal = x - y
    const from = comesDown(reach, diagonal, changes) ? diagonal + 1 : diagonal - 1
    const fromX = changes === 0 ? 0 : (reach.get(from) ?? 0)
    const fromY = changes === 0 ? 0 : fromX - from
    while (x > fromX && y > fromY) kept.push([--x, --y])
    ;[x, y] = [fromX, fromY]
  }
  return kept.toReversed()
}
