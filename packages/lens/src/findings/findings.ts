import { extraCost, moneyFor, type Prices, ratesOf } from "../money/prices.js"
import { type Break, type Cause, type Finding, figure, type Severity, type ThreadReport } from "../report.js"
import { findingKind } from "./table.js"

/** Sums up the breaks of a thread: one finding for each cause, and one for what they cost together. */
export function breakFindings(thread: ThreadReport, prices: Prices | undefined): readonly Finding[] {
  const causes = [...new Set(thread.breaks.map(({ cause }) => cause))]
  const findings = causes.map((cause) => {
    const breaks = thread.breaks.filter((one) => one.cause === cause)
    return causeFinding(thread, cause, breaks, prices)
  })
  return [...findings, ...costFinding(thread, prices)]
}

function causeFinding(
  thread: ThreadReport,
  cause: Cause,
  breaks: readonly Break[],
  prices: Prices | undefined,
): Finding {
  const { severity, remedy } = findingKind(cause)
  const [first] = breaks
  const tokens = breaks.reduce((sum, { lostTokens }) => sum + lostTokens, 0)
  const price = prices?.(thread.model)
  const times = breaks.length === 1 ? "" : ` This happened ${breaks.length} times.`
  const at = first === undefined ? "" : ` (call ${first.call}, at ${first.segment})`
  return {
    id: cause,
    severity,
    thread: thread.id,
    ...(first && { call: first.call }),
    message: `${sentence(first?.detail ?? cause)}${at}.${times}`,
    remedy,
    tokens,
    ...(price && moneyFor(tokens, price)),
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function costFinding(thread: ThreadReport, prices: Prices | undefined): readonly Finding[] {
  const avoidable = thread.breaks.filter(({ cause }) => cause !== "compacted")
  const lost = avoidable.reduce((sum, { lostTokens }) => sum + lostTokens, 0)
  if (lost === 0) return []
  const { sent, read, written } = thread.tokens
  const rates = ratesOf(thread.dialect, thread.model)
  const all = Math.max(0, sent - read - written) + read * rates.cacheRead + written * rates.cacheWrite
  const extra = Math.min(all, extraCost(lost, rates))
  const price = prices?.(thread.model)
  const { severity, remedy } = findingKind("avoidable-cost")
  return [
    {
      id: "avoidable-cost",
      severity,
      thread: thread.id,
      message: `The calls of this thread cost as much as ${figure(all)} tokens of plain input. Without its breaks it would have been ${figure(all - extra)}.`,
      remedy,
      tokens: Math.round(extra),
      ...(price && moneyFor(lost, price)),
    },
  ]
}

const ORDER: readonly Severity[] = ["error", "warning", "note"]

/** Sorts the worst first, and the most expensive of each. */
export function bySeverityAndCost(a: Finding, b: Finding): number {
  return ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity) || (b.tokens ?? 0) - (a.tokens ?? 0)
}
