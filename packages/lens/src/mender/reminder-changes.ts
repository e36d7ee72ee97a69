import type { FoundReminder, Segment } from "../segments/segment.js"
import { beginningOf, changeOf, type Statement } from "./statement.js"

/** A reminder of a request, and where it stands. */
interface Standing {
  readonly found: FoundReminder
  readonly authority: "system" | "user"
  /** True if it stands in what goes out for the first time. */
  readonly isNew: boolean
}

/** What became of the reminders of a thread between two of its requests. */
export interface ReminderChanges {
  readonly statements: readonly Statement[]
  /** Reminders in the new part that have been sent already, by hash: what stands there instead. */
  readonly repeated: ReadonlyMap<string, string>
}

/** Shorter ones are repeated as they are: a note would not be shorter. */
const WORTH_A_NOTE = 300

/**
 * Compares the reminders of two requests as a whole, wherever they stand. `wasSaid` tells whether the model has seen a
 * reminder at all, `isWanted` whether it is to see it.
 */
export function remindingOf(
  old: readonly Segment[],
  now: readonly Segment[],
  isNew: (index: number) => boolean,
  wasSaid: (hash: string) => boolean,
  isWanted: (found: FoundReminder) => boolean,
): ReminderChanges {
  const before = standing(old, () => false)
  const after = standing(now, isNew)
  const inOld = after.filter((one) => !one.isNew)
  const inNew = after.filter((one) => one.isNew)
  const [held, holding, kept] = [before, after, inOld].map(countsOf)
  const count = (counts: ReadonlyMap<string, number> | undefined, hash: string) => counts?.get(hash) ?? 0
  const texts = [...before, ...after].map(({ found }) => found.text)

  const gone = distinct(before).filter(({ found }) => count(holding, found.hash) === 0 && wasSaid(found.hash))
  const come = distinct(inOld).filter(({ found }) => count(held, found.hash) === 0 && isWanted(found))
  const replaced = new Map<Standing, Standing>()
  for (const one of come) {
    const former = gone.find(
      (other) => other.found.kind === one.found.kind && ![...replaced.values()].includes(other),
    )
    if (former !== undefined) replaced.set(one, former)
  }
  const withdrawn = gone.filter((one) => ![...replaced.values()].includes(one))
  const repeated = new Map<string, string>()
  for (const { found } of distinct(inNew)) {
    const hasMoved = count(held, found.hash) > count(kept, found.hash)
    if (hasMoved && wasSaid(found.hash) && found.text.length > WORTH_A_NOTE)
      repeated.set(
        found.hash,
        `The reminder above that begins "${beginningOf(found.text, texts)}" still holds, as if it stood here.`,
      )
  }
  return {
    statements: [
      ...withdrawn.map((one) => withdrawal(one, texts)),
      ...come.map((one) => arrival(one, replaced.get(one), texts)),
    ],
    repeated,
  }
}

function standing(segments: readonly Segment[], isNew: (index: number) => boolean): readonly Standing[] {
  return segments.flatMap(({ reminders, role }, i) =>
    reminders.map((found) => ({
      found,
      authority: role === "system" || role === "developer" ? ("system" as const) : ("user" as const),
      isNew: isNew(i),
    })),
  )
}

function countsOf(list: readonly Standing[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { found } of list) counts.set(found.hash, (counts.get(found.hash) ?? 0) + 1)
  return counts
}

function distinct(list: readonly Standing[]): readonly Standing[] {
  const seen = new Set<string>()
  return list.filter(({ found: { hash } }) => !seen.has(hash) && Boolean(seen.add(hash)))
}

function withdrawal({ found, authority }: Standing, texts: readonly string[]): Statement {
  const line = `The reminder above that begins "${beginningOf(found.text, texts)}" is withdrawn: it no longer holds.`
  return { line, authority, about: `the withdrawal of a reminder (${found.kind})` }
}

function arrival(one: Standing, former: Standing | undefined, texts: readonly string[]): Statement {
  const { found } = one
  const about = `a reminder (${found.kind})`
  // A line that quotes what a user or a tool may have written has no more authority than that.
  const authority = former?.authority === "user" ? "user" : one.authority
  const verbatim = one.authority === "user"
  if (former === undefined)
    return { line: "One more reminder holds now:", body: found.text, verbatim, authority, about }
  const begins = `The reminder above that begins "${beginningOf(former.found.text, texts)}"`
  const { how, body } = changeOf(former.found.text, found.text)
  if (body === found.text)
    return { line: `${begins} no longer holds. This one holds instead:`, body, verbatim, authority, about }
  return { line: `${begins} has changed. ${how}`, body, authority, about }
}
