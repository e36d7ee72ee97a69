import { bytes, median, megabytes, millis, times } from "../figures.js"
import type { Figures, Runs } from "./measure.js"
import type { Told } from "./scenarios.js"

type Format = (value: number) => string

const NOT_MEASURED = "not measured"

/** The table's rows: a label, Sotto's cell, and each peer's with its ratio to Sotto's. */
export function rowsOf(sotto: Figures, peers: readonly Figures[]): readonly (readonly string[])[] {
  const all = [sotto, ...peers]
  const measured = (label: string, runs: (of: Figures) => Runs, format: Format) => [
    label,
    ...all.map((one) => spread(runs(one), one === sotto ? undefined : runs(sotto), format)),
  ]
  const counted = (label: string, told: (of: Figures) => Told | undefined, news?: string) => [
    label,
    ...all.map((one) => counts(told(one), news)),
  ]
  return [
    measured("harness time per step, 20 steps", ({ step }) => step, millis),
    measured("the same with the tool, 20 steps", ({ gap }) => gap, millis),
    measured("harness time per step, 300 steps", ({ stepLong }) => stepLong, millis),
    measured("the same with the tool, 300 steps", ({ gapLong }) => gapLong, millis),
    measured(
      "end of 300 steps / start",
      ({ growth }) => growth,
      (value) => value.toFixed(2),
    ).map(withoutRatio),
    measured("process start to first request", ({ start }) => start, millis),
    measured("peak memory at the first request", ({ cold }) => cold, megabytes),
    measured("peak memory after 300 steps", ({ long }) => long, megabytes),
    ["first request (tools)", ...all.map(({ firstRequest }) => offered(firstRequest))],
    counted("bytes sent that changed: a message at step 8", ({ turn }) => turn, "told"),
    ["… mode switches", ...all.map(({ peer, modes }) => (peer.modes ? counts(modes) : "no modes"))],
    counted("… rules file rewritten mid-turn", ({ rules }) => rules, "noticed"),
    ["… 25 results of 33 kB", ...all.map(({ results }) => sentOf(results))],
  ]
}

/** The median over the runs, between the least and the most, and how many times Sotto's it is. */
function spread(runs: Runs, sotto: Runs | undefined, format: Format): string {
  if (runs.length === 0) return NOT_MEASURED
  const range = runs.length > 1 ? ` (${format(Math.min(...runs))}–${format(Math.max(...runs))})` : ""
  const ratio = sotto === undefined ? "" : `, ${times(median(runs) / median(sotto))}`
  return format(median(runs)) + range.replace(/ (ms|MB)–/, "–") + ratio
}

function withoutRatio(cell: string): string {
  return cell.replace(/, [\d.,]+ ×$/, "")
}

function counts(told: Told | undefined, news?: string): string {
  if (told === undefined) return NOT_MEASURED
  return `${bytes(told.changed)}${news === undefined ? "" : `, ${when(told, news)}`}`
}

function when({ after }: Told, news: string): string {
  if (after === undefined) return `never ${news}`
  if (after === "takes none") return after
  return `${news} ${after === 1 ? "at the next request" : `after ${after} requests`}`
}

function offered(first: Figures["firstRequest"]): string {
  return first === undefined ? NOT_MEASURED : `${bytes(first.bytes)} (${first.tools})`
}

function sentOf(results: Figures["results"]): string {
  if (results === undefined) return NOT_MEASURED
  return `${bytes(results.changed)}, ${bytes(results.sent)} in the last request`
}
