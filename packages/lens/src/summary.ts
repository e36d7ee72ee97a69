import type { SourceFormat } from "./call.js"
import { breakFindings, bySeverityAndCost } from "./findings/findings.js"
import type { Notebook } from "./findings/notebook.js"
import { findingKind } from "./findings/table.js"
import type { Prices } from "./money/prices.js"
import type { SiblingProblem } from "./problems/siblings.js"
import {
  type Break,
  type Finding,
  figure,
  type Report,
  type ThreadReport,
  type ThreadTokens,
} from "./report.js"
import { ReminderCounter } from "./threads/reminder-counter.js"
import type { Strand } from "./threads/strand.js"
import { type Thread, threadsOf } from "./threads/threads.js"

export type Sources = Map<
  string,
  { format: SourceFormat | undefined; seen: "bodies" | "calls"; calls: number }
>

/** Puts the report together. Changes nothing, so that more calls may follow. */
export function reportOf(
  sources: Sources,
  strands: readonly Strand[],
  notebook: Notebook,
  prices: Prices | undefined,
): Report {
  const threads = threadsOf(strands)
  const reports = threads.map((thread) => threadReport(thread))
  const noted = notebook.all().map(({ finding, strand, call }): Finding => {
    const thread = threads.find(({ strands }) => strand !== undefined && strands.includes(strand))
    if (thread === undefined || strand === undefined) return finding
    return {
      ...finding,
      thread: thread.id,
      ...(call !== undefined && { call: call + callsBefore(thread, strand) }),
    }
  })
  const findings = [
    ...noted,
    ...reports.flatMap((report) => breakFindings(report, prices)),
    ...threads.flatMap((thread) => habitFindings(thread)),
  ]
  return {
    version: 1,
    sources: [...sources].map(([name, { format, seen, calls }]) => ({ name, format: format ?? seen, calls })),
    threads: reports,
    findings: findings.sort(bySeverityAndCost),
  }
}

function threadReport(thread: Thread): ThreadReport {
  const { id, strands, calls, purpose, parent } = thread
  // A thread has at least the strand that it was made from.
  const [first] = strands as readonly [Strand, ...Strand[]]
  return {
    id,
    source: first.source,
    dialect: first.dialect,
    model: first.model,
    calls,
    purpose,
    ...(parent !== undefined && { parent }),
    tokens: tokensOf(strands),
    reminders: tallyOf(strands).rows(),
    breaks: strands.flatMap((strand) => strand.breaks.map((one) => renumbered(one, thread, strand))),
  }
}

function renumbered(one: Break, thread: Thread, strand: Strand): Break {
  return { ...one, call: one.call + callsBefore(thread, strand) }
}

function callsBefore({ strands }: Thread, strand: Strand): number {
  return strands.slice(0, strands.indexOf(strand)).reduce((sum, { calls }) => sum + calls, 0)
}

function tokensOf(strands: readonly Strand[]): ThreadTokens {
  const total = (name: keyof Strand["sums"]) => strands.reduce((sum, { sums }) => sum + sums[name], 0)
  const answered = total("answered")
  return {
    sent: total("sent"),
    read: total("read"),
    written: total("written"),
    missed: total("missed"),
    reported: answered > 0 && total("reported") === answered,
  }
}

function tallyOf(strands: readonly Strand[]): ReminderCounter {
  const tally = new ReminderCounter()
  for (const strand of strands) tally.join(strand.tally)
  return tally
}

/** A thread that is long enough for a cache to matter. */
const LONG = 2_048

function habitFindings(thread: Thread): readonly Finding[] {
  const { id, strands, calls } = thread
  const found = (kind: string, message: string, tokens?: number): Finding => {
    const { severity, remedy } = findingKind(kind)
    return { id: kind, severity, thread: id, message, remedy, ...(tokens !== undefined && { tokens }) }
  }
  const repeated = tallyOf(strands).repeated
  const sent = strands.reduce((sum, { sums }) => sum + sums.sent, 0)
  const isUnmarked = strands.every(
    ({ dialect, entries, isPartial }) => dialect === "anthropic" && entries.length === 0 && !isPartial,
  )
  return [
    ...siblingFindings(thread),
    ...(repeated === undefined
      ? []
      : [
          found(
            "repeated-reminder",
            `The same reminder (${repeated.kind}) stands ${repeated.times} times in one request.`,
            repeated.tokens,
          ),
        ]),
    ...(isUnmarked && calls > 1 && sent / calls >= LONG
      ? [
          found(
            "markers-missing",
            "No request of this thread has a cache marker, so each is processed in full.",
          ),
        ]
      : []),
  ]
}

const SIBLINGS: Readonly<Record<SiblingProblem, (times: number) => string>> = {
  "reminder-after-result": (times) => (times === 1 ? "A reminder follows" : `${times} reminders follow`),
  "text-after-result": (times) =>
    times === 1 ? "A text that is no reminder follows" : `${times} texts that are no reminders follow`,
}

/** Finds text behind tool results: one finding for reminders, and one for everything else. */
function siblingFindings(thread: Thread): readonly Finding[] {
  return (Object.keys(SIBLINGS) as SiblingProblem[]).flatMap((problem): readonly Finding[] => {
    const counts = thread.strands.flatMap((strand) => {
      const count = strand.siblings.counts.get(problem)
      return count === undefined ? [] : [{ ...count, call: count.call + callsBefore(thread, strand) }]
    })
    const [first] = counts
    if (first === undefined) return []
    const total = (name: "times" | "tokens") => counts.reduce((sum, count) => sum + count[name], 0)
    const { severity, remedy } = findingKind(problem)
    const message = `${SIBLINGS[problem](total("times"))} tool results in the same message, about ${figure(total("tokens"))} tokens; the first in call ${first.call}, at ${first.path}.`
    return [
      {
        id: problem,
        severity,
        thread: thread.id,
        call: first.call,
        message,
        remedy,
        tokens: total("tokens"),
      },
    ]
  })
}
