import type { ReminderTally } from "../report.js"
import type { Snapshot } from "../segments/snapshot.js"

/** Wordings beyond this many are counted as one more: a text that changes every time must not fill the memory. */
const MOST_WORDINGS = 1_000

/** As often as this, and as large a part of a request, the same words again are worth a finding. */
const MANY = 5
const NOTICEABLE = 0.01

interface Repeated {
  readonly kind: string
  readonly times: number
  /** Of all but one of them. */
  readonly tokens: number
}

interface Row {
  times: number
  tokens: number
  /** Summed over all calls. */
  present: number
  readonly wordings: Set<string>
}

/** Counts the reminders of one thread, call by call. */
export class ReminderCounter {
  readonly #rows = new Map<string, Row>()
  #known: ReadonlyMap<string, number> = new Map()
  #sent = 0
  #repeated: Repeated | undefined

  /** The reminder that stood in one request most often, if that was often enough to be worth a word. */
  get repeated(): Repeated | undefined {
    return this.#repeated
  }

  add(snapshot: Snapshot): void {
    const now = new Map<string, number>()
    for (const { reminders } of snapshot.sections.messages)
      for (const { kind, hash, tokens } of reminders) {
        const key = `${kind}\n${hash}`
        const count = (now.get(key) ?? 0) + 1
        now.set(key, count)
        const row = this.#row(kind)
        row.present += tokens
        if (row.wordings.size < MOST_WORDINGS) row.wordings.add(hash)
        const isWorthAWord = count >= MANY && count * tokens >= snapshot.tokens * NOTICEABLE
        if (isWorthAWord && count > (this.#repeated?.times ?? 0))
          this.#repeated = { kind, times: count, tokens: (count - 1) * tokens }
        if (count <= (this.#known.get(key) ?? 0)) continue
        row.times++
        row.tokens += tokens
      }
    this.#known = now
    this.#sent += snapshot.tokens
  }

  #row(kind: string): Row {
    const known = this.#rows.get(kind)
    if (known !== undefined) return known
    const row: Row = { times: 0, tokens: 0, present: 0, wordings: new Set() }
    this.#rows.set(kind, row)
    return row
  }

  /** Takes over what another part of the same thread counted. */
  join(other: ReminderCounter): void {
    for (const [kind, { times, tokens, present, wordings }] of other.#rows) {
      const row = this.#row(kind)
      row.times += times
      row.tokens += tokens
      row.present += present
      for (const one of wordings) row.wordings.add(one)
    }
    this.#sent += other.#sent
    this.#repeated ??= other.#repeated
  }

  /** Forgets what only the next call would need. */
  close(): void {
    this.#known = new Map()
  }

  branch(): ReminderCounter {
    const copy = new ReminderCounter()
    copy.#known = this.#known
    return copy
  }

  rows(): readonly ReminderTally[] {
    const sent = this.#sent
    return [...this.#rows]
      .map(([kind, { times, tokens, present, wordings }]) => ({
        kind,
        times,
        distinct: wordings.size,
        tokens,
        share: sent === 0 ? 0 : present / sent,
      }))
      .sort((a, b) => b.share - a.share)
  }
}
