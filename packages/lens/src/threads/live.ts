import type { Strand } from "./strand.js"

interface Going {
  readonly id: string
  calls: number
  /** The place in the trace of its newest call. */
  last: number
}

/**
 * Numbers threads while calls still come. A strand that leaves the newest end of a thread counts as that thread going
 * on; the report, which sees what followed, may decide otherwise.
 */
export class LiveThreads {
  readonly #of = new WeakMap<Strand, Going>()
  #count = 0

  /** Takes one more call of a strand. */
  seen(strand: Strand): { readonly thread: string; readonly call: number } {
    const going = this.#of.get(strand) ?? this.#begin(strand)
    this.#of.set(strand, going)
    going.calls++
    going.last = strand.last
    return { thread: going.id, call: going.calls }
  }

  #begin(strand: Strand): Going {
    const origin = strand.origin && this.#of.get(strand.origin)
    if (origin !== undefined && !strand.isParallel && origin.last < strand.first) return origin
    return { id: String(++this.#count), calls: 0, last: strand.first }
  }
}
