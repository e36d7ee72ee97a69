import type { Session } from "@sotto/core"
import {
  type AccountSum,
  addAccounts,
  addLine,
  allClasses,
  NOTHING_SPENT,
  type PriceLookup,
  SessionAccount,
} from "@sotto/core/economy"
import type { Limit, SpendLimits } from "../../settings/config/outside.js"
import { figuresOf } from "./tree-account.js"

export interface MeterOptions {
  readonly limits: SpendLimits
  readonly priceOf: PriceLookup
  readonly session: Session
  /** Of the session that a subagent works for. */
  readonly parent?: Meter | undefined
  /** What its subagents have cost before it was opened. */
  readonly before?: AccountSum | undefined
}

/** Steps of one session, tokens and dollars of its tree. */
interface Spent {
  readonly steps: number
  readonly tokens: number
  readonly dollars: number
}

/**
 * Keeps the account of a session and of everything that it started, and says when that is as much as the user allows.
 * Tokens and money are limited for the whole tree: a subagent stops where the session at the root has to. Steps are
 * limited for each session.
 */
export class Meter {
  readonly #limits: SpendLimits
  readonly #session: Session
  readonly #parent: Meter | undefined
  readonly #account: SessionAccount
  readonly #children = new Set<Meter>()
  /** What subagents have cost that are closed. */
  #ended: AccountSum
  #steps = 0
  /** What had been spent when the turn began. */
  #began: Spent
  /** What the session may use now: as much again, each time the user goes on in spite of the limit. */
  #allowed = 1

  constructor({ limits, priceOf, session, parent, before = NOTHING_SPENT }: MeterOptions) {
    this.#limits = limits
    this.#session = session
    this.#parent = parent
    this.#account = new SessionAccount(priceOf)
    this.#ended = before
    if (parent) parent.#children.add(this)
    this.#began = this.#spent
  }

  /** What the session and everything that it started has cost. */
  get tree(): AccountSum {
    this.#readLog()
    let sum = addAccounts(this.#account.total, this.#ended)
    for (const child of this.#children) sum = addAccounts(sum, child.tree)
    return sum
  }

  /**
   * Gives the dollars that the summary of a compaction cost: the requests for it right before the entry with this number.
   * Returns undefined if there are none, as where a program brought the summary, or a price is not known.
   */
  summaryCost(compaction: number): number | undefined {
    this.#readLog()
    const before = this.#account.lines.filter(({ seq }) => seq < compaction)
    const last = before.findLastIndex(({ purpose }) => purpose !== "summary")
    const lines = before.slice(last + 1)
    return lines.length === 0 ? undefined : figuresOf(lines.reduce(addLine, NOTHING_SPENT)).cost
  }

  /** Begins a turn. A user who goes on after a limit of the session is given as much again. */
  turnBegins(): void {
    this.#began = this.#spent
    while (over(this.#spent, this.#limits.session, this.#allowed) !== undefined) this.#allowed++
  }

  /** Says in words which limit is reached; undefined below all limits. */
  reached(): string | undefined {
    const own = this.#reachedHere()
    if (own !== undefined) return `${own.limit} (${own.name}). ${own.remedy}`
    const tree = this.#root === this ? undefined : this.#root.#reachedHere("tree")
    return tree && `${tree.limit} for the session and its subagents together (${tree.name}).`
  }

  /** Hands the account to the parent's when the session is closed. */
  end(): void {
    const parent = this.#parent
    if (parent === undefined || !parent.#children.delete(this)) return
    parent.#ended = addAccounts(parent.#ended, this.tree)
  }

  get #root(): Meter {
    return this.#parent === undefined ? this : this.#parent.#root
  }

  #reachedHere(of?: "tree") {
    const { steps, ...shared } = this.#spent
    const spent: Spent = { ...shared, steps: of === "tree" ? 0 : steps }
    const turn = over(difference(spent, this.#began), this.#limits.turn, 1)
    if (turn !== undefined) return { limit: turn, name: "limits.turn", remedy: "Say something to go on." }
    const session = over(spent, this.#limits.session, this.#allowed)
    const remedy = "Say something to go on: as much again is allowed then."
    return session === undefined ? undefined : { limit: session, name: "limits.session", remedy }
  }

  /** Of a subagent only the steps: its tokens and its money are limited where its tree begins. */
  get #spent(): Spent {
    if (this.#parent !== undefined) this.#readLog()
    const { tokens, dollars } = this.#parent === undefined ? this.tree : NOTHING_SPENT
    return { steps: this.#steps, tokens: allClasses(tokens), dollars: allClasses(dollars) }
  }

  #readLog(): void {
    const lines = this.#account.takeLog(this.#session.log)
    this.#steps += lines.filter(({ purpose }) => purpose === "step").length
  }
}

function difference(now: Spent, before: Spent): Spent {
  return {
    steps: now.steps - before.steps,
    tokens: now.tokens - before.tokens,
    dollars: now.dollars - before.dollars,
  }
}

function over(spent: Spent, limit: Limit | undefined, times: number): string | undefined {
  if (limit?.steps !== undefined && spent.steps >= limit.steps * times)
    return `The limit of ${limit.steps * times} steps is reached`
  if (limit?.tokens !== undefined && spent.tokens >= limit.tokens * times)
    return `The limit of ${limit.tokens * times} tokens is reached`
  if (limit?.cost !== undefined && spent.dollars >= limit.cost * times)
    return `The limit of $${limit.cost * times} is reached`
  return undefined
}
