import {
  type AccountSum,
  addAccounts,
  addLine,
  NOTHING_SPENT,
  type PriceLookup,
  SessionAccount,
} from "@sotto/core/economy"
import { figuresOf, type SessionSummary, StoreError } from "@sotto/harness"
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
  /** Its own steps so far. */
  readonly steps: number
  /** Of every request that was paid for, its subagents' too. */
  readonly tokens: UsedTokens
  /** In dollars, for all of them; absent where the price of a model is not known. */
  readonly cost?: number
  /** Models whose own price is not known, each with the model whose price was taken for it; absent without one. */
  readonly assumed?: Readonly<Record<string, string>>
}

const NO_TOKENS: UsedTokens = { sent: 0, read: 0, output: 0 }

/** Hears what a session does, and returns false if it could not take that now. */
type Listener = (now: Omit<Activity, "questions"> & SpentSum & { readonly questions: number }) => boolean

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
  readonly #prices: PriceLookup
  readonly #ofFeeds = new WeakMap<Feed, SessionAccount>()
  readonly #ofStored = new Map<string, { readonly account: SessionAccount; readonly at: string }>()
  readonly #watched = new Set<{ readonly id: string; readonly tell: Listener; last: string }>()
  #timer: NodeJS.Timeout | undefined
  #stopHearing = () => {}
  #isSoon = false
  #isLooking = false
  #isAskedAgain = false

  constructor(hub: Hub, prices: PriceLookup) {
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

  /** Tells what a session and its subagents have used. Its own log is the one that a feed has. */
  async spentIn(feed: Feed): Promise<SpentSum> {
    const { id } = feed.following.session
    return this.#sumOf(this.#ofFeed(feed), await this.#subagents(id))
  }

  /** Tells what a session of the list has used. Reads what is new of it, and nothing of one that did not change. */
  async spentBy(session: SessionSummary, isHeld: boolean): Promise<SpentSum> {
    if (session.damaged !== undefined) return { steps: 0, tokens: NO_TOKENS }
    return this.#sumOf(await this.#account(session, isHeld), await this.#subagents(session.id))
  }

  /** Tells the same by the model that was asked. */
  async spentByModel(session: SessionSummary, isHeld: boolean): Promise<ReadonlyMap<string, SpentSum>> {
    const accounts = [await this.#account(session, isHeld), ...(await this.#subagents(session.id))]
    const models = new Map<string, { steps: number; sum: AccountSum }>()
    for (const line of accounts.flatMap(({ lines }) => lines)) {
      const known = models.get(line.model) ?? { steps: 0, sum: NOTHING_SPENT }
      const steps = known.steps + (line.purpose === "step" ? 1 : 0)
      models.set(line.model, { steps, sum: addLine(known.sum, line) })
    }
    return new Map([...models].map(([model, { steps, sum }]) => [model, spentOf(steps, sum)]))
  }

  #sumOf(own: SessionAccount, subagents: readonly SessionAccount[]): SpentSum {
    return spentOf(
      own.steps,
      subagents.reduce((sum, { total }) => addAccounts(sum, total), own.total),
    )
  }

  #ofFeed(feed: Feed): SessionAccount {
    const account = this.#ofFeeds.get(feed) ?? new SessionAccount(this.#prices)
    this.#ofFeeds.set(feed, account)
    account.takeLog(feed.following.session.log)
    return account
  }

  async #account(session: SessionSummary, isHeld: boolean): Promise<SessionAccount> {
    if (this.#hub.runner(session.id) === undefined) return this.#stored(session, isHeld)
    return this.#ofFeed(await this.#hub.feed(session.id))
  }

  async #subagents(id: string): Promise<readonly SessionAccount[]> {
    const accounts: SessionAccount[] = []
    for (const session of await this.#hub.store.subagents(id))
      accounts.push(await this.#stored(session, true))
    return accounts
  }

  /** Gives the account of one session of the store. A damaged one has cost nothing that can be read. */
  async #stored(
    { id, updated, messages, damaged }: SessionSummary,
    isHeld: boolean,
  ): Promise<SessionAccount> {
    const at = `${updated} ${messages}`
    const known = this.#ofStored.get(id)
    if (known?.at === at && !isHeld) return known.account
    const account = known?.account ?? new SessionAccount(this.#prices)
    try {
      if (damaged === undefined)
        for (const row of await this.#hub.store.usage(id, account.next)) account.take(row)
    } catch (error) {
      if (!(error instanceof StoreError && error.code === "damaged")) throw error
      return new SessionAccount(this.#prices)
    }
    this.#ofStored.set(id, { account, at })
    return account
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
      const spent = await this.spentIn(await this.#hub.feed(one.id))
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

function spentOf(steps: number, sum: AccountSum): SpentSum {
  const { input, output, cacheRead, cacheWrite, cost, assumed } = figuresOf(sum)
  return {
    steps,
    tokens: { sent: input + cacheRead + cacheWrite, read: cacheRead, output },
    ...(cost !== undefined && { cost }),
    ...(assumed && { assumed }),
  }
}

/** Adds up. The cost is absent if one of them has none: it is not known then. */
export function sumOf(all: readonly SpentSum[]): SpentSum {
  return all.reduce(plus, { steps: 0, tokens: NO_TOKENS, cost: 0 })
}

function plus(one: SpentSum, { steps, tokens, cost, assumed }: SpentSum): SpentSum {
  return {
    steps: one.steps + steps,
    tokens: {
      sent: one.tokens.sent + tokens.sent,
      read: one.tokens.read + tokens.read,
      output: one.tokens.output + tokens.output,
    },
    ...(one.cost !== undefined && cost !== undefined && { cost: one.cost + cost }),
    ...((one.assumed ?? assumed) && { assumed: { ...one.assumed, ...assumed } }),
  }
}
