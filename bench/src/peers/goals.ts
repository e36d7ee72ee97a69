import { bytes, median, megabytes, millis, times } from "../figures.js"
import { type CpuTimes, ratioOf } from "../many.js"
import type { Figures } from "./measure.js"

export interface Goal {
  readonly what: string
  readonly limit: string
  readonly value: string
  /** Undefined: the peer that it is measured by could not be run. */
  readonly reached: boolean | undefined
}

/** What Sotto set out to reach, and whether it has. */
export function goalsOf(sotto: Figures, peers: readonly Figures[], cpu: CpuTimes): readonly Goal[] {
  const pi = peers.find(({ peer }) => peer.name === "pi")
  const codex = peers.find(({ peer }) => peer.name === "codex")
  const { turn, modes, rules, results } = sotto
  const scenarios = [turn, modes, rules, results]
  const changed = scenarios.reduce((sum, told) => sum + (told?.changed ?? Number.NaN), 0)
  const known = rules?.after === 1 && turn?.after === 1
  const growth = median(sotto.growth)
  return [
    within("harness time per step, 20 steps", "half of pi's", median(sotto.step), half(pi?.step), millis),
    within(
      "harness time per step, 300 steps",
      "half of pi's",
      median(sotto.stepLong),
      half(pi?.stepLong),
      millis,
    ),
    within("end of 300 steps / start", "at most", growth, 1.1, (value) => value.toFixed(2)),
    within(
      "process start to first request",
      "codex's",
      median(sotto.start),
      codex && codex.start.length > 0 ? median(codex.start) : undefined,
      millis,
    ),
    within("peak memory at the first request", "at most", median(sotto.cold), 100e6, megabytes),
    within("peak memory after 300 steps", "at most", median(sotto.long), 120e6, megabytes),
    within("first request", "at most", sotto.firstRequest?.bytes ?? Number.NaN, 9_000, bytes),
    {
      what: "bytes already sent that changed, in all scenarios",
      limit: "0, and what is new is told at the next boundary",
      value: `${bytes(changed)}, ${known ? "told" : "not told"} at the next boundary`,
      reached: changed === 0 && known,
    },
    within(
      "CPU time per step, 100 sessions in a process / making and sending the bodies",
      "at most",
      ratioOf(cpu),
      2,
      times,
    ),
  ]
}

function within(
  what: string,
  measuredBy: string,
  value: number,
  most: number | undefined,
  format: (value: number) => string,
): Goal {
  const limit =
    most === undefined ? measuredBy : `${measuredBy}${measuredBy === "at most" ? "" : ":"} ${format(most)}`
  return { what, limit, value: format(value), reached: most === undefined ? undefined : value <= most }
}

function half(runs: readonly number[] | undefined): number | undefined {
  return runs && runs.length > 0 ? median(runs) / 2 : undefined
}

export function goalRows(goals: readonly Goal[]): readonly (readonly string[])[] {
  return goals.map(({ what, limit, value, reached }) => [
    what,
    limit,
    value,
    reached === undefined ? "cannot be judged" : reached ? "reached" : "not reached",
  ])
}
