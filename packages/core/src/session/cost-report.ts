import { USUAL_RATES } from "../economy/rates.js"
import type { Entry } from "../log/entry.js"
import { type Price, ratesFor } from "../prices/index.js"
import { estimateTokens } from "../text/tokens.js"
import type { EconomyAccount } from "../vocabulary/economy.js"
import type { Usage } from "../vocabulary/reply.js"
import type { Request } from "../vocabulary/request.js"
import type { WireMessage } from "../vocabulary/wire-message.js"
import { requestsIn } from "./replay.js"

/** What a session has cost, and what its economy has decided. Made from the log alone. */
export interface CostReport {
  /** Replies with a count of tokens. */
  readonly replies: number
  /** What was paid for, as the providers counted it. */
  readonly spent: readonly TokenSpend[]
  /** All of it, in input-token equivalents. */
  readonly equivalents: number
  /** All of it, in dollars; undefined if the price of a model is not known. */
  readonly dollars: number | undefined
  /** What the requests consisted of, in tokens of all requests together, by the engine's own count. */
  readonly sent: readonly { readonly what: string; readonly tokens: number }[]
  /** What the economy has saved so far, in input-token equivalents: what was not read again, less what its rebases cost. */
  readonly saved: number
  /** What was decided, oldest first. */
  readonly decisions: readonly EconomyEvent[]
}

/** One kind of token. */
export interface TokenSpend {
  /** What was paid for. */
  readonly what: "read from the cache" | "written to the cache" | "read anew" | "written by the model"
  /** How many, as the providers counted. */
  readonly tokens: number
  /** In input-token equivalents. */
  readonly equivalents: number
  /** In dollars; undefined if the price of a model is not known. */
  readonly dollars: number | undefined
}

/** A decision of the economy, or a compaction, with the numbers that it was made by. */
export type EconomyEvent = { readonly turn: number; readonly step: number } & (
  | {
      readonly is: "dropped"
      readonly because: string
      readonly results: number
      /** Tokens that are no longer sent. */
      readonly tokens: number
      readonly paid: number
      readonly price: number
    }
  | { readonly is: "lifetime"; readonly seconds: number }
  | { readonly is: "compacted"; readonly because: string; readonly paid?: number; readonly price?: number }
)

type StepEntry = Extract<Entry, { type: "step" }>

/** Explains what a session has cost. `priceOf` says what a model costs, where that is known. */
export function explainCost(
  log: readonly Entry[],
  priceOf: (model: string) => Price | undefined,
): CostReport {
  const { spent, replies } = spending(log, priceOf)
  const { decisions, saved } = decided(log)
  const dollars = spent.map((one) => one.dollars)
  return {
    replies,
    spent,
    equivalents: total(spent.map(({ equivalents }) => equivalents)),
    dollars: dollars.some((one) => one === undefined) ? undefined : total(dollars.map((one) => one ?? 0)),
    sent: composition(log),
    saved: Math.round(saved),
    decisions,
  }
}

const KINDS = [
  ["cacheRead", "read from the cache"],
  ["cacheWrite", "written to the cache"],
  ["input", "read anew"],
  ["output", "written by the model"],
] as const satisfies readonly (readonly [keyof Usage, TokenSpend["what"]])[]

function spending(log: readonly Entry[], priceOf: (model: string) => Price | undefined) {
  const sums = new Map(
    KINDS.map(([kind]) => [kind as keyof Usage, { tokens: 0, equivalents: 0, dollars: 0 }]),
  )
  let step: StepEntry | undefined
  let model = ""
  let isKnown = true
  let replies = 0
  for (const entry of log) {
    if (entry.type === "step") {
      step = entry
      model = entry.epoch?.pins.model ?? model
    }
    const usage = entry.type === "replied" ? entry.reply.usage : undefined
    if (usage === undefined) continue
    replies++
    const price = priceOf(model)
    isKnown &&= price !== undefined
    const rates = price && ratesFor(price, usage.input + usage.cacheRead + usage.cacheWrite)
    const write = step?.economy?.extended ? rates?.cacheWriteHour : rates?.cacheWrite
    const dollars = { ...rates, cacheWrite: write }
    const usual = {
      cacheRead: USUAL_RATES.read,
      cacheWrite: USUAL_RATES.write,
      input: 1,
      output: USUAL_RATES.output,
    }
    for (const [kind] of KINDS) {
      const sum = sums.get(kind)
      if (sum === undefined) continue
      const rate = dollars[kind]
      sum.tokens += usage[kind]
      sum.equivalents += usage[kind] * (price && rate !== undefined ? rate / price.input : usual[kind])
      sum.dollars += (usage[kind] * (rate ?? 0)) / 1_000_000
    }
  }
  const spent = KINDS.map(([kind, what]): TokenSpend => {
    const { tokens, equivalents, dollars } = sums.get(kind) ?? { tokens: 0, equivalents: 0, dollars: 0 }
    return { what, tokens, equivalents: Math.round(equivalents), dollars: isKnown ? dollars : undefined }
  })
  return { spent, replies }
}

/** Sums up what the economy did, and what that has saved: each step reads less by what was dropped before it. */
function decided(log: readonly Entry[]): {
  readonly decisions: readonly EconomyEvent[]
  readonly saved: number
} {
  const decisions: EconomyEvent[] = []
  let account: EconomyAccount | undefined
  let missing = 0
  let saved = 0
  let at = { turn: 0, step: 0 }
  for (const entry of log) {
    if (entry.type === "compacted") {
      missing = 0
      const { paid, price } = account?.summary ?? {}
      const numbers =
        entry.why === "price" && paid !== undefined && price !== undefined ? { paid, price } : {}
      decisions.push({ ...at, is: "compacted", because: entry.why ?? "asked", ...numbers })
    }
    if (entry.type === "rewound") missing = 0
    if (entry.type !== "step") continue
    at = { turn: entry.turn, step: entry.step }
    const { economy, epoch } = entry
    if (economy === undefined) continue
    saved += missing * economy.rates.read
    if (account !== undefined && account.lifetime !== economy.lifetime)
      decisions.push({ ...at, is: "lifetime", seconds: economy.lifetime })
    const results = epoch?.dropped?.length ?? 0
    if (results > 0) {
      const { stale, price, because = "break-even", rates } = economy
      // What is written again anyway is written without it.
      saved += because === "break-even" ? stale * rates.read - price : stale * rates.write
      missing += stale
      const paid = Math.round((account?.paid ?? 0) + stale * rates.read)
      decisions.push({ ...at, is: "dropped", because, results, tokens: stale, paid, price })
    }
    account = economy
  }
  return { decisions, saved }
}

/** Sums up what all requests together consisted of. Looks at each message once an epoch. */
function composition(log: readonly Entry[]): CostReport["sent"] {
  const sums = new Map<string, number>()
  let known: { pins: Request["pins"]; length: number; here: Map<string, number> } | undefined
  for (const { request } of requestsIn(log)) {
    const { pins, messages } = request
    if (known?.pins !== pins) {
      const head = estimateTokens(pins.system) + estimateTokens(JSON.stringify(pins.tools))
      known = { pins, length: 0, here: new Map([["system prompt and tools", head]]) }
    }
    for (const message of messages.slice(known.length)) count(message, known.here)
    known.length = messages.length
    for (const [what, tokens] of known.here) sums.set(what, (sums.get(what) ?? 0) + tokens)
  }
  return [...sums].map(([what, tokens]) => ({ what, tokens })).sort((a, b) => b.tokens - a.tokens)
}

function count({ role, content }: WireMessage, here: Map<string, number>): void {
  const add = (what: string, value: unknown) => {
    const tokens = estimateTokens(typeof value === "string" ? value : textOf(value))
    here.set(what, (here.get(what) ?? 0) + tokens)
  }
  for (const block of content) {
    if (role === "assistant") add("replies and calls", "text" in block ? block.text : block)
    else if (block.type === "tool-result") add("tool results", block.content)
    else add("messages and reminders", "text" in block ? block.text : block)
  }
}

/** Writes a value without its media, which cost by their size on screen, not by their bytes. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === "data" ? "m".repeat(6_000) : inner))
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0)
}
