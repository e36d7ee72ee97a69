import type { CallReading } from "../lens.js"
import type { Segment } from "../segments/segment.js"
import type { ContextKind } from "./page.js"

/** A request as it is kept: what it shares with an earlier one is there, so that memory grows with what is new. */
export interface KeptCall extends Omit<CallReading, "snapshot" | "before" | "difference" | "call"> {
  readonly n: number
  readonly call: Omit<CallReading["call"], "body" | "text" | "sent">
  /** The old and the new segment at the break. */
  readonly old?: Segment
  readonly now?: Segment
  /** The request that it is compared with. */
  readonly before?: KeptCall
  /** How many segments from the start it shares with `before`. */
  readonly shared: number
  readonly tail: readonly Segment[]
  readonly length: number
  readonly kinds: KindTokens
  /** How many items the list of the conversation has. */
  readonly items: number
  /** Bytes on the wire. */
  readonly bytes?: number
}

/** Lists all segments of a request, in the order in which the cache reads them. */
export function segmentsOf(kept: KeptCall): readonly Segment[] {
  const parts: (readonly Segment[])[] = []
  let upTo = kept.length
  for (let at: KeptCall | undefined = kept; at !== undefined && upTo > 0; at = at.before) {
    if (upTo > at.shared) parts.push(at.tail.slice(0, upTo - at.shared))
    upTo = Math.min(upTo, at.shared)
  }
  return parts.reverse().flat()
}

/** Counts the segments from the start that two requests have in common. */
export function commonStart(before: readonly Segment[], now: readonly Segment[]): number {
  let i = 0
  while (i < before.length && i < now.length && isSame(before[i], now[i])) i++
  return i
}

/** Compares objects, then hashes: a segment that has only moved its marker is the same object or has the same hash. */
function isSame(a: Segment | undefined, b: Segment | undefined): boolean {
  return a === b || a?.hash === b?.hash
}

export function kindsOf(before: KeptCall | undefined, shared: number, tail: readonly Segment[]): KindTokens {
  if (before !== undefined && shared === before.length) return addKinds({ ...before.kinds }, tail)
  const start = before === undefined ? [] : segmentsOf(before).slice(0, shared)
  return addKinds(addKinds({}, start), tail)
}

type KindTokens = Partial<Record<ContextKind, number>>

/** Adds the tokens of segments to sums by kind. A reminder counts as one wherever it stands. */
function addKinds(sums: KindTokens, segments: Iterable<Segment>): KindTokens {
  const add = (kind: ContextKind, tokens: number) => {
    if (tokens > 0) sums[kind] = (sums[kind] ?? 0) + tokens
  }
  for (const segment of segments) {
    const reminders = segment.isReminder
      ? segment.tokens
      : Math.min(
          segment.tokens,
          segment.reminders.reduce((sum, { tokens }) => sum + tokens, 0),
        )
    add("reminders", reminders)
    add(kindOf(segment), segment.tokens - reminders)
  }
  return sums
}

function kindOf({ section, kind, role, hasMedia }: Segment): ContextKind {
  if (section === "tools") return "tools"
  if (section === "system") return "system"
  if (hasMedia && kind !== "result") return "media"
  switch (kind) {
    case "reasoning":
      return "reasoning"
    case "call":
      return "calls"
    case "result":
      return "results"
    default:
      return role === "assistant" || role === "model" ? "assistant" : "user"
  }
}
