import { markdownTable } from "../figures.js"
import { replacedIn, stampIn } from "./measured.js"
import { columnsOf } from "./table.js"

const BEGIN = "<!-- measured: npm run bench -- peers --write -->"

/** The README's columns, each with the row of docs/performance.md that it is taken from. */
const COLUMNS = [
  ["released", "released"],
  ["a step", "harness time per step, 300 steps"],
  ["start", "process start to first request"],
  ["memory", "peak memory after 300 steps"],
  ["first request", "first request (tools)"],
  ["changed by a switch of mode", "… mode switches"],
] as const

/** Puts a line for each agent into the README, with medians of docs/performance.md. */
export function withFiveLines(readme: string, performance: string): string {
  return replacedIn(readme, "README.md", BEGIN, fiveLines(performance))
}

function fiveLines(performance: string): string {
  const { mark, words } = stampIn(performance)
  const rows = columnsOf(performance).map((column) => [
    `${column.get("")}${lineOf(column.get("line"))}`,
    ...COLUMNS.map(([, row]) => medianOf(column.get(row) ?? "")),
  ])
  return [
    mark,
    "",
    `${words}, all against one scripted model server. [How, and all figures](docs/performance.md).`,
    "",
    ...markdownTable(["", ...COLUMNS.map(([heading]) => heading)], rows),
  ].join("\n")
}

/** Shortens a product line to what a reader has to know: `opencode 1, not 2`, but no plain name of a package. */
function lineOf(line = ""): string {
  return /^`[^`]+`$|^this repository$/.test(line) ? "" : ` (${line.replace(/: .*/, "")})`
}

/** Takes the median from a cell that also has the least and the most, a ratio, or what else was seen. */
function medianOf(cell: string): string {
  return cell.replace(/ \(.*\).*$|,? [\d.,]+ ×$/, "")
}
