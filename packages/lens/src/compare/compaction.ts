import type { Segment } from "../segments/segment.js"
import { tokensIn } from "../segments/snapshot.js"
import { wordsOf } from "../segments/words.js"
import type { Comparison } from "./edits.js"

const SUMMARY =
  /\bsummar(?:y|ies|i[sz]ed?|i[sz]ing)\b|\bcompact(?:ed|ion)\b|\bcontinued from\b|previous conversation|conversation so far|earlier (?:in the )?conversation|state_snapshot|hand-?off|did (?:we|you) do so far|context so far/i

/** Less of the conversation than this may be dropped for other reasons. */
const MOST = 0.3
const FEWEST = 4

/** True if a stretch of the conversation gave way to a summary of it. */
export function isCompaction(
  old: readonly Segment[],
  now: readonly Segment[],
  { edits, partners }: Comparison,
): boolean {
  const gone = edits.flatMap((edit) =>
    edit.type === "removed" && !edit.old.isReminder && edit.old.kind !== "reasoning" ? [edit.old] : [],
  )
  const replaced = edits.flatMap((edit) =>
    edit.type === "changed" && isSummary(edit.now) && !isSummary(edit.old) ? [edit.old] : [],
  )
  const lost = tokensIn(gone) + tokensIn(replaced)
  const own = old.filter(({ isReminder }) => !isReminder)
  if (gone.length === 0 || lost < tokensIn(own) * MOST || tokensIn(now) >= tokensIn(old)) return false
  const hasReplies = gone.some(({ role }) => role === "assistant" || role === "model" || role === "tool")
  const firstKept = now.findIndex(
    (one, i) => i >= 0 && !one.isReminder && (partners[i] ?? -1) >= firstGone(old, gone),
  )
  const fresh = now.filter(
    (one, i) => !one.isReminder && one.kind === "text" && ((partners[i] ?? -1) < 0 || isReplaced(one, edits)),
  )
  if (fresh.length === 0 || !hasReplies) return false
  if (fresh.some(isSummary)) return true
  // Without a word for it: many segments gave way to one or two, and the end of the conversation is still there.
  const before = fresh.filter((one) => firstKept >= 0 && now.indexOf(one) < firstKept)
  return gone.length >= FEWEST && before.length > 0 && before.length <= 2 && tokensIn(before) <= lost / 2
}

function firstGone(old: readonly Segment[], gone: readonly Segment[]): number {
  const [first] = gone
  return first === undefined ? 0 : old.indexOf(first)
}

function isReplaced(now: Segment, edits: Comparison["edits"]): boolean {
  return edits.some((edit) => edit.type === "changed" && edit.now === now)
}

function isSummary(segment: Segment): boolean {
  return SUMMARY.test(wordsOf(segment).slice(0, 4_000))
}
