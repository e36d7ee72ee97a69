import { redact } from "@sotto/core/secrets"
import { utf8Length } from "../segments/locate.js"
import type { Found, Segment } from "../segments/segment.js"
import { wordsOf } from "../segments/words.js"
import type { MarkedReminder, PageSegment } from "./page.js"

/** The longest text that a page gets unasked. */
const LONGEST = 8_000

/** A segment as a page shows it, without secrets. */
export function pageSegment(segment: Segment, isNew: boolean, isWhole: boolean): PageSegment {
  const { path, section, role, kind, name, tokens, marked } = segment
  const all = redact(words(segment))
  const isCut = !isWhole && all.length > LONGEST
  const text = isCut ? all.slice(0, LONGEST) : all
  return {
    path,
    section,
    role,
    kind,
    ...(name && { name }),
    text,
    ...(isCut && { cut: true }),
    tokens,
    bytes: bytesOf(segment),
    isNew,
    ...(marked && { marked }),
    reminders: marks(text, segment.reminders),
  }
}

/** What a person reads: words where there are any, else JSON with white space. */
function words(segment: Segment): string {
  const { kind, value } = segment
  const read = kind === "text" || kind === "system" || kind === "result" || kind === "reasoning"
  const text = read && !segment.hasMedia ? wordsOf(segment) : ""
  if (text !== "") return text
  return JSON.stringify(value, shortened, 2) ?? ""
}

/** Images and files are long and say nothing to a reader. */
function shortened(_: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length < 2_000 || /\s/.test(value.slice(0, 200))) return value
  return `${value.slice(0, 40)}… (${value.length} characters)`
}

/** The UTF-8 bytes of its JSON, cache markers aside. */
export function bytesOf({ value }: Segment): number {
  return utf8Length(
    JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner)) ?? "",
  )
}

function marks(text: string, reminders: readonly Found[]): readonly MarkedReminder[] {
  let from = 0
  return reminders.map(({ kind, text: full, tokens }) => {
    const words = redact(full)
    const start = text.indexOf(words, from)
    if (start < 0) return { kind, text: words, tokens }
    from = start + words.length
    return { kind, text: words, tokens, start, end: from }
  })
}
