import type { Finding, Mend } from "@sotto/lens"
import type { MendResult } from "../transport/tap.js"

interface Tally {
  times: number
  calls: number
  first: Mend
}

/** Counts what policies did, and tells it as findings. */
export class MendingNotes {
  readonly #policies = new Map<Mend["policy"], Tally>()
  readonly #fallen = new Map<string, number>()

  add({ mends, fellBack }: MendResult): void {
    for (const policy of new Set(mends.map((mend) => mend.policy))) {
      const own = mends.filter((mend) => mend.policy === policy)
      const [first] = own
      if (first === undefined) continue
      const tally = this.#policies.get(policy) ?? { times: 0, calls: 0, first }
      tally.times += own.length
      tally.calls++
      this.#policies.set(policy, tally)
    }
    if (fellBack !== undefined) this.#fallen.set(fellBack, (this.#fallen.get(fellBack) ?? 0) + 1)
  }

  findings(): readonly Finding[] {
    return [...[...this.#policies].map(mended), ...[...this.#fallen].map(fallen)]
  }
}

function mended([policy, { times, calls, first }]: [Mend["policy"], Tally]): Finding {
  const excerpts = [
    ...(first.withheld === undefined ? [] : [` Withheld: "${first.withheld}".`]),
    ...(first.told === undefined ? [] : [` Told instead: "${first.told}".`]),
  ]
  return {
    id: "mended",
    severity: "note",
    message: `${NAMES[policy]} changed ${times} ${times === 1 ? "place" : "places"} in ${calls} ${calls === 1 ? "request" : "requests"}. The first, at ${first.path}: ${first.message}${excerpts.join("")}`,
    remedy: "A recording (--record FILE) holds both versions of every mended request.",
  }
}

const NAMES: Readonly<Record<Mend["policy"], string>> = {
  hold: "--hold",
  mute: "--mute",
  throttle: "--throttle",
  smoosh: "--smoosh",
  breakpoints: "--breakpoints",
  thinking: "Care for thinking that is tied to earlier bytes",
}

function fallen([reason, times]: [string, number]): Finding {
  return {
    id: "mend-fell-back",
    severity: "warning",
    message: `${times === 1 ? "A request" : `${times} requests`} went out as the agent wrote ${times === 1 ? "it" : "them"}, although there was something to mend: ${reason}`,
    remedy: "Nothing is wrong with what was sent. If it happens often, report the recording of such a call.",
  }
}
