import type { Strand } from "./strand.js"

const MOST_STRANDS = 256
/** About 16 MB of text, however many strands it is. */
const MOST_TOKENS = 4_000_000

/** The strands that a call may still continue, the newest first. The rest is closed: memory must not grow with the trace. */
export class OpenStrands {
  #strands: readonly Strand[] = []

  of(source: string): readonly Strand[] {
    return this.#strands.filter((strand) => strand.source === source)
  }

  touch(strand: Strand): void {
    const strands = [strand, ...this.#strands.filter((other) => other !== strand)]
    let tokens = 0
    this.#strands = strands.filter((one, i) => {
      tokens += one.tip.tokens
      if (i === 0 || (i < MOST_STRANDS && tokens <= MOST_TOKENS)) return true
      one.close()
      return false
    })
  }
}
