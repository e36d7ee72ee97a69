import { capabilitiesOf } from "../vocabulary/capabilities.js"
import type { EconomyAccount, EconomyInput, EconomyRates } from "../vocabulary/economy.js"

/** Seconds. */
const FIVE_MINUTES = 300
const HALF_AN_HOUR = 1_800
const AN_HOUR = 3_600
const TWELVE_HOURS = 43_200

/** How long the provider is to keep its cache, as far as it offers that, or what pays by the pauses of the session. */
export type LifetimeSetting = "auto" | "5m" | "1h" | "12h"

const WISHES: Readonly<Record<Exclude<LifetimeSetting, "auto">, number>> = {
  "5m": FIVE_MINUTES,
  "1h": AN_HOUR,
  "12h": TWELVE_HOURS,
}

/** Who is asked, and in which dialect. */
type Asked = Pick<EconomyInput, "model" | "dialect">

/**
 * Lists the seconds for which a provider can be asked to keep its cache, the usual ones first. Empty where the provider
 * promises nothing: most do not, and keep it for minutes or hours as there is room.
 */
export function lifetimesOf({ model, dialect }: Asked): readonly number[] {
  if (model.includes("claude") && (dialect ?? "anthropic") === "anthropic") return [FIVE_MINUTES, AN_HOUR]
  const { cacheBreakpoints } = capabilitiesOf({ id: model, ...(dialect !== undefined && { dialect }) })
  if (cacheBreakpoints !== true) return []
  return dialect === "openai-chat" ? [HALF_AN_HOUR] : [HALF_AN_HOUR, TWELVE_HOURS]
}

/** Gives the seconds that a provider keeps its cache unless it is asked for more. */
export function usualLifetime(asked: Asked): number {
  // Where nothing is promised, it is gone after an hour at the latest.
  return lifetimesOf(asked)[0] ?? AN_HOUR
}

/** What the choice of a lifetime goes by. */
interface Span {
  readonly setting: LifetimeSetting
  readonly before: EconomyAccount | undefined
  readonly rates: EconomyRates
  /** Milliseconds since the cache was last used. */
  readonly pause: number
  /** Tokens that this step sends. */
  readonly tokens: number
  /** Everything is written again at this step, so that a change of lifetime adds nothing but its own price. */
  readonly isAnew: boolean
}

/**
 * Chooses the lifetime from this step on. The account compares the two lifetimes: a pause that only the longer one
 * bridges speaks for it, every token written speaks for the shorter one. When the other one would have been cheaper by
 * what a change costs, it is chosen, at a step that writes everything again. What is counted against a change is
 * limited to its price, so that a long morning does not outweigh two breaks in the afternoon. A user who names a lifetime gets
 * the longest that the provider offers up to that.
 */
export function chooseLifetime(
  standing: Asked,
  { setting, before, rates, pause, tokens, isAnew }: Span,
): Pick<EconomyAccount, "lifetime" | "extended" | "regret"> {
  const [usual = AN_HOUR, ...longer] = lifetimesOf(standing)
  if (setting !== "auto") {
    const wished = longer.findLast((seconds) => seconds <= WISHES[setting]) ?? usual
    return { lifetime: wished, ...(wished > usual && { extended: true }), regret: 0 }
  }
  // What OpenAI asks for twelve hours is in none of our sources, so that they are never chosen unasked.
  if (usual !== FIVE_MINUTES) return { lifetime: usual, regret: 0 }
  const now = before?.lifetime ?? FIVE_MINUTES
  const change = (rates.writeHour - rates.write) * tokens
  const isBridged = pause > FIVE_MINUTES * 1_000 && pause <= AN_HOUR * 1_000
  const spared = isBridged ? (rates.write - rates.read) * tokens : 0
  // What an hour would have had to write at this step: not what only the shorter lifetime loses.
  const isLost = isAnew && !isBridged
  const written = isLost ? tokens : Math.max(0, tokens - (before?.tokens ?? 0))
  const dearer = (rates.writeHour - rates.write) * written
  const more = now === FIVE_MINUTES ? spared - dearer : dearer - spared
  const regret = Math.round(Math.max(-change, (before?.regret ?? 0) + more))
  if (!isAnew || change <= 0 || regret < change) return lasting(now, regret)
  return lasting(now === FIVE_MINUTES ? AN_HOUR : FIVE_MINUTES, 0)
}

function lasting(lifetime: number, regret: number): Pick<EconomyAccount, "lifetime" | "extended" | "regret"> {
  return { lifetime, ...(lifetime === AN_HOUR && { extended: true }), regret }
}
