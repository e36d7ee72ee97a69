import type { Entry } from "@sotto/core"
import { costOf, type Price, type SessionSummary, StoreError, type UsageRow } from "@sotto/harness"
import type { OpenQuestion, SessionState, ShownHolder, UsedTokens } from "@sotto/inspector"
import type { Feed } from "./feed.js"
import type { Hub } from "./hub.js"

/** What a session does now. Every server of its store says the same. */
export interface Activity {
  readonly state: SessionState
  readonly holder?: ShownHolder
  readonly questions: readonly OpenQuestion[]
}

/** What a session has used. */
export interface SpentSum {
  /** Requests so far. */
  readonly steps: number
  readonly tokens: UsedTokens
  /** In dollars; absent where the price of a model is not known. */
  readonly cost?: number
}

const NO_TOKENS: UsedTokens = { sent: 0, read: 0, output: 0 }

/** Hears what a session does, and returns false if it could not take that now. */
type Listener = (now: Omit<Activity, "questions"> & SpentSum & { readonly questions: number }) => boolean

type Prices = (model: string) => Price | undefined

/** How soon streams are told after something has changed: many changes come together. */
const SOON_MS = 250
/** How often to look although nothing was heard: the store does not tell when a session is given back. */
const SELDOM_MS = 5_000

/**
 * Tells what sessions do, whichever process runs them, from what their holders say in the store and from their logs. A
 * session that this server runs is asked itself.
 */
export class SessionActivity {
  readonly #hub: Hub
  readonly #prices: Prices
  readonly #ofFeeds = new WeakMap<Feed, Account>()
  readonly #ofStored = new Map<string, { readonly account: Account; readonly at: string }>()
  readonly #watched = new Set<{ readonly id: string; readonly tell: Listener; last: string }>()
  #timer: NodeJS.Timeout | undefined
  #stopHearing = () => {}
  #isSoon = false
  #isLooking = false
  #isAskedAgain = false

  constructor(hub: Hub, prices: Prices) {
    this.#hub = hub
    this.#prices = prices
  }

  /**
   * Returns what tells of each session. Sessions that this server runs cost nothing; for all others together the store
   * is asked once.
   */
  look(): (id: string) => Promise<Activity> {
    let looked: ReturnType<typeof lookAt> | undefined
    return async (id) => {
      const runner = this.#hub.runner(id)
      if (runner !== undefined) {
        const questions = (await this.#hub.feed(id)).questions as readonly OpenQuestion[]
        const state = questions.length > 0 ? "asking" : runner.isAtWork ? "running" : "idle"
        return { state, questions, holder: this.#hub.self }
      }
      looked ??= lookAt(this.#hub)
      const { holders, busy } = await looked
      const held = holders.get(id)
      if (held === undefined) return { state: busy.has(id) ? "waiting" : "idle", questions: [] }
      const { host, pid, worker } = held
      const questions = held.asking as readonly OpenQuestion[]
      const isAtWork = busy.has(id) || (worker === undefined && (await this.#isInTurn(id)))
      const state = questions.length > 0 ? "asking" : isAtWork ? "running" : "idle"
      return { state, questions, holder: { host, pid, ...(worker !== undefined && { worker }) } }
    }
  }

  /** Tells what a session has used, by the log that a feed has. */
  spentIn(feed: Feed): SpentSum {
    const account = this.#ofFeeds.get(feed) ?? new Account(this.#prices)
    this.#ofFeeds.set(feed, account)
    for (const entry of feed.following.session.log.slice(account.next)) account.take(rowOf(entry))
    return account.spent
  }

  /** Tells what a session of the list has used. Reads what is new of it, and nothing of one that did not change. */
  async spentBy({ id, updated, messages, damaged }: SessionSummary, isHeld: boolean): Promise<SpentSum> {
    if (damaged !== undefined) return { steps: 0, tokens: NO_TOKENS }
    if (this.#hub.runner(id) !== undefined) return this.spentIn(await this.#hub.feed(id))
    const at = `${updated} ${messages}`
    const known = this.#ofStored.get(id)
    if (known?.at === at && !isHeld) return known.account.spent
    const account = known?.account ?? new Account(this.#prices)
    try {
      for (const row of await this.#hub.store.usage(id, account.next)) account.take(row)
    } catch (error) {
      if (!(error instanceof StoreError && error.code === "damaged")) throw error
      return { steps: 0, tokens: NO_TOKENS }
    }
    this.#ofStored.set(id, { account, at })
    return account.spent
  }

  /** Tells a reader of events what the session does now, and again whenever that has changed. Returns what stops it. */
  watch(id: string, tell: Listener): () => void {
    const one = { id, tell, last: "" }
    if (this.#watched.size === 0) this.#stopHearing = this.#hub.store.onChange(() => this.soon())
    this.#watched.add(one)
    this.soon()
    return () => {
      this.#watched.delete(one)
      if (this.#watched.size > 0) return
      this.#stopHearing()
      clearTimeout(this.#timer)
      this.#isSoon = false
    }
  }

  /** Looks in a moment whether something has changed. */
  soon(): void {
    if (this.#isLooking) this.#isAskedAgain = true
    else if (this.#watched.size > 0 && !this.#isSoon) this.#wait(SOON_MS)
  }

  #wait(time: number): void {
    clearTimeout(this.#timer)
    this.#isSoon = time === SOON_MS
    this.#timer = setTimeout(() => void this.#tell(), time).unref()
  }

  async #tell(): Promise<void> {
    this.#isLooking = true
    this.#isAskedAgain = false
    await this.#tellAll().catch((error: unknown) => {
      // A store that is away is asked again later.
      if (!(error instanceof StoreError)) throw error
    })
    this.#isLooking = false
    if (this.#watched.size > 0) this.#wait(this.#isAskedAgain ? SOON_MS : SELDOM_MS)
    else this.#isSoon = false
  }

  async #tellAll(): Promise<void> {
    const activity = this.look()
    for (const one of [...this.#watched]) {
      const { questions, ...now } = await activity(one.id)
      const spent = this.spentIn(await this.#hub.feed(one.id))
      const whole = { ...now, questions: questions.length, ...spent }
      const text = JSON.stringify(whole)
      if (text !== one.last && one.tell(whole)) one.last = text
    }
  }

  /** True if the log says that a turn is open. Of a session that cannot be read it is not known. */
  async #isInTurn(id: string): Promise<boolean> {
    try {
      const { session } = (await this.#hub.feed(id)).following
      return session.isInTurn || session.phase !== "idle"
    } catch (error) {
      if (error instanceof StoreError && error.code === "damaged") return false
      throw error
    }
  }
}

/** Asks the store who has which session open, and which sessions have something to do. */
async function lookAt({ store: { upkeep } }: Hub) {
  const [holders, busy] = await Promise.all([upkeep.holders(), upkeep.busy()])
  return { holders: new Map(holders.map((holder) => [holder.session, holder])), busy }
}

/** Adds up what a session has used, entry by entry. */
class Account {
  readonly #prices: Prices
  #next = 0
  #model = ""
  #isLong = false
  #steps = 0
  #cost: number | undefined = 0
  #tokens = NO_TOKENS

  constructor(prices: Prices) {
    this.#prices = prices
  }

  /** The sequence number of the first entry that it has not seen. */
  get next(): number {
    return this.#next
  }

  get spent(): SpentSum {
    const cost = this.#cost
    return { steps: this.#steps, tokens: this.#tokens, ...(cost !== undefined && { cost }) }
  }

  take(row: UsageRow | { readonly is: "other"; readonly seq: number }): void {
    this.#next = row.seq + 1
    switch (row.is) {
      case "request":
        this.#steps++
        this.#model = row.model ?? this.#model
        this.#isLong = row.isLong
        return
      case "reply": {
        if (row.usage === undefined) return
        const { input, cacheRead, cacheWrite, output } = row.usage
        this.#tokens = {
          sent: this.#tokens.sent + input + cacheRead + cacheWrite,
          read: this.#tokens.read + cacheRead,
          output: this.#tokens.output + output,
        }
        if (this.#cost === undefined) return
        const cost = costOf(row.usage, this.#prices(this.#model), this.#isLong)
        this.#cost = cost === undefined ? undefined : this.#cost + cost
        return
      }
      case "other":
    }
  }
}

function rowOf(entry: Entry): Parameters<Account["take"]>[0] {
  const { seq } = entry
  if (entry.type === "step") {
    const model = entry.epoch?.pins.model
    return {
      ...{ is: "request", seq, isLong: entry.economy?.extended ?? false },
      ...(model !== undefined && { model }),
    }
  }
  if (entry.type !== "replied") return { is: "other", seq }
  const { usage } = entry.reply
  return { is: "reply", seq, ...(usage && { usage }) }
}
