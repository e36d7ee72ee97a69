import { median } from "../figures.js"
import { toolsOf } from "../model/api.js"
import { type Ground, layGround } from "./ground.js"
import type { Peer } from "./peer.js"
import type { Play } from "./play.js"
import { largeResults, modeSwitches, rulesRewritten, steps, type Told, turn } from "./scenarios.js"

const SHORT = 20
const LONG = 300
/** At either end of a long turn, to compare. */
const EDGE = 30

/** A figure of each run of a scenario. */
export type Runs = readonly number[]

/** What was seen of one agent. What could not be measured is an empty list or undefined, and why is among the failures. */
export interface Figures {
  readonly peer: Peer
  /** Milliseconds of harness a step, the median of each run. */
  readonly step: Runs
  /** The same with the tool. */
  readonly gap: Runs
  readonly stepLong: Runs
  readonly gapLong: Runs
  /** The end of a long turn in relation to its start. */
  readonly growth: Runs
  readonly start: Runs
  readonly cold: Runs
  readonly long: Runs
  readonly firstRequest: { readonly bytes: number; readonly tools: number } | undefined
  readonly turn: Told | undefined
  readonly modes: Told | undefined
  readonly rules: Told | undefined
  readonly results: (Told & { readonly sent: number }) | undefined
}

/** What a peer could not be measured in, and why. */
export interface Failure {
  readonly peer: Peer
  readonly what: string
  readonly why: string
}

export interface Amount {
  readonly short: number
  readonly long: number
}

export const USUAL: Amount = { short: 11, long: 3 }
export const QUICK: Amount = { short: 3, long: 1 }

interface Plays {
  readonly peer: Peer
  readonly ground: Ground
  readonly short: Play[]
  readonly long: Play[]
}

/**
 * Runs all peers in turn, each round beginning with another, so that what else the machine does, and what the one before
 * leaves behind, meets all alike.
 */
export async function measure(
  peers: readonly Peer[],
  root: string,
  amount: Amount,
  say: (progress: string) => void,
): Promise<{ readonly figures: readonly Figures[]; readonly failures: readonly Failure[] }> {
  const failures: Failure[] = []
  /** What failed once is not tried again. */
  async function attempt<T>(
    peer: Peer,
    what: string,
    run: string,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    if (failures.some((failure) => failure.peer === peer && failure.what === what)) return undefined
    say(`${peer.name}: ${what}${run}`)
    try {
      return await work()
    } catch (error) {
      failures.push({ peer, what, why: (error as Error).message })
      return undefined
    }
  }

  const all: Plays[] = []
  for (const peer of peers) {
    const ground = layGround(peer, root)
    // What a first start in a new home does, later ones need not.
    const warm = await attempt(peer, "a first start", "", () => steps(peer, ground, 2))
    if (warm !== undefined) all.push({ peer, ground, short: [], long: [] })
  }
  for (const [count, length] of [
    [amount.short, SHORT],
    [amount.long, LONG],
  ] as const)
    for (let i = 1; i <= count; i++)
      for (const { peer, ground, ...plays } of beginningWith(i % all.length, all)) {
        const run = `, run ${i} of ${count}`
        const play = await attempt(peer, `${length} steps`, run, () => steps(peer, ground, length))
        if (play !== undefined) plays[length === SHORT ? "short" : "long"].push(play)
      }
  const figures: Figures[] = []
  for (const plays of all) {
    const { peer, ground } = plays
    figures.push({
      ...timesOf(plays),
      turn: await attempt(peer, "a message at step 8", "", () => turn(peer, ground)),
      modes: await attempt(peer, "mode switches", "", () => modeSwitches(peer, ground)),
      rules: await attempt(peer, "a rules file rewritten", "", () => rulesRewritten(peer, ground)),
      results: await attempt(peer, "25 results of 33 kB", "", () => largeResults(peer, ground)),
    })
  }
  return { figures, failures }
}

function beginningWith<T>(first: number, all: readonly T[]): readonly T[] {
  return [...all.slice(first), ...all.slice(0, first)]
}

function timesOf({ peer, short, long }: Plays): Omit<Figures, "turn" | "modes" | "rules" | "results"> {
  const first = short[0]?.exchanges[0]?.body.toString()
  return {
    peer,
    step: short.map((play) => median(netTimes(play))),
    gap: short.map(({ exchanges }) => median(netTimes({ exchanges, toolTimes: [] }))),
    stepLong: long.map((play) => median(netTimes(play))),
    gapLong: long.map(({ exchanges }) => median(netTimes({ exchanges, toolTimes: [] }))),
    growth: long.map((play) => median(netTimes(play).slice(-EDGE)) / median(netTimes(play).slice(0, EDGE))),
    start: short.map(({ toFirstRequest }) => toFirstRequest),
    cold: short.map(({ coldMemory }) => coldMemory),
    long: long.map(({ peakMemory }) => peakMemory),
    firstRequest:
      first === undefined
        ? undefined
        : { bytes: Buffer.byteLength(first), tools: toolsOf(JSON.parse(first)).length },
  }
}

/** Of each step, from the end of the reply to the arrival of the next request, less the tool where its time is known. */
export function netTimes({ exchanges, toolTimes }: Pick<Play, "exchanges" | "toolTimes">): readonly number[] {
  return exchanges
    .slice(1)
    .map(({ arrived }, i) => arrived - (exchanges[i]?.answered ?? Number.NaN) - (toolTimes[i] ?? 0))
}
