import type { Purpose } from "../report.js"
import type { Segment } from "../segments/segment.js"
import type { Snapshot } from "../segments/snapshot.js"
import { wordsOf } from "../segments/words.js"

const TITLE =
  /\b(?:generat|creat|writ|produc|giv|suggest|com)\w{0,4}\b.{0,80}\b(?:title|headline|short name)\b|\btitle (?:generator|for (?:this|the) (?:conversation|session|chat|thread))|\bnew (?:conversation )?topic\b|in (?:under|at most|fewer than|less than) \d+ (?:characters|words)/is
const SUMMARY =
  /\bsummari[sz]e\b.{0,120}\b(?:conversation|session|chat|history|discussion|context|messages|work|so far|above)\b|\b(?:detailed|concise|structured|handoff|hand-off|continuation) summary\b|\bcompact(?:ion)?\b.{0,60}\b(?:conversation|history|context)\b|\bCONTEXT CHECKPOINT\b/is

/**
 * Tells what a request that stands beside the conversation is for, by its instructions; undefined if it says neither.
 */
export function sidePurpose(text: string): Extract<Purpose, "title" | "summary"> | undefined {
  const start = text.slice(0, 1_500)
  if (TITLE.test(start)) return "title"
  return SUMMARY.test(start) ? "summary" : undefined
}

/** Gives the last words of a request, if the user's side said them. */
export function lastWords({ sections }: Snapshot): string {
  const last = sections.messages.findLast(isSaid)
  return last === undefined || last !== sections.messages.findLast(({ isReminder }) => !isReminder)
    ? ""
    : wordsOf(last)
}

function isSaid({ kind, role, isReminder }: Segment): boolean {
  return kind === "text" && role === "user" && !isReminder
}

/** Tells the purpose of a thread that made one or two calls, by what its first one was told. */
export function purposeOf(first: Snapshot): Extract<Purpose, "title" | "summary"> | undefined {
  const system = first.sections.system.map(wordsOf).join("\n")
  const bySystem = first.sections.tools.length === 0 ? sidePurpose(system) : undefined
  return bySystem ?? sidePurpose(lastWords(first))
}
