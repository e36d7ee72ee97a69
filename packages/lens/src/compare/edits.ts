import type { Segment } from "../segments/segment.js"
import { wordsOf } from "../segments/words.js"
import { align } from "./align.js"
import { similarity } from "./similar.js"

/** One difference between what was sent and what is sent now. `at` is its place in the new list. */
export type Edit =
  | { readonly type: "removed"; readonly at: number; readonly old: Segment }
  | { readonly type: "inserted"; readonly at: number; readonly now: Segment }
  | { readonly type: "changed"; readonly at: number; readonly old: Segment; readonly now: Segment }
  | { readonly type: "moved"; readonly at: number; readonly old: Segment; readonly now: Segment }

export interface Comparison {
  /** In the order of the new list. */
  readonly edits: readonly Edit[]
  /** For each new segment, the index of the old one that it repeats or replaces, or -1. */
  readonly partners: Int32Array
  /** How many segments at the start are the same. */
  readonly prefix: number
  /** True if the conversation's own segments after the first difference have partners, or if there are none. */
  readonly goesOn: boolean
}

/**
 * Compares the conversations of two calls. What only comes after everything that was sent does not count as a
 * difference.
 */
export function compareMessages(old: readonly Segment[], now: readonly Segment[]): Comparison {
  const partners = new Int32Array(now.length).fill(-1)
  const prefix = commonPrefix(old, now)
  for (let i = 0; i < prefix; i++) partners[i] = i
  if (prefix === old.length) return { edits: [], partners, prefix, goesOn: false }
  const taken = new Uint8Array(old.length).fill(1, 0, prefix)
  const pair = (inOld: number, inNow: number) => {
    partners[inNow] = inOld
    taken[inOld] = 1
  }
  pairConversation(old, now, prefix, pair)
  pairChanged(old, now, prefix, partners, taken, pair)
  pairReminders(old, now, prefix, partners, taken, pair)
  const moved = pairMoved(old, now, partners, taken)
  const edits = editsOf(old, now, partners, taken, moved)
  const goesOn = now.some((one, i) => i >= prefix && !one.isReminder && (partners[i] ?? -1) >= 0)
  return { edits, partners, prefix, goesOn }
}

function commonPrefix(old: readonly Segment[], now: readonly Segment[]): number {
  let i = 0
  while (i < old.length && i < now.length && old[i]?.hash === now[i]?.hash) i++
  return i
}

type PairUp = (inOld: number, inNow: number) => void

/** Reminders are left out: the conversation itself says what is where, and they stand somewhere in it. */
function pairConversation(
  old: readonly Segment[],
  now: readonly Segment[],
  from: number,
  pair: PairUp,
): void {
  const own = (list: readonly Segment[]) =>
    list.flatMap((one, i) => (i >= from && !one.isReminder ? [i] : []))
  const inOld = own(old)
  const inNow = own(now)
  const found = align(
    inOld.map((i) => old[i]?.hash ?? ""),
    inNow.map((i) => now[i]?.hash ?? ""),
  )
  found.forEach((partner, i) => {
    const a = inOld[partner]
    const b = inNow[i]
    if (partner >= 0 && a !== undefined && b !== undefined) pair(a, b)
  })
}

/** Pairs each new segment between two that stayed with the old one that it is a changed form of. */
function pairChanged(
  old: readonly Segment[],
  now: readonly Segment[],
  from: number,
  partners: Int32Array,
  taken: Uint8Array,
  pair: PairUp,
): void {
  // Two conversations that have nothing in common are two, however alike their shapes are.
  const isKin = partners.some((partner) => partner >= 0)
  let atOld = from
  for (let i = from; i <= now.length; i++) {
    const isEnd = i === now.length
    const partner = isEnd ? old.length : (partners[i] ?? -1)
    if (partner < 0) continue
    const start = gapStart(partners, i)
    const left = range(atOld, partner).filter((j) => !taken[j] && !old[j]?.isReminder)
    const right = range(start, i).filter((j) => !now[j]?.isReminder)
    pairGap(old, now, left, right, isEnd, isKin, pair)
    atOld = partner + 1
  }
}

function gapStart(partners: Int32Array, end: number): number {
  let start = end
  while (start > 0 && (partners[start - 1] ?? -1) < 0) start--
  return start
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i)
}

function pairGap(
  old: readonly Segment[],
  now: readonly Segment[],
  left: readonly number[],
  right: readonly number[],
  isEnd: boolean,
  isKin: boolean,
  pair: PairUp,
): void {
  let next = 0
  const isReply = (one: Segment | undefined) => one?.role === "assistant" || one?.role === "model"
  const goesOn = right.slice(1).some((j) => isReply(now[j]))
  // Replies are gone and none is there: the user went back, or began anew, perhaps with similar words.
  const isNew = isEnd && !right.some((j) => isReply(now[j])) && left.some((i) => isReply(old[i]))
  left.forEach((i, position) => {
    const a = old[i]
    if (a === undefined) return
    const found = right.findIndex((j, k) => {
      const b = now[j]
      if (k < next || b === undefined) return false
      if (isSame(a, b)) return true
      if (isNew) return false
      // What is in the place of an image stands where the image stood, not behind the answer to it.
      if (a.kind === "media" && right.slice(next, k).some((i) => isReply(now[i]))) return false
      // At the end, what follows may be a new turn: only a text that reads alike, or was answered, is the old one.
      const isOpen = isEnd && !(isKin && goesOn && position === 0 && k === 0)
      return mayBe(a, b, isEnd ? isOpen : left.length !== right.length)
    })
    const j = right[found]
    if (j === undefined) return
    pair(i, j)
    next = found + 1
  })
}

/** Compares by id: a call or a result keeps its id whatever becomes of it. */
function isSame(a: Segment, b: Segment): boolean {
  return a.name !== undefined && a.name === b.name && a.kind === b.kind
}

const ALIKE = 0.5

function mayBe(a: Segment, b: Segment, mustBeAlike: boolean): boolean {
  if (a.kind === "media" && b.kind === "text" && a.role === b.role) return true
  if (a.kind !== b.kind || a.role !== b.role) return false
  if (
    (a.kind === "call" || a.kind === "result") &&
    a.name !== undefined &&
    b.name !== undefined &&
    mustBeAlike
  )
    return false
  return !mustBeAlike || similarity(wordsOf(a), wordsOf(b)) >= ALIKE
}

/**
 * Pairs reminders. A reminder stays if it stands behind the same segment of the conversation; another wording there is
 * a change.
 */
function pairReminders(
  old: readonly Segment[],
  now: readonly Segment[],
  from: number,
  partners: Int32Array,
  taken: Uint8Array,
  pair: PairUp,
): void {
  const behind = new Map<number, number[]>()
  const lastKept = partners.findLastIndex((partner) => partner >= 0)
  let anchor = -1
  now.forEach((one, i) => {
    const partner = partners[i] ?? -1
    if (one.isReminder) {
      if (i >= from) behind.set(anchor, [...(behind.get(anchor) ?? []), i])
    } else if (partner >= 0) anchor = partner
    // Behind a new reply is another place. What was put in between older segments does not move what follows it.
    else if (i > lastKept && (one.role === "assistant" || one.role === "model")) anchor = -2 - i
  })
  const byAnchor = (isPartner: (a: Segment, b: Segment) => boolean) => {
    let last = -1
    old.forEach((one, i) => {
      if (!one.isReminder) {
        if (taken[i]) last = i
        return
      }
      if (i < from || taken[i]) return
      const free = (behind.get(last) ?? []).filter((j) => (partners[j] ?? -1) < 0)
      const j = free.find((k) => {
        const other = now[k]
        return other !== undefined && isPartner(one, other)
      })
      if (j !== undefined) pair(i, j)
    })
  }
  byAnchor((a, b) => a.hash === b.hash)
  byAnchor((a, b) => kindsOf(a) === kindsOf(b))
}

function kindsOf(segment: Segment): string {
  return segment.reminders.map(({ kind }) => kind).join()
}

function pairMoved(
  old: readonly Segment[],
  now: readonly Segment[],
  partners: Int32Array,
  taken: Uint8Array,
): ReadonlyMap<number, number> {
  const moved = new Map<number, number>()
  const used = new Set<number>()
  old.forEach((one, i) => {
    if (taken[i] || !one.isReminder) return
    const j = now.findIndex((other, k) => (partners[k] ?? -1) < 0 && !used.has(k) && other.hash === one.hash)
    if (j < 0) return
    moved.set(i, j)
    used.add(j)
  })
  return moved
}

function editsOf(
  old: readonly Segment[],
  now: readonly Segment[],
  partners: Int32Array,
  taken: Uint8Array,
  moved: ReadonlyMap<number, number>,
): readonly Edit[] {
  const edits: Edit[] = []
  const lastKept = partners.findLastIndex((partner) => partner >= 0)
  const arrivals = new Set(moved.values())
  now.forEach((one, i) => {
    const partner = old[partners[i] ?? -1]
    if (partner !== undefined && partner.hash !== one.hash)
      edits.push({ type: "changed", at: i, old: partner, now: one })
    else if (partner === undefined && i < lastKept && !arrivals.has(i))
      edits.push({ type: "inserted", at: i, now: one })
  })
  const places = new Map<number, number>()
  partners.forEach((partner, i) => {
    if (partner >= 0) places.set(partner, i)
  })
  let at = 0
  old.forEach((one, i) => {
    const place = places.get(i)
    if (place !== undefined) at = Math.max(at, place + 1)
    if (taken[i]) return
    const target = now[moved.get(i) ?? -1]
    edits.push(
      target === undefined ? { type: "removed", at, old: one } : { type: "moved", at, old: one, now: target },
    )
  })
  // A stable sort: at one place, what is gone comes before what is new there.
  const rank = ({ type }: Edit) => (type === "removed" || type === "moved" ? 0 : 1)
  return edits.sort((a, b) => a.at - b.at || rank(a) - rank(b))
}
