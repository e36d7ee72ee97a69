import { markdownTable, median, megabytes, millis, table } from "../figures.js"
import type { CpuTimes } from "../many.js"
import { type Bar, barChart } from "./chart.js"
import { goalRows, goalsOf } from "./goals.js"
import type { Failure, Figures, Runs } from "./measure.js"
import { releasedOf } from "./peer.js"
import { rowsOf } from "./rows.js"

export interface Report {
  readonly sotto: Figures
  readonly peers: readonly Figures[]
  readonly failures: readonly Failure[]
  readonly cpu: CpuTimes
  /** When, where and how, in sentences. */
  readonly about: readonly string[]
}

const GOAL_HEADINGS = ["", "goal", "this run", ""]

export function textReport(report: Report): string {
  const { sotto, peers, cpu } = report
  return [
    ...report.about,
    "",
    ...table(headings(report), [...programRows([sotto, ...peers]), ...rowsOf(sotto, peers)]),
    "",
    ...notRun(report),
    ...table(GOAL_HEADINGS, goalRows(goalsOf(sotto, peers, cpu))),
  ].join("\n")
}

/** Draws the part of docs/performance.md that is measured, below its first line. */
export function pageReport(report: Report): string {
  const { sotto, peers, cpu } = report
  const charts = chartsOf(report).map(({ file, title }) => `![${title}](${file})`)
  return [
    ...report.about,
    "",
    ...charts.flatMap((chart) => [chart, ""]),
    ...markdownTable(headings(report), [...programRows([sotto, ...peers]), ...rowsOf(sotto, peers)]),
    "",
    ...notRun(report),
    ...markdownTable(GOAL_HEADINGS, goalRows(goalsOf(sotto, peers, cpu))),
  ].join("\n")
}

export interface Chart {
  readonly file: string
  readonly title: string
  readonly svg: string
}

export function chartsOf({ sotto, peers }: Report): readonly Chart[] {
  const chart = (
    file: string,
    title: string,
    runs: (of: Figures) => Runs,
    format: (value: number) => string,
  ) => {
    const measured = [sotto, ...peers].filter((one) => runs(one).length > 0)
    const bars = measured.map(
      (one): Bar => ({ label: one.peer.name, value: median(runs(one)), text: format(median(runs(one))) }),
    )
    return { file, title, svg: barChart(title, bars) }
  }
  return [
    chart("performance-step.svg", "Harness time per step, net of the tool", ({ step }) => step, millis),
    chart("performance-start.svg", "Process start to first request", ({ start }) => start, millis),
    chart("performance-memory.svg", "Peak memory after 300 steps", ({ long }) => long, megabytes),
  ]
}

function headings({ sotto, peers }: Report): readonly string[] {
  return ["", ...[sotto, ...peers].map(({ peer }) => `${peer.name} ${peer.version}`)]
}

/** Says of each column which program it is about, and how old that is. */
function programRows(all: readonly Figures[]): readonly (readonly string[])[] {
  return [
    ["released", ...all.map(({ peer }) => releasedOf(peer))],
    ["line", ...all.map(({ peer }) => peer.line)],
  ]
}

function notRun({ failures }: Report): readonly string[] {
  return failures.flatMap(({ peer, what, why }) => [
    `${peer.name} ${peer.version}, ${what}: not run, because ${why}`,
    "",
  ])
}
