import type { Segment } from "../segments/segment.js"
import type { Snapshot } from "../segments/snapshot.js"
import { wordsOf } from "../segments/words.js"

/** Text that follows tool results as a block of its own in the same message: whether the harness or a user speaks there. */
export type SiblingProblem = "reminder-after-result" | "text-after-result"

/** How often that happened, and where first. */
export interface SiblingCount {
  readonly times: number
  readonly tokens: number
  /** Counted within the strand. */
  readonly call: number
  readonly path: string
}

/** Counts such texts of one strand. A message that later requests repeat counts once. */
export class Siblings {
  readonly #counts = new Map<SiblingProblem, SiblingCount>()
  #known: ReadonlySet<string> = new Set()

  get counts(): ReadonlyMap<SiblingProblem, SiblingCount> {
    return this.#counts
  }

  add(snapshot: Snapshot, call: number): void {
    const now = new Set<string>()
    for (const { segment, result } of siblingsIn(snapshot)) {
      let key = `${result} ${segment.hash}`
      while (now.has(key)) key += "+"
      now.add(key)
      if (this.#known.has(key)) continue
      const problem = segment.isReminder ? "reminder-after-result" : "text-after-result"
      const { times, tokens, ...first } = this.#counts.get(problem) ?? {
        ...{ times: 0, tokens: 0 },
        ...{ call, path: segment.path },
      }
      this.#counts.set(problem, { times: times + 1, tokens: tokens + segment.tokens, ...first })
    }
    this.#known = now
  }

  /** Forgets what only the next call would need. */
  close(): void {
    this.#known = new Set()
  }

  /** Makes a counter that starts at zero and knows which messages this one has counted. */
  branch(): Siblings {
    const copy = new Siblings()
    copy.#known = this.#known
    return copy
  }
}

/**
 * Looks only at Anthropic's API, the only one of which a harm is known: it shows such a block to the model as a new
 * turn of the user.
 */
function siblingsIn({ dialect, sections }: Snapshot): readonly { segment: Segment; result: string }[] {
  if (dialect !== "anthropic") return []
  const found: { segment: Segment; result: string }[] = []
  let message = ""
  let result: string | undefined
  for (const segment of sections.messages) {
    const own = segment.path.slice(0, segment.path.lastIndexOf("."))
    if (own !== message) result = undefined
    message = own
    if (segment.role !== "user") continue
    if (segment.kind === "result") result ??= segment.name ?? ""
    else if (segment.kind === "text" && result !== undefined && wordsOf(segment).trim() !== "")
      found.push({ segment, result })
  }
  return found
}
