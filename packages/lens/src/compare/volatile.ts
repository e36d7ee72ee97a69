import { align } from "./align.js"
import { commonStart } from "./similar.js"

const DATE =
  /\b\d{4}-\d{2}-\d{2}|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\b|\b(?:mon|tues?|wednes|thurs?|fri|satur|sun)(?:day)?\b|\b1[5-9]\d{8}(?:\d{3})?\b/i
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-|\b[0-9a-f]{10,}\b|\b(?=[A-Za-z_-]*\d)(?=[\w-]*[A-Za-z])[\w-]{12,}\b/i
const GIT = /\bgit\b|\bbranch\b|\bcommits?\b|^\s?(?:[MADRCU?!]{1,2}|\?\?) \S/im

/** The names of what varies between two wordings of the same text, for example "a date or time". */
export function volatileParts(before: string, after: string): readonly string[] {
  const names = changedLines(before, after).map(nameOf)
  return [...new Set(names.filter((name) => name !== undefined))]
}

interface Change {
  readonly old: string
  readonly now: string
  /** What stands around it: the line itself, and the heading it stands under. */
  readonly line: string
  readonly heading: string
}

function changedLines(before: string, after: string): readonly Change[] {
  const old = before.split("\n")
  const now = after.split("\n")
  const partners = align(old, now)
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
      changes.push({ ...middles(left[k] ?? "", right[k] ?? ""), line: right[k] ?? left[k] ?? "", heading })
    from = partner + 1
  }
  return changes
}

/** The part of a line that differs, out to the next white space on both sides. */
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

function nameOf({ old, now, line, heading }: Change): string | undefined {
  const either = old.trim() === "" ? now : old
  if (/billing/i.test(line)) return "a billing header"
  if (DATE.test(old) && DATE.test(now)) return "a date or time"
  if (/^\d+$/.test(old) && /^\d+$/.test(now)) return old.length > 15 ? "a random id" : "a counter"
  if (/\d/.test(old) && old.replaceAll(/\d+/g, "#") === now.replaceAll(/\d+/g, "#") && !ID.test(old))
    return "a counter"
  if (GIT.test(heading) || GIT.test(line)) return "git status"
  if (/skill/i.test(heading) || /skill/i.test(line)) return "a list of skills"
  if (ID.test(either) && (old === "" || now === "" || ID.test(now))) return "a random id"
  if (DATE.test(line) && /date|time|today/i.test(line)) return "a date or time"
  return undefined
}
