import { markdownTable, table, times } from "../figures.js"
import { barChart } from "../peers/chart.js"
import type { Cost } from "./price.js"

/** What one agent's requests of one scenario cost; why not, if it could not be run. */
export type Outcome = { readonly one: Cost; readonly own: Cost } | { readonly failed: string }

interface Agent {
  readonly name: string
  readonly version: string
  readonly released: string
  readonly line: string
  readonly model: string
}

export interface CostReport {
  readonly about: readonly string[]
  /** Sotto first. */
  readonly agents: readonly Agent[]
  /** By scenario, then by agent. */
  readonly outcomes: ReadonlyMap<string, ReadonlyMap<string, Outcome>>
}

/** Sotto's cost beside another agent's. */
const GOALS = [
  ["20 steps", "pi", 1.1],
  ["25 × 33 kB", "pi", 0.9],
  ["300 × 8 kB", "pi", 0.22],
  ["mode switches", "opencode", 0.3],
  ["rules rewritten", "opencode", 0.3],
] as const

export function textReport(report: CostReport): string {
  return parts(report, table).join("\n")
}

/** The part of docs/cost.md that is measured. */
export function pageReport(report: CostReport): string {
  const charts = chartsOf(report).map(({ file, title }) => `![${title}](${file})`)
  return [
    ...report.about,
    "",
    ...charts.flatMap((chart) => [chart, ""]),
    ...parts(report, markdownTable, 0),
  ].join("\n")
}

function parts(report: CostReport, draw: typeof table, from?: 0): readonly string[] {
  const headings = ["", ...report.agents.map(({ name, version }) => `${name} ${version}`)]
  const programs = [
    ["released", ...report.agents.map(({ released }) => released)],
    ["line", ...report.agents.map(({ line }) => line)],
  ]
  const models = ["model", ...report.agents.map(({ model }) => model)]
  return [
    ...(from === undefined ? [...report.about, ""] : []),
    "Input-token equivalents at one price for all:",
    "",
    ...draw(headings, [
      ...programs,
      ...rows(
        report,
        ({ one }) => thousands(one.tokens),
        (outcome) => outcome.one.tokens,
      ),
    ]),
    "",
    "Input-token equivalents, and dollars, by each provider's own cache and price:",
    "",
    ...draw(headings, [models, ...rows(report, ({ own }) => `${thousands(own.tokens)}${money(own)}`)]),
    "",
    ...draw(["goal, at one price", "at most", "this run", ""], goalRows(report)),
    ...failures(report),
  ]
}

type Known = Extract<Outcome, { readonly one: Cost }>

function rows(
  { agents, outcomes }: CostReport,
  cell: (outcome: Known) => string,
  ratio?: (outcome: Known) => number,
): readonly (readonly string[])[] {
  return [...outcomes].map(([scenario, byAgent]) => {
    const [first] = agents
    const own = first && byAgent.get(first.name)
    return [
      scenario,
      ...agents.map(({ name }, i) => {
        const outcome = byAgent.get(name)
        if (outcome === undefined || "failed" in outcome) return "not measured"
        const beside = ratio && i > 0 && own && "one" in own ? `, ${times(ratio(outcome) / ratio(own))}` : ""
        return `${cell(outcome)}${beside}`
      }),
    ]
  })
}

function goalRows({ outcomes, agents }: CostReport): readonly (readonly string[])[] {
  return GOALS.map(([scenario, peer, limit]) => {
    const [own, other] = [agents[0]?.name ?? "", peer].map((name) => outcomes.get(scenario)?.get(name))
    const known = own && other && "one" in own && "one" in other
    const ratio = known ? own.one.tokens / other.one.tokens : Number.NaN
    const verdict = known ? (ratio <= limit ? "reached" : "not reached") : "cannot be judged"
    return [`${scenario}, beside ${peer}'s`, times(limit), known ? times(ratio) : "", verdict]
  })
}

function failures({ outcomes }: CostReport): readonly string[] {
  return [...outcomes].flatMap(([scenario, byAgent]) =>
    [...byAgent].flatMap(([name, outcome]) =>
      "failed" in outcome ? ["", `${name}, ${scenario}: not measured, because ${outcome.failed}`] : [],
    ),
  )
}

export function chartsOf({ outcomes, agents }: CostReport) {
  return (
    [
      ["cost-large.svg", "25 × 33 kB"],
      ["cost-long.svg", "300 × 8 kB"],
    ] as const
  ).map(([file, scenario]) => {
    const title = `${scenario}: input-token equivalents at one price`
    const bars = agents.flatMap(({ name }) => {
      const outcome = outcomes.get(scenario)?.get(name)
      return outcome && "one" in outcome
        ? [{ label: name, value: outcome.one.tokens, text: thousands(outcome.one.tokens) }]
        : []
    })
    return { file, title, svg: barChart(title, bars) }
  })
}

function thousands(tokens: number): string {
  const k = tokens / 1_000
  return `${k.toLocaleString("en", { maximumFractionDigits: k < 100 ? 1 : 0 })}k`
}

function money({ dollars }: Cost): string {
  return dollars === undefined ? "" : `, $${dollars.toFixed(dollars < 1 ? 3 : 2)}`
}
