import { RESULT_TAGS } from "../segments/reminders/shapes.js"
import type { Segment } from "../segments/segment.js"
import { textsOf } from "../segments/words.js"

/** What a tool result does with the tags between which only the harness may speak. */
export type TagProblem = "forged-reminder" | "unbalanced-reminder"

const TAG = new RegExp(`<(/?)(${RESULT_TAGS.join("|")})\\s*>`, "gi")

export function tagProblems(segment: Segment): readonly TagProblem[] {
  if (segment.kind !== "result") return []
  const found = textsOf(segment).flatMap((text) => problemsIn(text, segment))
  return [...new Set(found)]
}

function problemsIn(text: string, segment: Segment): readonly TagProblem[] {
  if (!/<\/?system[-_]reminder/i.test(text)) return []
  let depth = 0
  let isBroken = false
  let count = 0
  for (const [, slash] of text.matchAll(TAG)) {
    depth += slash === "/" ? -1 : 1
    isBroken ||= depth < 0 || depth > 1
    if (slash !== "/") count++
  }
  if (isBroken || depth !== 0) return ["unbalanced-reminder"]
  // What the harness adds stands at the end, and was recognised as its own.
  const own = segment.reminders.filter((reminder) => text.includes(reminder.text)).length
  return count > own ? ["forged-reminder"] : []
}
