import { type AccountSum, allClasses, type CostReport, moneyOf } from "@sotto/core/economy"
import { wordedDiagnosis } from "./diagnosis.js"

export function costPage(report: CostReport): string {
  const { sum, spent, sent } = report
  if (sum.requests === 0) return "Nothing has been spent: no reply has come yet."
  const all = sent.reduce((before, { tokens }) => before + tokens, 0)
  return [
    `${plural(sum.requests, "request", "requests")} cost ${count(allClasses(sum.equivalents))} input-token equivalents${money(sum)}.${doubts(sum)}`,
    "",
    "| paid for | tokens | equivalents | |",
    "| --- | --- | --- | --- |",
    ...spent.map(
      (one) =>
        `| ${one.what} | ${count(one.tokens)} | ${count(one.equivalents)} | ${one.dollars === undefined ? "" : inDollars(one.dollars)} |`,
    ),
    "",
    ...sumTable(
      "what for, and which model",
      report.purposes.map(({ purpose, model, sum: own }) => [`${purpose}, ${model}`, own]),
    ),
    ...(report.subagents.length === 0
      ? []
      : sumTable("session", [
          ["this session", report.own],
          ...report.subagents.map(({ name, sum: own }) => [name, own] as const),
        ])),
    "| the session's own steps consisted of | tokens | share |",
    "| --- | --- | --- |",
    ...sent.map(
      ({ what, tokens }) => `| ${what} | ${count(tokens)} | ${Math.round((tokens / all) * 100)}% |`,
    ),
    "",
    ...decisionsOf(report),
    ...diagnosesOf(report),
  ].join("\n")
}

/** Lists what the provider says of its cache beside what Sotto did: what was found, and where the two disagree. */
function diagnosesOf({ diagnoses }: CostReport): readonly string[] {
  if (diagnoses.length === 0) return []
  const told = diagnoses.filter(
    ({ diagnostics, causes, agrees }) =>
      diagnostics.reason !== undefined || causes.length > 0 || agrees === false,
  )
  const same = diagnoses.length - told.length
  const unchanged = `${plural(same, "step", "steps")} went out with the same bytes as before, and the provider says so too.`
  return [
    "",
    ...(same === 0 ? [] : [unchanged, ""]),
    ...(told.length === 0 ? [] : ["| turn, step | the provider says | Sotto |", "| --- | --- | --- |"]),
    ...told.map((one) => {
      const { provider, sotto, remedy } = wordedDiagnosis(one)
      return `| ${one.turn}, ${one.step} | ${provider} | ${sotto}${remedy === undefined ? "" : `; ${remedy}`} |`
    }),
  ]
}

/** Says of how many requests the figure does not know everything. */
function doubts({ unpriced, uncounted, assumed }: AccountSum): string {
  const of = (many: number) => plural(many, "request", "requests")
  return [
    unpriced > 0 ? ` The price of ${of(unpriced)} is not known.` : "",
    ...Object.entries(assumed).map(([model, other]) => ` ${model} is priced like ${other}.`),
    uncounted > 0 ? ` The provider did not say what ${of(uncounted)} used.` : "",
  ].join("")
}

function sumTable(name: string, rows: readonly (readonly [string, AccountSum])[]): readonly string[] {
  return [
    `| ${name} | requests | tokens | equivalents | |`,
    "| --- | --- | --- | --- | --- |",
    ...rows.map(
      ([what, sum]) =>
        `| ${what} | ${count(sum.requests)} | ${count(allClasses(sum.tokens))} | ${count(allClasses(sum.equivalents))} | ${money(sum).slice(2)} |`,
    ),
    "",
  ]
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

function money(sum: AccountSum): string {
  const all = moneyOf(sum)
  const about = Object.keys(sum.assumed).length > 0 ? "about " : ""
  if (all !== undefined) return `, ${about}${inDollars(all)}`
  const known = allClasses(sum.dollars)
  return known > 0 ? `, over ${inDollars(known)}` : ""
}

function inDollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`
}
