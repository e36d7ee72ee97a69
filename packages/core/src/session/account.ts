import { type PriceLookup, USUAL_RATES } from "../economy/rates.js"
import type { Entry } from "../log/entry.js"
import { type Price, priceAt, ratesFor } from "../prices/index.js"
import type { Reply, Usage } from "../vocabulary/reply.js"

/** What an account takes of an entry. A store can give this without reading the rest of its logs. */
export type UsageRow =
  /** A step. `model` is there if another model is asked from here on. `isLong`: the cache is kept for an hour. */
  | { readonly is: "request"; readonly seq: number; readonly model?: string; readonly isLong: boolean }
  /** The reply to the step before, whole or cut short. */
  | { readonly is: "reply"; readonly seq: number; readonly at: number; readonly usage?: Usage }
  /** A request beside the steps. */
  | {
      readonly is: "billed"
      readonly seq: number
      readonly at: number
      readonly purpose: string
      readonly model: string
      readonly usage?: Usage
      readonly isLong: boolean
    }
  /** Entries before the number `before` were copied from a session that has paid for them. */
  | { readonly is: "copied"; readonly seq: number; readonly before: number }

/** A number for each price class of tokens. */
export type ByPriceClass = Readonly<Record<keyof Usage, number>>

/** A request that was paid for. */
export interface AccountLine {
  /** The number of the entry that tells of it. */
  readonly seq: number
  /** Milliseconds, by the harness's clock. */
  readonly at: number
  /** What it was for: "step", or the purpose of a side request, or "retry". */
  readonly purpose: string
  /** The model that was asked. */
  readonly model: string
  /** As the provider counted; undefined if it did not say. */
  readonly usage: Usage | undefined
  /** In input-token equivalents: of the model's own price, or of the usual rates if that is not known. */
  readonly equivalents: ByPriceClass
  /** In dollars; undefined if the price of the model is not known. */
  readonly dollars: ByPriceClass | undefined
  /** The model whose price was taken, because the model's own is not known. */
  readonly assumed?: string
}

/** What requests have cost together. */
export interface AccountSum {
  /** Requests that were paid for. */
  readonly requests: number
  /** As the providers counted. */
  readonly tokens: ByPriceClass
  /** In input-token equivalents. */
  readonly equivalents: ByPriceClass
  /** In dollars, of the requests whose price is known. */
  readonly dollars: ByPriceClass
  /** Requests whose price is not known. */
  readonly unpriced: number
  /** Requests of which the provider did not say what they used. They count as nothing. */
  readonly uncounted: number
  /** Models whose own price is not known, each with the model whose price was taken for it. */
  readonly assumed: Readonly<Record<string, string>>
}

const NONE: ByPriceClass = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** The sum of no requests. */
export const NOTHING_SPENT: AccountSum = {
  requests: 0,
  tokens: NONE,
  equivalents: NONE,
  dollars: NONE,
  unpriced: 0,
  uncounted: 0,
  assumed: {},
}

/** The account of one session: every request that was paid for. It takes the log entry by entry, each once. */
export class SessionAccount {
  readonly #priceOf: PriceLookup
  readonly #lines: AccountLine[] = []
  readonly #prices = new Map<string, Price | undefined>()
  #total = NOTHING_SPENT
  #next = 0
  #steps = 0
  #copied = 0
  #asked = { model: "", isLong: false }

  constructor(priceOf: PriceLookup) {
    this.#priceOf = priceOf
  }

  /** The requests, oldest first. */
  get lines(): readonly AccountLine[] {
    return this.#lines
  }

  /** All of them together. */
  get total(): AccountSum {
    return this.#total
  }

  /** Steps that the log has, copied ones included. */
  get steps(): number {
    return this.#steps
  }

  /** The sequence number of the first entry that it has not seen. */
  get next(): number {
    return this.#next
  }

  /** Takes the entries of a log that it has not seen yet. Returns the requests that they tell of. */
  takeLog(log: readonly Entry[]): readonly AccountLine[] {
    const before = this.#lines.length
    for (const entry of log.slice(this.#next)) {
      const row = usageRowOf(entry)
      if (row !== undefined) this.take(row)
      this.#next = entry.seq + 1
    }
    return this.#lines.slice(before)
  }

  /** Takes what a store says of one entry. */
  take(row: UsageRow): void {
    this.#next = row.seq + 1
    switch (row.is) {
      case "copied":
        this.#copied = row.before
        return
      case "request":
        this.#steps++
        this.#asked = { model: row.model ?? this.#asked.model, isLong: row.isLong }
        return
      case "reply":
        this.#add({ ...row, ...this.#asked, purpose: "step" })
        return
      case "billed":
        this.#add(row)
    }
  }

  #add({ seq, at, purpose, model, isLong, ...row }: Omit<UsageRow & { readonly is: "billed" }, "is">): void {
    if (seq < this.#copied) return
    const usage = row.usage && counted(row.usage)
    const known = this.#price(model)
    const price = known && priceAt(known, at)
    const line = {
      ...{ seq, at, purpose, model, usage, ...costOf(usage, price, isLong) },
      ...(price?.assumed !== undefined && { assumed: price.assumed }),
    }
    this.#lines.push(line)
    this.#total = addLine(this.#total, line)
  }

  /** A session asks at every step, and mostly for the same model. */
  #price(model: string): Price | undefined {
    if (!this.#prices.has(model)) this.#prices.set(model, this.#priceOf(model))
    return this.#prices.get(model)
  }
}

/** Gives the account of a log: every request that was paid for, also before a rewind. */
export function accountOf(log: readonly Entry[], priceOf: PriceLookup): SessionAccount {
  const account = new SessionAccount(priceOf)
  account.takeLog(log)
  return account
}

/** Gives what an account takes of an entry; undefined if that is nothing. */
export function usageRowOf(entry: Entry): UsageRow | undefined {
  const { seq, at } = entry
  switch (entry.type) {
    case "opened":
      return entry.copied === undefined ? undefined : { is: "copied", seq, before: entry.copied }
    case "step": {
      const model = entry.epoch?.pins.model
      const isLong = entry.economy?.extended ?? false
      return { is: "request", seq, isLong, ...(model !== undefined && { model }) }
    }
    case "replied":
      return replyRow(seq, at, entry.reply)
    case "said":
    case "edited":
    case "aborted":
    case "ended":
      return replyRow(seq, at, entry.interrupts?.kept)
    case "billed": {
      const { purpose, model, usage, cacheLifetime } = entry
      const isLong = cacheLifetime !== undefined
      return { is: "billed", seq, at, purpose, model, isLong, ...(usage && { usage }) }
    }
    default:
      return undefined
  }
}

/** A reply without words and without a count was never charged: the request was refused, or not answered yet. */
function replyRow(seq: number, at: number, reply: Reply | undefined): UsageRow | undefined {
  if (reply === undefined || (reply.usage === undefined && reply.parts.length === 0)) return undefined
  return { is: "reply", seq, at, ...(reply.usage && { usage: reply.usage }) }
}

/** Reads a count as the log has it: not all providers count everything, and what they leave out is none or null. */
function counted(usage: { readonly [Class in keyof Usage]?: number | null }): Usage {
  const { input, output, cacheRead, cacheWrite } = usage
  return { input: input ?? 0, output: output ?? 0, cacheRead: cacheRead ?? 0, cacheWrite: cacheWrite ?? 0 }
}

/** Adds what two groups of requests have cost. */
export function addAccounts(a: AccountSum, b: AccountSum): AccountSum {
  return {
    requests: a.requests + b.requests,
    tokens: added(a.tokens, b.tokens),
    equivalents: added(a.equivalents, b.equivalents),
    dollars: added(a.dollars, b.dollars),
    unpriced: a.unpriced + b.unpriced,
    uncounted: a.uncounted + b.uncounted,
    assumed: { ...a.assumed, ...b.assumed },
  }
}

/** Adds one more request. */
export function addLine(
  sum: AccountSum,
  { model, usage, equivalents, dollars, assumed }: AccountLine,
): AccountSum {
  return addAccounts(sum, {
    requests: 1,
    tokens: usage ?? NONE,
    equivalents,
    dollars: dollars ?? NONE,
    unpriced: dollars === undefined ? 1 : 0,
    uncounted: usage === undefined ? 1 : 0,
    assumed: assumed === undefined ? {} : { [model]: assumed },
  })
}

/** Adds up the price classes. */
export function allClasses({ input, output, cacheRead, cacheWrite }: ByPriceClass): number {
  return input + output + cacheRead + cacheWrite
}

/** Gives the money; undefined if the price of a request is not known. */
export function moneyOf({ dollars, unpriced }: Pick<AccountSum, "dollars" | "unpriced">): number | undefined {
  return unpriced > 0 ? undefined : allClasses(dollars)
}

function added(a: ByPriceClass, b: ByPriceClass): ByPriceClass {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  }
}

/** Prices one request: by the length of its prompt, and by how long the cache keeps what it writes. */
function costOf(
  usage: Usage | undefined,
  price: Price | undefined,
  isLong: boolean,
): Pick<AccountLine, "equivalents" | "dollars"> {
  if (usage === undefined) return { equivalents: NONE, dollars: price && NONE }
  const { read, write, writeHour, output } = USUAL_RATES
  if (price === undefined) {
    const usual = { input: 1, output, cacheRead: read, cacheWrite: isLong ? writeHour : write }
    return { equivalents: times(usage, usual, 1), dollars: undefined }
  }
  const rates = ratesFor(price, usage.input + usage.cacheRead + usage.cacheWrite)
  const asked = { ...rates, cacheWrite: isLong ? rates.cacheWriteHour : rates.cacheWrite }
  // A model that costs nothing has no price to count in.
  const unit = price.input > 0 ? 1 / price.input : 0
  return { equivalents: times(usage, asked, unit), dollars: times(usage, asked, 1 / 1_000_000) }
}

function times(usage: Usage, rates: ByPriceClass, unit: number): ByPriceClass {
  return {
    input: usage.input * rates.input * unit,
    output: usage.output * rates.output * unit,
    cacheRead: usage.cacheRead * rates.cacheRead * unit,
    cacheWrite: usage.cacheWrite * rates.cacheWrite * unit,
  }
}
