import { redact } from "@sotto/core/secrets"
import type { Segment } from "../segments/segment.js"
import { wordsOf } from "../segments/words.js"
import { commonStart } from "./similar.js"

const BEFORE = 60
const AFTER = 120
/** How far an excerpt may grow so that it does not begin or end within a word, which may be a secret. */
const WORD = 300

/** Cuts out the texts around the first difference of two segments, without secrets. */
export function excerpts(
  old: Segment | undefined,
  now: Segment | undefined,
  room: ExcerptWidth = { before: BEFORE, after: AFTER },
): { readonly before: string; readonly after: string } {
  const [a, b] = [readable(old), readable(now)]
  const at = old !== undefined && now !== undefined ? commonStart(a, b) : 0
  return { before: around(a, at, room), after: around(b, at, room) }
}

/** How many characters before and after the first difference are shown. */
export interface ExcerptWidth {
  readonly before: number
  readonly after: number
}

/** Gives what a person reads of a segment: its words, or its JSON. */
export function readable(segment: Segment | undefined): string {
  if (segment === undefined) return ""
  const words =
    segment.kind === "text" || segment.kind === "system" || segment.kind === "result" ? wordsOf(segment) : ""
  return words === "" ? JSON.stringify(segment.value).slice(0, 20_000) : words
}

function around(text: string, at: number, room: ExcerptWidth): string {
  let start = Math.max(0, at - room.before)
  let end = Math.min(text.length, at + room.after)
  const first = start
  const last = end
  while (start > 0 && start > first - WORD && !/\s/.test(text[start - 1] ?? "")) start--
  while (end < text.length && end < last + WORD && !/\s/.test(text[end] ?? "")) end++
  const shown = redact(text.slice(start, end))
  const limit = room.before + room.after + WORD
  return `${start > 0 ? "…" : ""}${shown.slice(0, limit)}${end < text.length || shown.length > limit ? "…" : ""}`
}
