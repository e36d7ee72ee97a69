import { type Cause, figure } from "../report.js"
import type { Segment, SegmentKind } from "../segments/segment.js"
import { wordsOf } from "../segments/words.js"
import type { Edit } from "./edits.js"
import { volatileParts } from "./volatile.js"

/** Says in one clause what happened, for people. */
export function detailOf(cause: Cause, edit: Edit): string {
  const old = "old" in edit ? edit.old : undefined
  const now = "now" in edit ? edit.now : undefined
  const kinds = (now?.reminders.length ? now : old)?.reminders.map(({ kind }) => kind).join(", ")
  switch (cause) {
    case "reminder-inserted":
      return `a reminder (${kinds}) was inserted before what had been sent`
    case "reminder-moved":
      return `a reminder (${kinds}) moved from ${old?.path} to ${edit.type === "moved" ? now?.path : "another message"}`
    case "reminder-removed":
      return `a reminder (${old?.reminders.map(({ kind }) => kind).join(", ")}) that had been sent is gone`
    case "reminder-changed":
      return `a reminder (${kinds}) that had been sent has other words${varying(edit)}`
    case "result-masked":
      return `a tool result of ${figure(old?.tokens ?? 0)} tokens was replaced by one of ${figure(now?.tokens ?? 0)}`
    case "result-changed":
      return `a tool result changed${varying(edit)}`
    case "reasoning-removed":
      return "thinking that had been sent is gone"
    case "media-removed":
      return "an image or a file that had been sent is gone"
    case "message-inserted":
      return `${named(now)} was inserted before what had been sent`
    case "message-removed":
      return `${named(old)} that had been sent is gone`
    case "message-edited":
      return `${named(old)} that had been sent changed${varying(edit)}`
    case "serialisation":
      return "the same content is written differently: the order of keys, or white space inside of JSON"
    default:
      return cause
  }
}

function varying(edit: Edit): string {
  if (edit.type !== "changed") return ""
  const parts = volatileParts(wordsOf(edit.old), wordsOf(edit.now))
  return parts.length > 0 ? `: ${parts.join(" and ")}` : ""
}

const WORDS: Readonly<Record<SegmentKind, string>> = {
  parameter: "parameter",
  tool: "tool",
  system: "system prompt",
  text: "message",
  reasoning: "thinking",
  call: "tool call",
  result: "tool result",
  media: "image or file",
  other: "item",
}

function named(segment: Segment | undefined): string {
  if (segment === undefined) return "a message"
  const { kind, role } = segment
  const word = WORDS[kind]
  const article = /^[aeiou]/.test(word) ? "an" : "a"
  return kind === "text" && role !== "" ? `${article} ${word} of the ${role}` : `${article} ${word}`
}
