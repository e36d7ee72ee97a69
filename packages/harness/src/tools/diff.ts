import { startOf } from "../platform/text/text.js"

/** Lines that give way to others: half-open ranges, counted from 0. */
export interface Region {
  readonly from: number
  readonly to: number
  readonly newFrom: number
  readonly newTo: number
}

const CONTEXT = 3

/** Writes a unified diff of two texts whose differences are known to lie in these regions. */
export function unifiedDiff(name: string, before: string, after: string, regions: readonly Region[]): string {
  return [`--- ${name}`, `+++ ${name}`, ...hunks(linesOf(before), linesOf(after), regions)].join("\n")
}

const MOST_LINES = 60
const LONGEST_LINE = 400

/** Writes a diff without the names, and no longer than it takes to see that the change is right. */
export function briefDiff(before: string, after: string, regions: readonly Region[]): string {
  const lines = hunks(linesOf(before), linesOf(after), regions)
  const brief = lines.slice(0, MOST_LINES).map((line) => {
    const short = startOf(line, LONGEST_LINE)
    return short === line ? line : `${short}…`
  })
  if (lines.length > MOST_LINES) brief.push(`[${lines.length - MOST_LINES} more lines of this change]`)
  return brief.join("\n")
}

/** Finds the one region outside which two texts are the same. */
export function regionBetween(before: string, after: string): readonly Region[] {
  const [a, b] = [linesOf(before), linesOf(after)]
  const region = trimmed(a, b, { from: 0, to: a.length, newFrom: 0, newTo: b.length })
  return region.from === region.to && region.newFrom === region.newTo ? [] : [region]
}

function hunks(a: readonly string[], b: readonly string[], regions: readonly Region[]): readonly string[] {
  const groups: Region[][] = []
  for (const region of regions.map((r) => trimmed(a, b, r))) {
    const last = groups.at(-1)?.at(-1)
    if (last && region.from - last.to <= 2 * CONTEXT) groups.at(-1)?.push(region)
    else groups.push([region])
  }
  return groups.flatMap((group) => hunk(a, b, group))
}

function hunk(a: readonly string[], b: readonly string[], group: readonly Region[]): readonly string[] {
  const [first, last] = [group[0], group.at(-1)]
  if (first === undefined || last === undefined) return []
  const from = Math.max(0, first.from - CONTEXT)
  const to = Math.min(a.length, last.to + CONTEXT)
  const newFrom = first.newFrom - (first.from - from)
  const newTo = last.newTo + (to - last.to)
  const lines = [`@@ -${range(from, to)} +${range(newFrom, newTo)} @@`]
  let at = from
  for (const region of group) {
    lines.push(...marked(" ", a.slice(at, region.from)))
    lines.push(...marked("-", a.slice(region.from, region.to)))
    lines.push(...marked("+", b.slice(region.newFrom, region.newTo)))
    at = region.to
  }
  return [...lines, ...marked(" ", a.slice(at, to))]
}

function trimmed(a: readonly string[], b: readonly string[], region: Region): Region {
  let { from, to, newFrom, newTo } = region
  while (from < to && newFrom < newTo && a[from] === b[newFrom]) {
    from++
    newFrom++
  }
  while (from < to && newFrom < newTo && a[to - 1] === b[newTo - 1]) {
    to--
    newTo--
  }
  return { from, to, newFrom, newTo }
}

function range(from: number, to: number): string {
  return `${to > from ? from + 1 : from},${to - from}`
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => mark + line)
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines
}
