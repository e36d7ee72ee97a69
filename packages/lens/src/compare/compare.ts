import type { HttpDialectName } from "../call.js"
import type { Cause } from "../report.js"
import { canonicalJson } from "../segments/json.js"
import { isDocumented } from "../segments/parameters.js"
import { LAST_STEP } from "../segments/reminders/shapes.js"
import { SECTIONS, type Section, type Segment } from "../segments/segment.js"
import { type Snapshot, tokensIn } from "../segments/snapshot.js"
import { wordsOf } from "../segments/words.js"
import { causeOf } from "./cause.js"
import { detailOf } from "./detail.js"
import { type Comparison, compareMessages, type Edit } from "./edits.js"
import { partnersIn, systemDifference, toolDifference } from "./lists.js"
import { type Relation, relationOf } from "./relation.js"
import { commonStart } from "./similar.js"

const SUMMARY =
  /\bsummar(?:y|ies|i[sz]ed?|i[sz]ing)\b|\bcompact(?:ed|ion)\b|\bcontinued from\b|previous conversation|conversation so far|earlier (?:in the )?conversation|state_snapshot|hand-?off|did (?:we|you) do so far|context so far/i

/** Less of the conversation than this may be dropped for other reasons. */
const MOST = 0.3
const FEWEST = 4

/** True if a stretch of the conversation gave way to a summary of it. */
function isCompaction(
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

/** What each API calls the choice of tools. */
const TOOL_CHOICE: readonly string[] = ["tool_choice", "toolConfig"]

/**
 * True if a call forbids tools and says why: the turn has no steps left. A harness does that on purpose, for one call, and
 * the cache of the calls before it is still there for the next turn.
 */
function isLastOfTurn({ sections }: Snapshot): boolean {
  const choice = sections.parameters.find(({ path }) => TOOL_CHOICE.includes(path))
  return choice !== undefined && forbidsTools(choice) && newest(sections.messages).some(saysLast)
}

function forbidsTools({ value }: Segment): boolean {
  return /"none"/i.test(JSON.stringify(value))
}

function newest(messages: readonly Segment[]): readonly Segment[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === "assistant" || role === "model") + 1)
}

/** Searches the texts of the reminders: one reminder may say several things, so its kind does not tell. */
function saysLast({ reminders }: Segment): boolean {
  return reminders.some(({ text }) => LAST_STEP.test(text))
}

/** The first place where a call differs from the one before it in its thread. */
export interface Difference {
  readonly section: Section
  /** Its place in the new list of that section. */
  readonly at: number
  readonly path: string
  readonly cause: Cause
  readonly detail: string
  readonly lostTokens: number
  readonly old?: Segment
  readonly now?: Segment
}

export interface Compared {
  readonly relation: Relation
  readonly difference?: Difference
  /** Tokens that are processed again because the last call of a turn forbids tools. That is on purpose, and no break. */
  readonly lostToLastCall?: number
}

export function compare(old: Snapshot, now: Snapshot): Compared {
  const messages = compareMessages(old.sections.messages, now.sections.messages)
  const isCompacted =
    messages.edits.length > 0 && isCompaction(old.sections.messages, now.sections.messages, messages)
  const relation = relationOf(old, now, messages, isCompacted)
  if (relation === "unrelated" || relation === "branch") return { relation }
  const isWithheld = ({ path }: Place) =>
    TOOL_CHOICE.includes(path) && (isLastOfTurn(now) || isLastOfTurn(old))
  const all = differences(old, now, messages, isCompacted)
  const [first, ...others] = all.filter((place) => !isWithheld(place))
  if (first === undefined) {
    const [withheld] = isLastOfTurn(now) ? all : []
    return withheld === undefined
      ? { relation }
      : { relation, lostToLastCall: Math.round(lostFrom(withheld, old, now, messages)) }
  }
  const also = [...new Set(others.map(({ cause }) => cause))].filter((cause) => cause !== first.cause)
  const detail =
    also.length > 0 ? `${first.detail}; further on in the same call: ${also.join(", ")}` : first.detail
  const lostTokens = Math.round(lostFrom(first, old, now, messages))
  return { relation, difference: { ...first, detail, lostTokens } }
}

/** In place of a position: the provider has nothing to process again because of this. */
const NOTHING_LOST = -1

type Place = Omit<Difference, "lostTokens">

/** Finds the first difference of each section, in the order in which the cache reads them. */
function differences(
  old: Snapshot,
  now: Snapshot,
  messages: Comparison,
  isCompacted: boolean,
): readonly Place[] {
  const found = SECTIONS.flatMap((section): readonly Place[] => {
    const before = old.sections[section]
    const after = now.sections[section]
    switch (section) {
      case "key":
      case "parameters":
        return parameterDifference(before, after, section, now.dialect)
      case "tools":
        return listed(toolDifference(before, after), section)
      case "system":
        return listed(systemDifference(before, after), section)
      case "messages":
        return messageDifferences(old, now, messages, isCompacted)
    }
  })
  if (found.length > 0) return found
  return [...rewritten(old, now), ...respaced(old, now)]
}

function listed(found: ReturnType<typeof toolDifference>, section: Section): readonly Place[] {
  if (found === undefined) return []
  const { at, old, now, cause, detail } = found
  const path = now?.path ?? old?.path ?? section
  return [{ section, at, path, cause, detail, ...(old && { old }), ...(now && { now }) }]
}

function parameterDifference(
  old: readonly Segment[],
  now: readonly Segment[],
  section: Section,
  dialect: HttpDialectName,
): readonly Place[] {
  const names = [...new Set([...old, ...now].map(({ path }) => path))]
  return names.flatMap((path): readonly Place[] => {
    const before = old.find((one) => one.path === path)
    const after = now.find((one) => one.path === path)
    if (before?.hash === after?.hash) return []
    const isSame = before && after && canonicalJson(before.value) === canonicalJson(after.value)
    const isKnown = dialect === "anthropic" || isDocumented(path)
    const say = (one: Segment | undefined) => (one ? JSON.stringify(one.value) : "not set")
    return [
      {
        section,
        at: isKnown ? 0 : NOTHING_LOST,
        path,
        cause: isSame ? "serialisation" : "parameter-changed",
        detail: `${path} changed from ${say(before)} to ${say(after)}${isKnown ? "" : "; whether the provider's cache depends on it is not documented"}`,
        ...(before && { old: before }),
        ...(after && { now: after }),
      },
    ]
  })
}

function messageDifferences(
  old: Snapshot,
  now: Snapshot,
  { edits }: Comparison,
  isCompacted: boolean,
): readonly Place[] {
  const after = now.sections.messages
  const places = edits.map((edit): Place => {
    const segment = segmentAt(edit, old, now)
    const cause = causeOf(edit, after)
    return {
      section: "messages",
      at: edit.at,
      path: segment.path,
      cause,
      detail: detailOf(cause, edit),
      ...("old" in edit && { old: edit.old }),
      ...("now" in edit && edit.type !== "moved" && { now: edit.now }),
    }
  })
  const [first] = places
  if (!isCompacted || first === undefined) return places
  const replacement = after[first.at]
  const detail = "the conversation so far gave way to a summary of it"
  return [{ ...first, cause: "compacted", detail, ...(replacement && { now: replacement }) }]
}

/** Gives what stands now where the difference is. If nothing does, gives what stood there before. */
function segmentAt(edit: Edit, old: Snapshot, now: Snapshot): Segment {
  if (edit.type === "changed" || edit.type === "inserted") return edit.now
  return now.sections.messages[edit.at] ?? edit.old ?? old.sections.messages[0]
}

/** Finds a text that is now a list of blocks and was a string before, or the reverse. A marker needs the list. */
function rewritten(old: Snapshot, now: Snapshot): readonly Place[] {
  for (const section of ["system", "messages"] as const) {
    const before = old.sections[section]
    const at = now.sections[section].findIndex((one, i) => {
      const other = before[i]
      if (other === undefined || Boolean(other.bare) === Boolean(one.bare)) return false
      return !one.marked && !other.marked
    })
    const one = now.sections[section][at]
    const other = before[at]
    if (one === undefined || other === undefined) continue
    const detail = one.bare
      ? "a list of one text became a string; the words are the same"
      : "a string became a list of one text; the words are the same"
    return [{ section, at, path: one.path, cause: "serialisation", detail, old: other, now: one }]
  }
  return []
}

function respaced(old: Snapshot, now: Snapshot): readonly Place[] {
  if (old.spacing === "" || now.spacing === "" || old.spacing === now.spacing) return []
  const detail = "only the white space of the JSON changed; providers read the same prompt"
  return [{ section: "key", at: NOTHING_LOST, path: "body", cause: "serialisation", detail }]
}

/** Tokens of what was sent before and stands after the difference: the provider has to process them again. */
function lostFrom(first: Place, old: Snapshot, now: Snapshot, messages: Comparison): number {
  if (first.at === NOTHING_LOST) return 0
  const start = SECTIONS.indexOf(first.section)
  return SECTIONS.slice(start).reduce((sum, section, i) => {
    const before = old.sections[section]
    const after = now.sections[section]
    if (section === "key" || section === "parameters") return sum
    const partners = section === "messages" ? messages.partners : partnersIn(before, after)
    const from = i === 0 ? first.at : 0
    return after.reduce((inner, one, j) => {
      const partner = j < from ? undefined : before[partners[j] ?? -1]
      if (partner === undefined) return inner
      const kept = i === 0 && j === from ? keptOf(partner, one, now.dialect) : 0
      return inner + Math.min(one.tokens, partner.tokens) * (1 - kept)
    }, sum)
  }, 0)
}

/**
 * Gives the share of a changed segment that is still read: Anthropic caches whole blocks, the others tokens from the
 * start.
 */
function keptOf(old: Segment, now: Segment, dialect: HttpDialectName): number {
  if (dialect === "anthropic") return 0
  const [before, after] = [JSON.stringify(old.value), JSON.stringify(now.value)]
  return commonStart(before, after) / Math.max(1, Math.min(before.length, after.length))
}
