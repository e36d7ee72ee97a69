export function costPage(report: CostReport): string {
  if (report.replies === 0) return "Nothing has been spent: no reply has said what it cost."
  const { spent, sent, equivalents, dollars } = report
  const all = sent.reduce((sum, { tokens }) => sum + tokens, 0)
  return [
    `${plural(report.replies, "reply", "replies")} cost ${count(equivalents)} input-token equivalents${money(dollars)}.`,
    "",
    "| paid for | tokens | equivalents | |",
    "| --- | --- | --- | --- |",
    ...spent.map(
      (one) =>
        `| ${one.what} | ${count(one.tokens)} | ${count(one.equivalents)} | ${money(one.dollars).slice(2)} |`,
    ),
    "",
    "| all requests together consisted of | tokens | share |",
    "| --- | --- | --- |",
    ...sent.map(
      ({ what, tokens }) => `| ${what} | ${count(tokens)} | ${Math.round((tokens / all) * 100)}% |`,
    ),
    "",
    ...decisionsOf(report),
  ].join("\n")
}

function decisionsOf({ decisions, saved }: CostReport): readonly string[] {
  if (decisions.length === 0)
    return ["Nothing was dropped so far: nothing was worth it, or the economy is off."]
  return [
    savings(saved),
    "",
    "| turn, step | what was decided | paid so far | price |",
    "| --- | --- | --- | --- |",
    ...decisions.map((one) => {
      const numbers =
        "paid" in one && one.paid !== undefined ? [count(one.paid), count(one.price ?? 0)] : ["", ""]
      return `| ${one.turn}, ${one.step} | ${worded(one)} | ${numbers.join(" | ")} |`
    }),
  ]
}

function savings(saved: number): string {
  return saved >= 0
    ? `The economy has saved about ${count(saved)} input-token equivalents so far.`
    : `The economy has spent about ${count(-saved)} input-token equivalents that it has not saved yet.`
}

const CAUSES: Readonly<Record<string, string>> = {
  "break-even": "re-reading them had cost as much as writing the rest again",
  pause: "the cache was gone after a pause",
  model: "another model began a cache of its own",
}

const COMPACTIONS: Readonly<Record<string, string>> = {
  asked: "somebody asked for it",
  window: "the context was nearly full",
  price: "re-reading the conversation had cost as much as a summary",
}

function worded(decision: CostReport["decisions"][number]): string {
  switch (decision.is) {
    case "dropped": {
      const { results, tokens, because } = decision
      return `dropped ${plural(results, "old tool result", "old tool results")} (${count(tokens)} tokens): ${CAUSES[because] ?? `everything was sent anew (${because})`}`
    }
    case "lifetime":
      return `the cache is kept for ${decision.seconds >= 3_600 ? "an hour" : "5 minutes"} from here on, by the pauses so far`
    case "compacted":
      return `compacted: ${COMPACTIONS[decision.because] ?? decision.because}`
  }
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en")
}

function plural(value: number, one: string, many: string): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

function money(dollars: number | undefined): string {
  return dollars === undefined ? "" : `, $${dollars.toFixed(dollars < 1 ? 4 : 2)}`
}

import type { CostReport } from "@sotto/core/economy"
