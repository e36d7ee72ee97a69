import type { HeldResult, RebaseReason } from "./exchange.js"
import type { ToolDefinition } from "./tool.js"

/** Counts the tokens of a text. */
export type TokenCounter = (text: string) => number

/** Prices as multiples of what an input token costs. */
export interface EconomyRates {
  /** A token that the cache has. */
  readonly read: number
  /** A token that is written to the cache for its shorter lifetime. */
  readonly write: number
  /** A token that is written to the cache for an hour. */
  readonly writeHour: number
  /** A token that the model writes. */
  readonly output: number
}

/**
 * What the session has paid and would pay, in input-token equivalents. It is logged with every step, and the next step goes
 * by what was logged: so a restored session decides as one that never stopped.
 */
export interface EconomyAccount {
  /** Tokens of results that count as stale at this step. */
  readonly stale: number
  /** What re-reading stale results has cost since the last rebase, this step included. */
  readonly paid: number
  /** What a rebase that drops them would cost now; 0 if the cache is gone anyway. */
  readonly price: number
  /** What re-reading the conversation that a summary would replace has cost since the last one, and what one costs now. */
  readonly summary: { readonly paid: number; readonly price: number }
  /** Seconds that the provider keeps the cache after its last use. */
  readonly lifetime: number
  /** The provider is asked to keep it for longer than it does by itself. */
  readonly extended?: true
  /** By how much the other lifetime would have been cheaper so far, where the provider offers two. */
  readonly regret: number
  /** The rates of the epoch. */
  readonly rates: EconomyRates
  /** Tokens of all that this step sends. */
  readonly tokens: number
  /** Why stale results are dropped at this step: the account has reached the price, or the cache is gone because of this. */
  readonly because?: "break-even" | "pause" | RebaseReason
}

/** A result that a rebase drops, and what stands for it from then on. */
export interface Dropped {
  /** The id of the result. */
  readonly id: string
  /** What the model reads in its place. */
  readonly text: string
}

/** What an economy goes by at a boundary. */
export interface EconomyInput {
  /** Milliseconds, by the harness's clock. */
  readonly at: number
  /** When the cache was last used. */
  readonly usedAt: number | undefined
  /** As logged with the last step. */
  readonly account: EconomyAccount | undefined
  /** The model that the request is for. */
  readonly model: string
  /** The dialect that it is spoken to in; any, if the session does not say. */
  readonly dialect: string | undefined
  /** Tokens that the model takes. */
  readonly window: number
  /** Tokens of the epoch so far; of that, before the conversation. */
  readonly context: { readonly all: number; readonly head: number }
  /** Results that were sent and are still whole, oldest first. */
  readonly held: readonly HeldResult[]
  /** Tokens of results that this step sends for the first time. */
  readonly pending: readonly number[]
  /** Why the step begins an epoch in any case. */
  readonly reasons: readonly RebaseReason[]
  /** A rebase would have to wait: reasoning of the open tool turn has to come back unchanged. */
  readonly waits: boolean
  /** The API can be asked to drop reasoning whose earlier bytes changed. */
  readonly dropsReasoning: boolean
  /** True if a rebase would change what comes before the conversation. Asked for only where it matters. */
  changesHead(): boolean
  /** Finds the tool of this name; undefined without one. */
  tool(name: string): ToolDefinition | undefined
  /** Counts the tokens of a text. */
  readonly count: TokenCounter
}

/** What an economy decides at a boundary. */
export interface EconomyDecision {
  /** Logged with the step. */
  readonly account: EconomyAccount
  /** Results to drop; only if the step begins an epoch, for whichever reason. */
  readonly dropped: readonly Dropped[]
  /** The step begins an epoch although nothing else asks for one. */
  readonly rebases: boolean
  /** What becomes of reasoning that a rebase would have to wait for. */
  readonly reasoning?: "close" | "drop"
}

/** Decides when a rebase pays. `breakEven` of `@sotto/core/economy` is one. Pure: the same standing, the same judgement. */
export interface Economy {
  /** Asked at every boundary that sends a request. */
  judge(standing: EconomyInput): EconomyDecision
  /** Whether a summary pays, by the account of the last step. */
  summaryPays(account: EconomyAccount): boolean
}
