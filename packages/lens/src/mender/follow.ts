import { field } from "@sotto/core/dialect"
import type { Comparison } from "../compare/edits.js"
import { exactJson, same } from "../segments/json.js"
import type { Segment } from "../segments/segment.js"

/** Which message of one request is which of the next. */
export interface Followed {
  /** For each message now, the index of the one that it was, or -1. */
  readonly partners: Int32Array
  /** From here on nothing has been sent. */
  readonly firstNew: number
}

/** Gives the index of the message that a segment belongs to. */
export function itemOf({ path }: Pick<Segment, "path">): number {
  const start = path.indexOf(".") + 1
  const end = path.indexOf(".", start)
  return Number(path.slice(start, end < 0 ? undefined : end))
}

/**
 * Follows each message from the old list to the new one. Returns undefined if messages were joined, split or put into
 * another order.
 */
export function follow(
  old: readonly string[],
  now: readonly string[],
  before: readonly Segment[],
  after: readonly Segment[],
  { partners: segments }: Comparison,
): Followed | undefined {
  const partners = new Int32Array(now.length).fill(-1)
  const taken = new Map<number, number>()
  for (const [i, segment] of after.entries()) {
    const partner = before[segments[i] ?? -1]
    if (partner === undefined) continue
    const [j, k] = [itemOf(segment), itemOf(partner)]
    if ((taken.get(k) ?? j) !== j || (partners[j] !== -1 && partners[j] !== k)) return undefined
    partners[j] = k
    taken.set(k, j)
  }
  pairEmpty(old, now, partners, taken)
  let last = -1
  for (const partner of partners) {
    if (partner < 0) continue
    if (partner <= last) return undefined
    last = partner
  }
  return { partners, firstNew: partners.findLastIndex((partner) => partner >= 0) + 1 }
}

/** Pairs a message without a segment, such as one with an empty text: it stays where it is. */
function pairEmpty(
  old: readonly string[],
  now: readonly string[],
  partners: Int32Array,
  taken: Map<number, number>,
): void {
  now.forEach((item, j) => {
    if (partners[j] !== -1) return
    const k = j === 0 ? 0 : (partners[j - 1] ?? -1) + 1
    if (k === 0 && j > 0) return
    if (taken.has(k) || old[k] !== item) return
    partners[j] = k
    taken.set(k, j)
  })
}

/** True if two messages are the same, cache markers and white space aside. */
export function sameItem(a: string, b: string): boolean {
  if (a === b) return true
  const [left, right] = [JSON.parse(a), JSON.parse(b)]
  return exactJson(left, true) === exactJson(right, true)
}

/** True if a message is an earlier one with more blocks at its end. */
export function extendsItem(old: string, now: string): boolean {
  const [before, after] = [JSON.parse(old), JSON.parse(now)]
  for (const name of ["content", "parts"]) {
    const [left, right] = [field(before, name), field(after, name)]
    if (!Array.isArray(left) || !Array.isArray(right) || left.length >= right.length) continue
    return (
      same({ ...before, [name]: right.slice(0, left.length) }, { ...after, [name]: left }) &&
      same(left, right.slice(0, left.length))
    )
  }
  return false
}
