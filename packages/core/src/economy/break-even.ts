import type { Economy, EconomyAccount, EconomyDecision, EconomyInput } from "../vocabulary/economy.js"
import { chooseLifetime, type LifetimeSetting, usualLifetime } from "./lifetime.js"
import { type OwnPrices, ratesOf } from "./rates.js"
import { dropped, type Stale, staleResults } from "./stale.js"

/** How `breakEven` decides. Everything has a default. */
export interface BreakEvenSettings {
  /** Tokens of the newest results that are never stale; 14,000 unless given, and at most 15% of the window. */
  readonly keep?: number
  /**
   * What to do while reasoning of an open tool turn has to come back unchanged: wait for the end of the turn, close it and
   * go on after, or ask the API to drop the reasoning where it can (elsewhere: wait). "wait" unless given.
   */
  readonly reasoning?: "wait" | "close" | "drop"
  /** How long the provider keeps its cache, where that can be chosen. "auto" unless given: by the session's pauses. */
  readonly lifetime?: LifetimeSetting
  /** Tokens of conversation from which a summary may pay; 100,000 unless given. */
  readonly summaryFrom?: number
  /** Prices by the model's id, where the built-in table is wrong or silent. */
  readonly prices?: OwnPrices
}

const KEEP = 14_000
const KEPT_SHARE = 0.15
const SUMMARY_FROM = 100_000
/** About what a summary is long, and what is kept whole beside it. */
const SUMMARY = 2_000
const TAIL = 8_000

/** Rebases that change what was sent from its first byte on: the cache is gone, whatever else is done. */
const FROM_THE_TOP = new Set(["model", "agent", "system", "trust", "format", "carrier"])

/**
 * Rents until it has paid the price, then buys: re-reading stale results is the rent, a rebase that drops them is the
 * purchase. The session pays rent until it has paid as much as the rebase costs now, and then rebases. When the cache
 * is gone anyway, the rebase costs nothing and is done at once.
 *
 * @example
 * ```ts run
 * import { createSession } from "@sotto/core"
 * import { breakEven } from "@sotto/core/economy"
 *
 * const session = createSession({
 *   agents: [{ name: "build" }],
 *   model: { id: "claude-sonnet-5-5" },
 *   tools: [
 *     {
 *       name: "read",
 *       description: "Reads a file.",
 *       inputSchema: { type: "object", properties: { path: { type: "string" } } },
 *       safeToRepeat: true,
 *       results: { reads: "path" },
 *     },
 *   ],
 *   economy: breakEven(),
 *   now: () => Date.now(),
 *   newId: () => crypto.randomUUID(),
 * })
 * console.log(session.phase)
 * ```
 */
export function breakEven(settings: BreakEvenSettings = {}): Economy {
  const { summaryFrom = SUMMARY_FROM } = settings
  return {
    judge: (standing) => judge(standing, settings),
    summaryPays: ({ summary, tokens, stale }) =>
      tokens - stale >= summaryFrom && summary.paid >= summary.price,
  }
}

function judge(standing: EconomyInput, settings: BreakEvenSettings): EconomyDecision {
  const { account: before, reasons, context, at, usedAt, window } = standing
  const begins = reasons.length > 0
  const rates =
    begins || before === undefined ? ratesOf(standing.model, context.all, settings.prices, at) : before.rates
  const pause = usedAt === undefined ? 0 : at - usedAt
  const isGone = pause > (before?.lifetime ?? usualLifetime(standing)) * 1_000
  const free = isGone ? ("pause" as const) : reasons.find((reason) => FROM_THE_TOP.has(reason))
  const isCompacted = reasons.includes("compaction")

  const keep = Math.min(settings.keep ?? KEEP, KEPT_SHARE * window)
  const stale = isCompacted ? [] : staleResults(standing, keep)
  const saved = stale.reduce((sum, one) => sum + one.saved, 0)
  const paid = (isCompacted ? 0 : (before?.paid ?? 0)) + (isGone ? rates.write : rates.read) * saved
  const price = free ? 0 : rebasePrice(standing, stale, saved, rates.write - rates.read, paid)
  const isDue = stale.length > 0 ? paid >= price : isGone && !begins && standing.changesHead()
  const reasoning = standing.waits ? wayOut(settings, standing) : undefined
  const rebases = isDue && !begins && (!standing.waits || reasoning !== undefined)
  const drops = isDue && stale.length > 0 && (begins || rebases)

  const pending = standing.pending.reduce((sum, tokens) => sum + tokens, 0)
  const tokens = context.all + pending - (drops ? saved : 0)
  const isAnew = free !== undefined || before === undefined
  return {
    account: {
      stale: saved,
      paid: drops ? 0 : Math.round(paid),
      price: Math.round(price),
      summary: summaryAccount(standing, saved, keep, rates, isCompacted),
      ...chooseLifetime(standing, {
        setting: settings.lifetime ?? "auto",
        before,
        rates,
        pause,
        tokens,
        isAnew,
      }),
      rates,
      tokens,
      ...((drops || rebases) && { because: free ?? "break-even" }),
    },
    dropped: drops ? stale.map((one) => dropped(one, standing.tool, standing.count)) : [],
    rebases,
    ...(rebases && reasoning !== undefined && { reasoning }),
  }
}

/** Prices a rebase: what comes after the first change is written, where it would else be read. */
function rebasePrice(
  { context, changesHead }: EconomyInput,
  stale: readonly Stale[],
  saved: number,
  dearer: number,
  paid: number,
): number {
  const first = stale[0]?.result.before
  if (first === undefined) return 0
  const price = dearer * Math.max(0, context.all - first - saved)
  // Whether the head changes too is found out only where it can matter: it has to be composed for that.
  return paid < price || !changesHead() ? price : dearer * Math.max(0, context.all - saved)
}

/** Keeps the same account for a summary: what re-reading has cost that it would replace, and what writing one costs. */
function summaryAccount(
  { account, context }: EconomyInput,
  saved: number,
  keep: number,
  { read, write, output }: EconomyAccount["rates"],
  isCompacted: boolean,
): EconomyAccount["summary"] {
  const replaced = isCompacted ? 0 : Math.max(0, context.all - context.head - saved - TAIL)
  // A side request reads the conversation from the cache; a transcript of it is read anew. The cheaper one is asked. The
  // agent waits for its words, and then reads again what it was working on.
  const asked = Math.min(replaced, read * context.all)
  const price = asked + output * SUMMARY + write * (SUMMARY + TAIL + keep)
  return {
    paid: isCompacted ? 0 : Math.round((account?.summary.paid ?? 0) + read * replaced),
    price: Math.round(price),
  }
}

/** Says what is done instead of waiting, if anything. */
function wayOut(
  { reasoning = "wait" }: BreakEvenSettings,
  { dropsReasoning }: EconomyInput,
): "close" | "drop" | undefined {
  if (reasoning === "close") return "close"
  return reasoning === "drop" && dropsReasoning ? "drop" : undefined
}
