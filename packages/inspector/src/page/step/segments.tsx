import { useState } from "preact/hooks"
import type { MarkedReminder, PageSegment, ToldReminder } from "../../contract.js"
import { Badge, hueOf, KindName } from "../shell/parts.js"
import { short, whole } from "../text/figures.js"
import { Text } from "../text/text.js"

/** Longer texts begin folded. */
const FOLDED = 1_200

interface SegmentsProps {
  readonly segments: readonly PageSegment[]
  /** The place of the first one in the request. */
  readonly from: number
  /** How many from the start of the request are as they were. */
  readonly unchanged?: number
  /** The path to bring into view. */
  readonly at?: string
  readonly onWhole?: (path: string) => Promise<string>
  /** Told of each reminder, by its place in the list of reminders of the request. */
  readonly onReminder?: (reminder: MarkedReminder) => void
}

/** Segments of a request in the order in which the provider reads them. */
export function Segments({ segments, from, unchanged, at, onWhole, onReminder }: SegmentsProps) {
  return (
    <ol class="segments" start={from + 1}>
      {segments.map((segment, i) => (
        <Segment
          key={`${from + i}:${segment.path}`}
          segment={segment}
          isAgain={!segment.isNew && unchanged !== undefined && from + i >= unchanged}
          isWanted={segment.path === at}
          {...(onWhole && { onWhole })}
          {...(onReminder && { onReminder })}
        />
      ))}
    </ol>
  )
}

interface SegmentProps {
  readonly segment: PageSegment
  /** Sent before, but behind the first change: the provider processes it again. */
  readonly isAgain: boolean
  readonly isWanted: boolean
  readonly onWhole?: (path: string) => Promise<string>
  readonly onReminder?: (reminder: MarkedReminder) => void
}

function Segment({ segment, isAgain, isWanted, onWhole, onReminder }: SegmentProps) {
  const [isOpen, setOpen] = useState(isWanted)
  const [whole_, setWhole] = useState<string | undefined>(undefined)
  const { path, role, kind, name, tokens, bytes, isNew, marked, cut, reminders } = segment
  const text = whole_ ?? segment.text
  const isLong = text.length > FOLDED && kind !== "text"
  const shown = isLong && !isOpen ? text.slice(0, FOLDED) : text
  const state = isNew ? "new" : isAgain ? "again" : "old"
  return (
    <li
      class={`segment ${state} s-${roleClass(segment)}`}
      id={`segment-${path}`}
      ref={(element) => {
        if (isWanted && element) element.scrollIntoView({ block: "center" })
      }}
    >
      <header>
        <span class={`role role-${roleClass(segment)}`}>{roleWord(segment)}</span>
        {name && (
          <code class="name">
            <Text value={name} />
          </code>
        )}
        {isNew && <Badge tone="good">new</Badge>}
        {isAgain && <Badge tone="bad">processed again</Badge>}
        {marked && <Badge tone="accent">cache marker</Badge>}
        <span class="grow" />
        <span class="quiet" title={`${whole(bytes)} bytes`}>
          {short(tokens)} tokens
        </span>
        <code class="quiet path">
          <Text value={path} />
        </code>
      </header>
      <div class="segment-text">
        {parts(shown, reminders).map((part, i) =>
          part.reminder === undefined ? (
            <Text key={i} value={part.text} />
          ) : (
            <Told key={i} reminder={part.reminder} text={part.text} onPick={onReminder} />
          ),
        )}
      </div>
      {isLong && (
        <button type="button" class="link" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          {isOpen ? "Show less" : `Show all ${whole(text.length)} characters`}
        </button>
      )}
      {cut && whole_ === undefined && onWhole && (!isLong || isOpen) && (
        <button type="button" class="link" onClick={() => void onWhole(path).then(setWhole)}>
          The text goes on. Fetch all of it
        </button>
      )}
      {role === "" ? null : <span class="visually-hidden">said by {role}</span>}
    </li>
  )
}

function Told({
  reminder,
  text,
  onPick,
}: {
  readonly reminder: MarkedReminder
  readonly text: string
  readonly onPick: ((reminder: MarkedReminder) => void) | undefined
}) {
  return (
    <span class={`told hue-${hueOf(reminder.kind)}`}>
      <span class="told-head">
        <KindName kind={reminder.kind} />
        <span>{short(reminder.tokens)} tokens</span>
        {onPick && (
          <button type="button" class="link" onClick={() => onPick(reminder)}>
            why
          </button>
        )}
      </span>
      <Text value={text} />
    </span>
  )
}

interface Part {
  readonly text: string
  readonly reminder?: MarkedReminder
}

function parts(text: string, reminders: readonly MarkedReminder[]): readonly Part[] {
  const found: Part[] = []
  let at = 0
  for (const reminder of reminders) {
    const { start, end } = reminder
    if (start === undefined || end === undefined || start < at || start >= text.length) continue
    if (start > at) found.push({ text: text.slice(at, start) })
    found.push({ text: text.slice(start, end), reminder })
    at = end
  }
  if (at < text.length) found.push({ text: text.slice(at) })
  return found
}

/** Segments whose reminders bear the kinds of the rules that told them, where the session knows: the rest is recognition. */
export function withKinds(
  segments: readonly PageSegment[],
  told: readonly Pick<ToldReminder, "kind" | "text">[] = [],
): readonly PageSegment[] {
  if (told.length === 0) return segments
  return segments.map((segment) => {
    if (!segment.isNew || segment.reminders.length === 0) return segment
    const reminders = segment.reminders.map((reminder) => {
      const known = told.find(({ text }) => text !== "" && reminder.text.includes(text.trim()))
      return known ? { ...reminder, kind: known.kind } : reminder
    })
    return { ...segment, reminders }
  })
}

function roleClass({ section, kind, role }: PageSegment): string {
  if (section === "tools") return "tools"
  if (section === "system" || role === "system" || role === "developer") return "system"
  if (kind === "reasoning") return "reasoning"
  if (kind === "call") return "calls"
  if (kind === "result") return "results"
  if (kind === "media") return "media"
  return role === "assistant" || role === "model" ? "assistant" : "user"
}

function roleWord(segment: PageSegment): string {
  switch (roleClass(segment)) {
    case "tools":
      return "tool"
    case "calls":
      return "call"
    case "results":
      return "result"
    case "system":
      return segment.role || "system"
    default:
      return segment.kind === "reasoning" ? "reasoning" : segment.role || segment.kind
  }
}
