import type { Finding, Report, ThreadReport } from "@sotto/lens"
import { countBreaks } from "../traffic/gates.js"
import { counted, dollars, percent, whole } from "./figures.js"

export function summaryOf(report: Report): string {
  const { threads } = report
  const calls = threads.reduce((sum, thread) => sum + thread.calls, 0)
  if (calls === 0) return "There is no call to a model in it."
  const breaks = countBreaks(report)
  const lost = threads.flatMap((thread) => thread.breaks).reduce((sum, { lostTokens }) => sum + lostTokens, 0)
  const cost = costOf(report)
  const broke =
    breaks === 0
      ? "No break: every call continues the one before it."
      : `${counted(breaks, "break")} of the prompt cache: ${whole(lost)} tokens that had been sent before were processed again${cost}.`
  return `${counted(calls, "call")} in ${counted(threads.length, "thread")}. ${broke}${reminders(threads)}`
}

function costOf({ findings, threads }: Report): string {
  const costs = findings.filter(({ id }) => id === "avoidable-cost")
  const money = costs.reduce((sum, finding) => sum + (finding.money ?? 0), 0)
  if (money === 0) return ""
  const relatives = costs.flatMap(({ thread, assumed }) => {
    const model = threads.find(({ id }) => id === thread)?.model
    return assumed === undefined ? [] : [`${model} is priced like ${assumed}`]
  })
  const why = relatives.length === 0 ? "" : ` (${[...new Set(relatives)].join(", ")})`
  return `, which cost ${why && "about "}${dollars(money)} extra${why}`
}

function reminders(threads: readonly ThreadReport[]): string {
  const sent = threads.reduce((sum, { tokens }) => sum + tokens.sent, 0)
  const share = threads.reduce((sum, thread) => sum + shareOf(thread) * (thread.tokens.sent / (sent || 1)), 0)
  return share === 0 ? "" : ` Reminders are ${percent(share)} of what was sent.`
}

function shareOf({ reminders }: ThreadReport): number {
  return reminders.reduce((sum, { share }) => sum + share, 0)
}

const RANK = { error: 0, warning: 1, note: 2 } as const

/**
 * Sorts by what they cost, then by how serious they are. What a thread's breaks cost together is told with the thread.
 */
export function byCost(findings: readonly Finding[]): readonly Finding[] {
  return findings
    .filter(({ id }) => id !== "avoidable-cost")
    .toSorted(
      (a, b) =>
        (b.money ?? 0) - (a.money ?? 0) ||
        (b.tokens ?? 0) - (a.tokens ?? 0) ||
        RANK[a.severity] - RANK[b.severity],
    )
}

/** Writes "215,442 tokens, $0.24", or "about $0.24" if the price of the model is assumed. */
export function priceTag({ tokens, money, assumed }: Finding): string {
  return [
    ...(tokens === undefined ? [] : [counted(Math.round(tokens), "token")]),
    ...(money === undefined ? [] : [assumed === undefined ? dollars(money) : `about ${dollars(money)}`]),
  ].join(", ")
}

export function purposeOf({ purpose, parent }: ThreadReport): string {
  const from = parent === undefined ? "" : ` of thread ${parent}`
  if (purpose === "main") return "conversation"
  return `${purpose === "other" ? "side call" : purpose}${from}`
}

export function tokensLine({ tokens, calls }: ThreadReport): string {
  const { sent, read, written, missed, reported } = tokens
  if (sent === 0) return "Nothing is known of its tokens."
  // A thread of one call has nothing to read.
  if (calls === 1 && read + written === 0) return `${whole(sent)} tokens sent.`
  const by = reported ? "as the provider reports" : "as the provider's rules predict"
  const more = [
    ...(written > 0 ? [`${whole(written)} written to it`] : []),
    ...(missed > 0 ? [`${whole(missed)} missed although they had been sent before`] : []),
  ]
  return `${whole(sent)} tokens sent, ${by}: ${[`${percent(read / sent)} read from the cache`, ...more].join(", ")}.`
}
