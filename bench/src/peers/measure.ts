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

export interface Figures {
  readonly peer: Peer
  /** Milliseconds of harness a step, the median of each run. */
  readonly step: Runs
  readonly stepLong: Runs
  /** The end of a long turn in relation to its start. */
  readonly growth: Runs
  readonly start: Runs
  readonly cold: Runs
  readonly long: Runs
  readonly firstBytes: number
  readonly tools: number
  readonly turn: Told
  readonly modes: Told | undefined
  readonly rules: Told
  readonly results: Told & { readonly sent: number }
}

/** Why a peer is not in the table. */
export interface Missing {
  readonly peer: Peer
  readonly why: string
}

export interface Amount {
  readonly short: number
  readonly long: number
}

interface Plays {
  readonly peer: Peer
  readonly ground: Ground
  readonly short: Play[]
  readonly long: Play[]
}

/** Runs all peers in turn, so that what else the machine does meets all alike. */
export async function measure(
  peers: readonly Peer[],
  root: string,
  amount: Amount,
  say: (progress: string) => void,
): Promise<{ readonly figures: readonly Figures[]; readonly missing: readonly Missing[] }> {
  const missing: Missing[] = []
  const figures: Figures[] = []
  let going: readonly Plays[] = peers.map((peer) => ({
    peer,
    ground: layGround(peer, root),
    short: [],
    long: [],
  }))

  async function each(what: string, work: (plays: Plays) => Promise<void>): Promise<void> {
    const failed = new Set<Plays>()
    for (const plays of going) {
      say(`${what}: ${plays.peer.name}`)
      try {
        await work(plays)
      } catch (error) {
        failed.add(plays)
        missing.push({ peer: plays.peer, why: `${what}: ${(error as Error).message}` })
      }
    }
    going = going.filter((plays) => !failed.has(plays))
  }

  // What a first start in a new home does, later ones need not.
  await each("warming up", async ({ peer, ground }) => void (await steps(peer, ground, 2)))
  for (let i = 1; i <= amount.short; i++)
    await each(`${SHORT} steps, run ${i} of ${amount.short}`, async ({ peer, ground, short }) => {
      short.push(await steps(peer, ground, SHORT))
    })
  for (let i = 1; i <= amount.long; i++)
    await each(`${LONG} steps, run ${i} of ${amount.long}`, async ({ peer, ground, long }) => {
      long.push(await steps(peer, ground, LONG))
    })
  await each("what changed", async (plays) => void figures.push(await figuresOf(plays)))
  return { figures, missing }
}

async function figuresOf({ peer, ground, short, long }: Plays): Promise<Figures> {
  const first = short[0]?.exchanges[0]?.body ?? "{}"
  return {
    peer,
    step: short.map((play) => median(netTimes(play))),
    stepLong: long.map((play) => median(netTimes(play))),
    growth: long.map((play) => median(netTimes(play).slice(-EDGE)) / median(netTimes(play).slice(0, EDGE))),
    start: short.map(({ toFirstRequest }) => toFirstRequest),
    cold: short.map(({ coldMemory }) => coldMemory),
    long: long.map(({ peakMemory }) => peakMemory),
    firstBytes: Buffer.byteLength(first),
    tools: toolsOf(JSON.parse(first)).length,
    turn: await turn(peer, ground),
    modes: await modeSwitches(peer, ground),
    rules: await rulesRewritten(peer, ground),
    results: await largeResults(peer, ground),
  }
}

/** Of each step, from the end of the reply to the arrival of the next request, less the tool where its time is known. */
export function netTimes({ exchanges, toolTimes }: Pick<Play, "exchanges" | "toolTimes">): readonly number[] {
  return exchanges
    .slice(1)
    .map(({ arrived }, i) => arrived - (exchanges[i]?.answered ?? Number.NaN) - (toolTimes[i] ?? 0))
}
