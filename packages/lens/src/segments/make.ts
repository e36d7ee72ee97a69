import { estimateTokens } from "@sotto/core"
import { Fingerprint } from "@sotto/core/cache"
import { exactJson } from "./json.js"
import { isOnlyReminders, remindersIn } from "./reminders/recognise.js"
import type { Segment, Slot } from "./segment.js"
import { hasMedia } from "./words.js"

/** What an image costs, about: its bytes say nothing about its tokens. */
const MEDIA_TOKENS = 1_600
const LONGEST_DATA = 1_024

export function segmentOf(slot: Slot): Segment {
  const json = exactJson(slot.value, slot.marked === true)
  const reminders = remindersIn(slot)
  const media = hasMedia(slot.value)
  return {
    ...slot,
    hash: new Fingerprint().add(slot.role).add(json).toString(),
    tokens: media ? mediaTokens(slot.value) : estimateTokens(slot.role + json),
    hasMedia: media,
    reminders,
    isReminder: isOnlyReminders(slot, reminders),
  }
}

function mediaTokens(value: unknown): number {
  let media = 0
  const rest = JSON.stringify(value, (_, inner) => {
    if (typeof inner !== "string" || inner.length <= LONGEST_DATA || /\s/.test(inner.slice(0, 200)))
      return inner
    media++
    return ""
  })
  return estimateTokens(rest) + media * MEDIA_TOKENS
}
