import type { Purpose } from "../report.js"
import type { Strand } from "./strand.js"

/** Strands that are one conversation, in order. */
export interface Thread {
  readonly id: string
  readonly strands: readonly Strand[]
  readonly first: number
  readonly last: number
  readonly calls: number
  readonly purpose: Purpose
  readonly parent?: string
}

interface Draft {
  readonly id: string
  readonly strands: Strand[]
  readonly parent: Draft | undefined
}

/** Joins strands to threads: a branch is the same thread if nothing of that thread came after the branch began. */
export function threadsOf(strands: readonly Strand[]): readonly Thread[] {
  const drafts: Draft[] = []
  const home = new Map<Strand, Draft>()
  for (const strand of [...strands].sort((a, b) => a.first - b.first)) {
    const origin = strand.origin && home.get(strand.origin)
    const isOver = origin?.strands.every(({ last }) => last < strand.first) ?? false
    if (origin !== undefined && isOver && !strand.isParallel) {
      origin.strands.push(strand)
      home.set(strand, origin)
      continue
    }
    const draft: Draft = { id: String(drafts.length + 1), strands: [strand], parent: origin }
    drafts.push(draft)
    home.set(strand, draft)
  }
  return drafts.map((draft) => finished(draft, drafts))
}

function finished(draft: Draft, all: readonly Draft[]): Thread {
  const { id, strands } = draft
  const host = draft.parent ?? hostOf(draft, all)
  const purpose = purposeOf(draft, host)
  return {
    id,
    strands,
    first: firstOf(draft),
    last: lastOf(draft),
    calls: callsOf(draft),
    purpose,
    ...(host !== undefined && purpose !== "main" && { parent: host.id }),
  }
}

const firstOf = ({ strands }: Draft) => strands[0]?.first ?? 0
const lastOf = ({ strands }: Draft) => Math.max(...strands.map(({ last }) => last))
const callsOf = ({ strands }: Draft) => strands.reduce((sum, { calls }) => sum + calls, 0)

/** Finds the thread that was under way when this one began and went on after it: it was started by that one. */
function hostOf(draft: Draft, all: readonly Draft[]): Draft | undefined {
  const source = draft.strands[0]?.source
  const hosts = all.filter(
    (other) =>
      other !== draft &&
      other.strands[0]?.source === source &&
      firstOf(other) < firstOf(draft) &&
      lastOf(other) > firstOf(draft) &&
      sideOf(other) === undefined &&
      !other.strands.some(({ countsTokens }) => countsTokens),
  )
  // The one that began it all, not another of its subagents.
  return hosts[0]
}

/** A thread of more calls than this is a conversation, whatever its first request asked for. */
const MOST_SIDE_CALLS = 2

function sideOf(draft: Draft): "title" | "summary" | undefined {
  return callsOf(draft) <= MOST_SIDE_CALLS ? draft.strands[0]?.purpose : undefined
}

function purposeOf(draft: Draft, host: Draft | undefined): Purpose {
  if (draft.strands.some(({ countsTokens }) => countsTokens)) return "other"
  const side = sideOf(draft)
  if (side !== undefined) return side
  if (host === undefined) return "main"
  return draft.strands.some(({ mayAct }) => mayAct) ? "subagent" : "other"
}
