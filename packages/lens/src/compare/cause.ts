import type { Cause } from "../report.js"
import { canonicalJson } from "../segments/json.js"
import { withoutReminders } from "../segments/reminders/recognise.js"
import type { Segment } from "../segments/segment.js"
import { wordsOf } from "../segments/words.js"
import type { Edit } from "./edits.js"
import { commonStart } from "./similar.js"

/** Tells why a conversation differs at one place. */
export function causeOf(edit: Edit, now: readonly Segment[]): Cause {
  switch (edit.type) {
    case "moved":
      return "reminder-moved"
    case "inserted":
      return edit.now.isReminder ? "reminder-inserted" : "message-inserted"
    case "removed":
      if (edit.old.isReminder) return "reminder-removed"
      if (edit.old.kind === "reasoning") return "reasoning-removed"
      return edit.old.kind === "media" ? "media-removed" : "message-removed"
    case "changed":
      return causeOfChange(edit.old, edit.now, now)
  }
}

function causeOfChange(old: Segment, now: Segment, all: readonly Segment[]): Cause {
  if (old.role === now.role && canonicalJson(old.value) === canonicalJson(now.value)) return "serialisation"
  if (old.isReminder) return "reminder-changed"
  const about = aboutReminders(old, now, all)
  if (about !== undefined) return about
  if (old.hasMedia && !now.hasMedia) return "media-removed"
  if (lostReasoning(old, now)) return "reasoning-removed"
  if (old.kind === "result" && now.kind === "result")
    return isMasked(old, now) ? "result-masked" : "result-changed"
  return "message-edited"
}

/** Tells what became of the reminders, if two segments differ only in the reminders inside of them. */
function aboutReminders(old: Segment, now: Segment, all: readonly Segment[]): Cause | undefined {
  if (old.reminders.length === 0 && now.reminders.length === 0) return undefined
  const plain = (one: Segment) => withoutReminders(wordsOf(one), one.reminders).trim()
  if (plain(old) !== plain(now)) return undefined
  const gone = old.reminders.filter(({ text }) => !now.reminders.some((other) => other.text === text))
  const come = now.reminders.filter(({ text }) => !old.reminders.some((other) => other.text === text))
  if (gone.length === 0) return come.length === 0 ? undefined : "reminder-inserted"
  if (come.length > 0) return "reminder-changed"
  const isElsewhere = all.some(
    (one) => one !== now && one.reminders.some(({ text }) => gone.some((lost) => lost.text === text)),
  )
  return isElsewhere ? "reminder-moved" : "reminder-removed"
}

const SIGNATURES = ["thoughtSignature", "thought_signature", "signature", "encrypted_content"]

/** True if thinking was emptied, or a signature is gone from what it signs. */
function lostReasoning(old: Segment, now: Segment): boolean {
  const without = (value: unknown) =>
    JSON.stringify(value, (key, inner) => (SIGNATURES.includes(key) ? undefined : inner))
  const [before, after] = [JSON.stringify(old.value), JSON.stringify(now.value)]
  if (without(old.value) === without(now.value)) return after.length < before.length
  return old.kind === "reasoning" && wordsOf(now).trim() === "" && wordsOf(old).trim() !== ""
}

const PLACEHOLDER =
  /truncat|omitted|cleared|mask|removed|pruned|elided|placeholder|hidden|no longer|discarded|shortened|saved (?:to|in)|collapsed|\[\.\.\.\]|…/i

/** True if a result gave way to something shorter: a placeholder, or a part of itself. */
function isMasked(old: Segment, now: Segment): boolean {
  const before = wordsOf(old)
  const after = wordsOf(now)
  if (after.length >= before.length) return false
  if (after.length <= before.length / 2 || PLACEHOLDER.test(after)) return true
  return commonStart(before, after) >= after.length * 0.8
}
