import { CONTEXT_KINDS } from "@sotto/lens/pages"
import { cacheParts } from "../cache/parts.js"
import type { AnyRow } from "../data/shapes.js"

/** One line or layer of a chart. */
interface Series {
  readonly name: string
  /** The class that gives it its colour. */
  readonly tone: string
  readonly values: readonly number[]
}

export interface ChartData {
  readonly id: "context" | "cache" | "cost" | "time"
  readonly title: string
  readonly unit: "tokens" | "dollars" | "ms"
  /** Stacked layers, or bars of their own. */
  readonly isStacked: boolean
  /** The number of the step of each value. */
  readonly steps: readonly number[]
  readonly series: readonly Series[]
}

/** More points than a screen has columns are drawn as their largest. */
const MOST_POINTS = 1_200

/** Makes the charts of these rows. Leaves out a chart for which nothing is known. */
export function chartsOf(all: readonly (AnyRow | undefined)[]): readonly ChartData[] {
  const rows = all.filter((row) => row !== undefined)
  const steps = rows.map(({ n }) => n)
  const series = (name: string, tone: string, of: (row: AnyRow) => number): Series => ({
    name,
    tone,
    values: rows.map(of),
  })
  const part = (row: AnyRow, name: string) =>
    cacheParts(row.tokens).find((one) => one.part === name)?.tokens ?? 0
  const charts: readonly ChartData[] = [
    {
      id: "context",
      title: "Context by kind",
      unit: "tokens",
      isStacked: true,
      steps,
      series: CONTEXT_KINDS.map((kind) => series(kind, `k-${kind}`, (row) => row.kinds[kind] ?? 0)),
    },
    {
      id: "cache",
      title: "Cache read and written",
      unit: "tokens",
      isStacked: true,
      steps,
      series: [
        series("read", "read", (row) => part(row, "read")),
        series("missed", "missed", (row) => part(row, "missed")),
        series("written", "written", (row) => part(row, "written")),
        series("not cached", "rest", (row) => part(row, "rest")),
      ],
    },
    {
      id: "cost",
      title: "Cost",
      unit: "dollars",
      isStacked: false,
      steps,
      series: [series("cost", "accent", ({ money }) => money ?? 0)],
    },
    {
      id: "time",
      title: "Step time",
      unit: "ms",
      isStacked: false,
      steps,
      series: [series("time", "accent", ({ ms }) => ms ?? 0)],
    },
  ]
  return charts
    .map((chart) => ({
      ...chart,
      series: chart.series.filter(({ values }) => values.some((value) => value > 0)),
    }))
    .filter(({ series: own }) => own.length > 0)
}

/** Reduces a chart to as many points as can be drawn: of each group the step with the most in all stands for it. */
export function thinned(chart: ChartData, most = MOST_POINTS): ChartData {
  const size = Math.ceil(chart.steps.length / most)
  if (size <= 1) return chart
  const totals = chart.steps.map((_, i) =>
    chart.series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0),
  )
  const kept: number[] = []
  for (let start = 0; start < totals.length; start += size) {
    let best = start
    for (let i = start; i < Math.min(start + size, totals.length); i++)
      if ((totals[i] ?? 0) > (totals[best] ?? 0)) best = i
    kept.push(best)
  }
  const pick = (values: readonly number[]) => kept.map((i) => values[i] ?? 0)
  return {
    ...chart,
    steps: pick(chart.steps),
    series: chart.series.map((one) => ({ ...one, values: pick(one.values) })),
  }
}

/** Values for an axis: a few round figures from 0 to at least the largest. */
export function ticks(most: number, count = 4): readonly number[] {
  if (most <= 0) return [0]
  const rough = most / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough
  const last = Math.ceil(most / step - 1e-9)
  return Array.from({ length: last + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}

/** Computes the outline of each layer, as the points of a path: stacked layers stand on one another. */
export function layersOf(
  { series, isStacked, steps }: ChartData,
  width: number,
  height: number,
  most: number,
): readonly { readonly name: string; readonly tone: string; readonly path: string }[] {
  const x = (i: number) => (i / steps.length) * width
  const y = (value: number) => height - (value / most) * height
  const round = (value: number) => Math.round(value * 10) / 10
  let base = steps.map(() => 0)
  return series.map(({ name, tone, values }) => {
    const top = values.map((value, i) => value + (isStacked ? (base[i] ?? 0) : 0))
    const up = top.map((value, i) => `${round(x(i))},${round(y(value))}H${round(x(i + 1))}`).join("L")
    const down = base
      .map((value, i) => `${round(x(i + 1))},${round(y(value))}H${round(x(i))}`)
      .reverse()
      .join("L")
    if (isStacked) base = top
    return { name, tone, path: `M${up}L${down}Z` }
  })
}

/** Writes the chart's values as a table, in text that a spreadsheet takes. */
export function tableOf({ steps, series }: ChartData, word: string): string {
  const head = [word, ...series.map(({ name }) => name)].join("\t")
  const lines = steps.map((n, i) => [n, ...series.map(({ values }) => values[i] ?? 0)].join("\t"))
  return [head, ...lines].join("\n")
}
