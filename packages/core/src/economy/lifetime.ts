import type { EconomyAccount, EconomyInput, EconomyRates } from "../vocabulary/economy.js"

/** Seconds. */
const FIVE_MINUTES = 300
const AN_HOUR = 3_600

/** How long the provider is to keep its cache: one of the two, or what pays by the pauses of the session. */
export type LifetimeSetting = "auto" | "5m" | "1h"

/** Seconds that a provider keeps its cache unless it is asked for more. */
export function usualLifetime(standing: Pick<EconomyInput, "model" | "dialect">): number {
  // Others say less of theirs. After an hour it is gone with all of them.
  return hasMarkers(standing) ? FIVE_MINUTES : AN_HOUR
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
 * limited to its price, so that a long morning does not outweigh two breaks in the afternoon.
 */
export function chooseLifetime(
  standing: Pick<EconomyInput, "model" | "dialect">,
  { setting, before, rates, pause, tokens, isAnew }: Span,
): Pick<EconomyAccount, "lifetime" | "extended" | "regret"> {
  const usual = usualLifetime(standing)
  if (usual !== FIVE_MINUTES) return { lifetime: usual, regret: 0 }
  if (setting !== "auto") return lasting(setting === "1h" ? AN_HOUR : FIVE_MINUTES, 0)
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

/** True for Anthropic's own API, where lifetimes can be asked for. */
function hasMarkers({ model, dialect }: Pick<EconomyInput, "model" | "dialect">): boolean {
  return model.includes("claude") && (dialect ?? "anthropic") === "anthropic"
}
