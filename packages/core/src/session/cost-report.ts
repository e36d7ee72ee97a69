import type { PriceLookup } from "../economy/rates.js"
import type { Entry } from "../log/entry.js"
import { estimateTokens } from "../text/tokens.js"
import type { EconomyAccount } from "../vocabulary/economy.js"
import type { Usage } from "../vocabulary/reply.js"
import type { Request } from "../vocabulary/request.js"
import type { WireMessage } from "../vocabulary/wire-message.js"
import {
  type AccountLine,
  type AccountSum,
  accountOf,
  addAccounts,
  addLine,
  NOTHING_SPENT,
  type SessionAccount,
} from "./account.js"
import { diagnosesIn, type StepDiagnosis } from "./diagnoses.js"
import { requestsIn } from "./replay.js"

/** What a session has cost, and what its economy has decided. Made from the log alone. */
export interface CostReport {
  /** What all requests have cost together: also subagents', those before a rewind, and those beside the steps. */
  readonly sum: AccountSum
  /** The same by price class. */
  readonly spent: readonly TokenSpend[]
  /** The same by what the requests were for, and by the model that was asked. */
  readonly purposes: readonly PurposeSpend[]
  /** What the session itself has cost. */
  readonly own: AccountSum
  /** What each subagent has cost itself. */
  readonly subagents: readonly { readonly name: string; readonly sum: AccountSum }[]
  /** What the requests consisted of, in tokens of all requests together, by the engine's own count. */
  readonly sent: readonly { readonly what: string; readonly tokens: number }[]
  /** What the economy has saved so far, in input-token equivalents: what was not read again, less what its rebases cost. */
  readonly saved: number
  /** What was decided, oldest first. */
  readonly decisions: readonly EconomyEvent[]
  /** What the provider says of its cache, step by step, where it was asked and had something to compare with. */
  readonly diagnoses: readonly StepDiagnosis[]
}

/** A subagent, and what it has cost itself. */
export interface SubagentCost {
  /** What it is called in the report. */
  readonly name: string
  /** Its own requests, without those of its subagents. */
  readonly account: SessionAccount
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

/** What requests for one purpose to one model have cost. */
export interface PurposeSpend {
  /** As in the account: "step", "summary", "retry". */
  readonly purpose: string
  /** The model that was asked. */
  readonly model: string
  /** What they have cost together. */
  readonly sum: AccountSum
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

/**
 * Explains what a session and its subagents have cost. `priceOf` says what a model costs, where that is known. What requests
 * consisted of and what was decided is the session's own.
 */
export function explainCost(
  log: readonly Entry[],
  priceOf: PriceLookup,
  subagents: readonly SubagentCost[] = [],
): CostReport {
  const own = accountOf(log, priceOf)
  const sum = subagents.reduce((before, { account }) => addAccounts(before, account.total), own.total)
  const { decisions, saved } = decided(log)
  return {
    sum,
    spent: spending(sum),
    purposes: byPurpose([...own.lines, ...subagents.flatMap(({ account }) => account.lines)]),
    own: own.total,
    subagents: subagents.map(({ name, account }) => ({ name, sum: account.total })),
    sent: composition(log),
    saved: Math.round(saved),
    decisions,
    diagnoses: diagnosesIn(log),
  }
}

const CLASSES = [
  ["cacheRead", "read from the cache"],
  ["cacheWrite", "written to the cache"],
  ["input", "read anew"],
  ["output", "written by the model"],
] as const satisfies readonly (readonly [keyof Usage, TokenSpend["what"]])[]

/** Gives what was paid for in each price class. */
function spending({ tokens, equivalents, dollars, unpriced }: AccountSum): readonly TokenSpend[] {
  return CLASSES.map(([kind, what]) => ({
    what,
    tokens: tokens[kind],
    equivalents: Math.round(equivalents[kind]),
    dollars: unpriced > 0 ? undefined : dollars[kind],
  }))
}

/** Groups requests by what they were for and whom they asked, in the order in which the groups began. */
function byPurpose(lines: readonly AccountLine[]): readonly PurposeSpend[] {
  const groups = new Map<string, PurposeSpend>()
  for (const line of lines) {
    const { purpose, model } = line
    const key = JSON.stringify([purpose, model])
    const known = groups.get(key) ?? { purpose, model, sum: NOTHING_SPENT }
    groups.set(key, { ...known, sum: addLine(known.sum, line) })
  }
  return [...groups.values()]
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
