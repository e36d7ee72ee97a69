import { withoutReminders } from "../segments/reminders/recognise.js"
import type { Segment } from "../segments/segment.js"
import { type Snapshot, tokensIn } from "../segments/snapshot.js"
import { wordsOf } from "../segments/words.js"
import type { Comparison } from "./edits.js"
import { similarity } from "./similar.js"

/**
 * How a call stands to the newest one of a thread. `extends`: the conversation was only added to. `continues`: it is the
 * same conversation with a change in it. `branch`: it shares a beginning, and then says something else.
 */
export type Relation = "extends" | "continues" | "branch" | "unrelated"

/** Less in common than this is a coincidence: many conversations say "continue". */
const ENOUGH = 0.3

export function relationOf(
  old: Snapshot,
  now: Snapshot,
  messages: Comparison,
  isCompacted: boolean,
): Relation {
  const isKin = alikeHeads(old, now)
  const sharesAll = messages.prefix > 0 && messages.prefix === old.sections.messages.length
  if (isKin && sharesAll) return "extends"
  const before = own(old)
  const after = own(now)
  if (before.length === 0 || after.length === 0)
    return before.length === after.length ? "extends" : "unrelated"
  if (isCompacted) return isKin ? "continues" : "unrelated"
  const shared = now.sections.messages.filter(
    (one, i) => !one.isReminder && (messages.partners[i] ?? -1) >= 0,
  )
  const hasReply = shared.some(({ role }) => role === "assistant" || role === "model")
  if (shared.length === 0 || (!isKin && !(hasReply && shared.length >= 3)))
    return isKin && onlyReminders(messages) ? "continues" : "unrelated"
  if (messages.edits.length === 0) return "extends"
  if (onlyReminders(messages)) return "continues"
  const sharesStart = now.sections.messages.slice(0, messages.prefix).some(({ isReminder }) => !isReminder)
  const certain = now.sections.messages.filter((one, i) =>
    isCertain(one, old.sections.messages[messages.partners[i] ?? -1]),
  )
  // Tasks are often worded alike, and side calls begin and end with the same words. What tells two conversations apart
  // is what the model answered: if none of it is shared, they are two, or the user went back and was answered anew.
  if (!certain.some(isWork)) {
    if (before.some(isWork) && after.some(isWork)) return sharesStart ? "branch" : "unrelated"
    if (!after.some(isWork) && !sharesStart && !sameBeginning(before[0], after[0])) return "unrelated"
  }
  const enough = Math.min(tokensIn(before), tokensIn(after)) * ENOUGH
  if (messages.goesOn) return sharesStart || tokensIn(certain) >= enough ? "continues" : "unrelated"
  if (wasAnswered(messages, now)) return "continues"
  return sharesStart ? "branch" : "unrelated"
}

/** True if it is the same segment, or the same call or result by its id, or a text that reads alike. */
function isCertain(now: Segment, old: Segment | undefined): boolean {
  if (old === undefined || now.isReminder) return false
  if (now.hash === old.hash || (now.name !== undefined && now.name === old.name)) return true
  // Another id, or none: calls of one tool always look alike, and so do results of one command.
  if (now.kind === "call" || now.kind === "result") return sameWithoutId(old, now)
  return similarity(wordsOf(old), wordsOf(now)) >= 0.5
}

function sameWithoutId(old: Segment, now: Segment): boolean {
  const text = (one: Segment) => {
    const json = JSON.stringify(one.value)
    return one.name === undefined ? json : json.replaceAll(JSON.stringify(one.name), '""')
  }
  return text(old) === text(now)
}

/** True for what the model said or did, and what its tools returned. */
export function isWork({ role, kind }: Segment): boolean {
  return (
    role === "assistant" || role === "model" || kind === "call" || kind === "result" || kind === "reasoning"
  )
}

/** Compares the first thing that was said, whatever the harness adds to it. */
function sameBeginning(old: Segment | undefined, now: Segment | undefined): boolean {
  if (old === undefined || now === undefined) return false
  const said = (one: Segment) => withoutReminders(wordsOf(one), one.reminders).trim()
  return old.hash === now.hash || (old.role === now.role && said(old) === said(now))
}

function own(snapshot: Snapshot): readonly Segment[] {
  return snapshot.sections.messages.filter(({ isReminder }) => !isReminder)
}

function onlyReminders({ edits }: Comparison): boolean {
  return (
    edits.length > 0 &&
    edits.every((edit) => {
      const one = "old" in edit ? edit.old : edit.now
      return one.isReminder || one.kind === "reasoning"
    })
  )
}

/**
 * True if what the user said is gone, and what the model answered to it is there: a message was taken out, which does
 * not make a new branch.
 */
function wasAnswered({ edits }: Comparison, now: Snapshot): boolean {
  const gone = edits.flatMap((edit) => (edit.type === "removed" ? [edit.old] : []))
  const isSaid = ({ role, kind }: Segment) => role !== "assistant" && role !== "model" && kind !== "result"
  const next = now.sections.messages.slice(edits[0]?.at ?? 0).find(({ isReminder }) => !isReminder)
  return gone.every(isSaid) && (next?.role === "assistant" || next?.role === "model")
}

/** True if tools or system prompt are the same or nearly so: another agent has others. */
function alikeHeads(old: Snapshot, now: Snapshot): boolean {
  const text = ({ sections }: Snapshot) => sections.system.map(wordsOf).join("\n")
  if (
    old.sections.system.length === now.sections.system.length &&
    old.sections.system.every((one, i) => one === now.sections.system[i])
  )
    return true
  const [before, after] = [text(old), text(now)]
  if (before === after) return true
  const tools = old.sections.tools
  const names = new Set(now.sections.tools.map(({ name }) => name))
  const kept = tools.filter(({ name }) => names.has(name)).length
  if (tools.length > 0 && kept * 2 >= Math.max(tools.length, names.size)) return true
  return similarity(before, after) >= 0.5
}
