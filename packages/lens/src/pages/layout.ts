import { field, stringField, withoutMarkers } from "@sotto/core/dialect"
import { redact } from "@sotto/core/secrets"
import { utf8Length } from "../segments/locate.js"
import type { FoundReminder, Segment } from "../segments/segment.js"
import { wordsOf } from "../segments/words.js"
import type { MarkedReminder, PageSegment } from "./page.js"

/** The longest text that a page gets unasked. */
const LONGEST = 8_000

/** Describes a segment as a page shows it, without secrets. */
export function pageSegment(
  segment: Segment,
  isNew: boolean,
  isWhole: boolean,
  tools?: ReadonlyMap<string, string>,
): PageSegment {
  const { path, section, role, kind, tokens, marked } = segment
  const name = calledIn(segment)?.name ?? tools?.get(segment.name ?? "") ?? segment.name
  const all = redact(words(segment))
  const isCut = !isWhole && all.length > LONGEST
  const shown = isCut ? all.slice(0, LONGEST) : all
  return {
    path,
    section,
    role,
    kind,
    ...(name && { name }),
    text: shown,
    ...(isCut && { cut: true }),
    tokens,
    bytes: bytesOf(segment),
    isNew,
    ...(marked && { marked }),
    reminders: marks(shown, segment.reminders),
  }
}

/** Gives what a person reads: words where there are any, else JSON with white space. */
function words(segment: Segment): string {
  const { kind, value } = segment
  const read = kind === "text" || kind === "system" || kind === "result" || kind === "reasoning"
  const said = read && !segment.hasMedia ? wordsOf(segment) : ""
  if (said !== "") return said
  const called = calledIn(segment)
  if (called !== undefined) return JSON.stringify(called.input, shortened, 2) ?? ""
  return JSON.stringify(value, shortened, 2) ?? ""
}

/** Finds the tool that a segment calls, and with what: each dialect has its own place for it. */
export function calledIn({
  kind,
  value,
}: Segment): { readonly name: string; readonly input: unknown } | undefined {
  if (kind !== "call") return undefined
  const call = field(value, "function") ?? field(value, "functionCall") ?? value
  const name = stringField(call, "name")
  const input = field(call, "input") ?? field(call, "args") ?? field(call, "arguments")
  if (name === undefined || input === undefined) return undefined
  return { name, input: typeof input === "string" ? parsed(input) : input }
}

/** Arguments come as text, which a model may have written badly. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

/** Images and files are long and say nothing to a reader. */
function shortened(_: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length < 2_000 || /\s/.test(value.slice(0, 200))) return value
  return `${value.slice(0, 40)}… (${value.length} characters)`
}

/** Counts the UTF-8 bytes of the segment's JSON, cache markers aside. */
export function bytesOf({ value }: Segment): number {
  return utf8Length(withoutMarkers(value))
}

function marks(shown: string, reminders: readonly FoundReminder[]): readonly MarkedReminder[] {
  let from = 0
  return reminders.map(({ kind, text: full, tokens }) => {
    const words = redact(full)
    const start = shown.indexOf(words, from)
    if (start < 0) return { kind, text: words, tokens }
    from = start + words.length
    return { kind, text: words, tokens, start, end: from }
  })
}
