import { estimateTokens } from "@sotto/core"
import { Fingerprint } from "@sotto/core/cache"
import type { FoundReminder, Slot } from "../segment.js"
import { textsOf } from "../words.js"
import { RESULT_TAGS, SHAPES, TAGS } from "./shapes.js"
import { tagged } from "./tags.js"

/** Names the kind of a text that speaks for the harness: by its tag, by a known shape, or else by its own. */
function kindOf(text: string, tag: string | undefined): string {
  const byTag = tag === undefined ? undefined : TAGS.get(tag)
  if (byTag !== undefined) return byTag
  const start = text.slice(0, 2_000)
  const known = SHAPES.find(({ says }) => says.test(start))
  if (known !== undefined) return known.kind
  if (tag !== undefined && !TAGS.has(tag)) return tag
  const shape = shapeOf(text)
  return shape === "" ? (tag ?? "system message") : shape
}

const WORDS = 6

/** Gives the first words, with what varies from one time to the next left out. */
function shapeOf(text: string): string {
  const plain = text
    .slice(0, 400)
    .replace(/<[^<>]{0,80}>/g, " ")
    .replace(/["'`“][^"'`”]{0,120}["'`”]/g, " … ")
    .trim()
  return plain
    .split(/\s+/)
    .slice(0, WORDS)
    .map((word) => (/[\d/\\]/.test(word) ? "…" : word))
    .join(" ")
    .replace(/(?:… ?){2,}/g, "… ")
    .trim()
}

interface Span {
  readonly tag: string | undefined
  readonly start: number
  readonly end: number
}

const NONE: readonly FoundReminder[] = []

export function remindersIn(
  slot: Pick<Slot, "section" | "role" | "kind" | "value">,
): readonly FoundReminder[] {
  if (slot.section !== "messages") return NONE
  switch (slot.role) {
    case "system":
    case "developer":
      return textsOf(slot).map((text) => found(text, tagOfWhole(text)))
    case "user":
    case "tool":
    case "function":
      return slot.kind === "result" || slot.kind === "text" ? spokenIn(slot) : NONE
    default:
      return NONE
  }
}

function spokenIn(slot: Pick<Slot, "kind" | "value">): readonly FoundReminder[] {
  const isResult = slot.kind === "result"
  const all = textsOf(slot).flatMap((text) => {
    const spans = isResult ? trailing(text) : spansOf(text)
    return spans.map(({ tag, start, end }) => found(text.slice(start, end), tag))
  })
  return all.length === 0 ? NONE : all
}

/**
 * Finds reminders in what a user says: tags of known harnesses, and tags at the start of a line that look like a
 * program's.
 */
function spansOf(text: string): readonly Span[] {
  const known = tagged(text, (tag) => TAGS.has(tag) || /[-_]/.test(tag))
  const spans = known.filter(({ tag, start }) => TAGS.has(tag) || startsLine(text, start))
  return spans.length === 0 ? untagged(text) : spans
}

/**
 * Finds only what is known to be a harness's: a guess would take words away from the user. Leaves `<instructions>` out,
 * because people write that tag into prompts of their own.
 */
export function knownSpans(text: string, isResult: boolean): readonly Span[] {
  if (isResult) return trailing(text)
  const whole = untagged(text)
  return whole.length > 0 ? whole : tagged(text, (tag) => TAGS.has(tag) && tag !== "instructions")
}

function untagged(text: string): readonly Span[] {
  return UNTAGGED.test(text.slice(0, 200)) ? [{ tag: undefined, start: 0, end: text.length }] : []
}

/** Words that harnesses say as the user, without any tag. */
const UNTAGGED =
  /^\s*(?:# AGENTS\.md instructions for|This is the Gemini CLI\. We are setting up|\[Request interrupted by user|\[TASK RESUMPTION\]|\[ERROR\] You did not use a tool|Here is the user's editor context)/

function startsLine(text: string, at: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, at - 40), at))
}

/**
 * Finds reminders at the end of a tool result, where the harness speaks last: what stands before other output came from
 * the tool.
 */
function trailing(text: string): readonly Span[] {
  const spans = tagged(text, (tag) => RESULT_TAGS.includes(tag))
  let end = text.trimEnd().length
  const kept: Span[] = []
  for (const span of [...spans].reverse()) {
    if (text.slice(span.end, end).trim() !== "") break
    kept.unshift(span)
    end = span.start
  }
  return kept
}

/** True if a text is nothing but reminders that count as the harness's words inside of a tool result too. */
export function holdsInResult(text: string): boolean {
  const [first] = trailing(text)
  return first !== undefined && text.slice(0, first.start).trim() === ""
}

function tagOfWhole(text: string): string | undefined {
  const [first] = tagged(text, () => true)
  return first !== undefined && first.start === 0 && TAGS.has(first.tag) ? first.tag : undefined
}

function found(text: string, tag: string | undefined): FoundReminder {
  return {
    kind: kindOf(text, tag),
    text,
    tokens: estimateTokens(text),
    hash: new Fingerprint().add(text).toString(),
  }
}

/** True if nothing is left of a segment without its reminders. */
export function isOnlyReminders(
  slot: Pick<Slot, "kind" | "value" | "role">,
  reminders: readonly FoundReminder[],
): boolean {
  if (reminders.length === 0 || slot.kind === "result") return false
  if (slot.role === "system" || slot.role === "developer") return true
  return withoutReminders(textsOf(slot).join("\n"), reminders).trim() === ""
}

/** Removes the reminders from a text. */
export function withoutReminders(text: string, reminders: readonly FoundReminder[]): string {
  return reminders.reduce((rest, reminder) => rest.replace(reminder.text, () => ""), text)
}
