import { align } from "./align.js"
import { commonStart } from "./similar.js"

const DATE =
  /\b\d{4}-\d{2}-\d{2}|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b|\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b|\b(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?\b|\b1[5-9]\d{8}(?:\d{3})?\b/i
const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
/** A date that is written out: only its day or its year may differ between two wordings. */
const WRITTEN_DATE = new RegExp(
  `\\b\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}\\b|\\b${MONTH} \\d{1,2}(?:st|nd|rd|th)?\\b`,
  "i",
)
const DAY_OR_YEAR = /^(?:\d{1,2}(?:st|nd|rd|th)?|\d{4})[.,]?$/i
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-|\b[0-9a-f]{10,}\b|\b(?=[A-Za-z_-]*\d)(?=[\w-]*[A-Za-z])[\w-]{12,}\b/i
const GIT = /\bgit\b|\bbranch\b|\bcommits?\b|^\s?(?:[MADRCU?!]{1,2}|\?\?) \S/im

const FILES =
  /<(?:files|directories|file_tree|project_layout)\b|folder structure|directory (?:listing|structure|tree)|files in /i

/** Names what varies between two wordings of the same text, for example "a date or time". */
export function volatileParts(before: string, after: string): readonly string[] {
  return [...new Set(namesOf(before, after).filter((name) => name !== undefined))]
}

/** Names what varies for each changed line by itself; undefined where a line is nothing that is known to vary. */
export function namesOf(before: string, after: string): readonly (string | undefined)[] {
  return changedLines(before, after).map(nameOf)
}

interface Change {
  readonly old: string
  readonly now: string
  /** What stands around it: the line itself, and the heading it stands under. */
  readonly line: string
  readonly heading: string
  /** True if it stands in the text of an instruction file. */
  readonly instructs: boolean
}

/** How harnesses introduce the text of AGENTS.md and its kin inside of a system prompt. */
const INSTRUCTIONS =
  /^\s*(?:instructions? (?:from|in|of)\b|contents? of\b.*\.md\b|-+\s*context from\b|#{1,4} .*\b(?:AGENTS|CLAUDE|GEMINI|CONTEXT)(?:\.local)?\.md\b|# (?:claudeMd|project (?:context|instructions|memory))\b|<(?:instructions|user_instructions|project_instructions|memory|INSTRUCTIONS)\b)/i
const END_OF_INSTRUCTIONS =
  /^\s*(?:-+\s*end of context\b|<\/(?:instructions|user_instructions|project_instructions|memory)>|<env\b)/i

function instructing(lines: readonly string[]): readonly boolean[] {
  let inside = false
  return lines.map((line) => {
    if (END_OF_INSTRUCTIONS.test(line)) inside = false
    else if (INSTRUCTIONS.test(line)) inside = true
    return inside
  })
}

function changedLines(before: string, after: string): readonly Change[] {
  const old = before.split("\n")
  const now = after.split("\n")
  const partners = align(old, now)
  const [instructed, instructs] = [instructing(old), instructing(now)]
  const changes: Change[] = []
  let from = 0
  for (let i = 0; i <= now.length; i++) {
    const partner = i === now.length ? old.length : (partners[i] ?? -1)
    if (partner < 0) continue
    let start = i
    while (start > 0 && (partners[start - 1] ?? -1) < 0) start--
    const left = old.slice(from, partner)
    const right = now.slice(start, i)
    const heading = headingBefore(now, start)
    for (let k = 0; k < Math.max(left.length, right.length); k++)
      changes.push({
        ...middles(left[k] ?? "", right[k] ?? ""),
        line: right[k] ?? left[k] ?? "",
        heading,
        instructs: Boolean(k < right.length ? instructs[start + k] : instructed[from + k]),
      })
    from = partner + 1
  }
  return changes
}

/** Finds the part of a line that differs, out to the next white space on both sides. */
function middles(a: string, b: string): { readonly old: string; readonly now: string } {
  let start = commonStart(a, b)
  const limit = Math.min(a.length, b.length) - start
  let end = 0
  while (end < limit && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  while (start > 0 && /[\w:./-]/.test(a[start - 1] ?? "")) start--
  while (end > 0 && /[\w:./-]/.test(a[a.length - end] ?? "")) end--
  return { old: a.slice(start, a.length - end), now: b.slice(start, b.length - end) }
}

function headingBefore(lines: readonly string[], at: number): string {
  for (let i = at - 1; i >= 0 && i > at - 80; i--) {
    const line = lines[i] ?? ""
    if (/^\s*(?:#|<[a-z])|:\s*$/i.test(line)) return line
  }
  return ""
}

function nameOf({ old, now, line, heading, instructs }: Change): string | undefined {
  const either = old.trim() === "" ? now : old
  if (/billing/i.test(line)) return "a billing header"
  if (DATE.test(old) && DATE.test(now)) return "a date or time"
  if (WRITTEN_DATE.test(line) && DAY_OR_YEAR.test(old) && DAY_OR_YEAR.test(now)) return "a date or time"
  if (/^\d+$/.test(old) && /^\d+$/.test(now)) return old.length > 15 ? "a random id" : "a counter"
  if (/\d/.test(old) && old.replaceAll(/\d+/g, "#") === now.replaceAll(/\d+/g, "#") && !ID.test(old))
    return "a counter"
  if (GIT.test(heading) || GIT.test(line)) return "git status"
  if (/skill/i.test(heading) || /skill/i.test(line)) return "a list of skills"
  if (ID.test(either) && (old === "" || now === "" || ID.test(now))) return "a random id"
  if (DATE.test(line) && /date|time|today/i.test(line)) return "a date or time"
  if (instructs) return "instructions"
  if (FILES.test(heading)) return "a list of files"
  return undefined
}
