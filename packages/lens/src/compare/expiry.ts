import type { ReportedUsage } from "../money/response.js"
import { figure } from "../report.js"
import type { Snapshot } from "../segments/snapshot.js"
import type { Difference } from "./compare.js"

/** Providers cache nothing shorter. */
const SHORTEST = 1_024

/** What the calls of a thread left in the cache, as the provider reported it. */
export interface Cached {
  readonly tokens: number
  /** When that was. */
  readonly at?: number
}

export function cachedBy(usage: ReportedUsage, snapshot: Snapshot, at: number | undefined): Cached {
  const { plain, read, written } = usage
  // Only Anthropic caches up to a marker; the others cache what they were sent.
  const tokens = snapshot.dialect === "anthropic" ? read + written : plain + read + written
  return { tokens, ...(at !== undefined && { at }) }
}

/** Tokens that were in the cache, were sent again, and were not read from it. */
export function missedTokens(before: Cached | undefined, { plain, read, written }: ReportedUsage): number {
  if (before === undefined || before.tokens < SHORTEST) return 0
  const missed = Math.min(before.tokens, plain + read + written) - read
  // Caches work in steps, and count the last block or not.
  return missed > Math.max(256, before.tokens * 0.05) ? missed : 0
}

/** Finds an expiry: nothing changed, and the provider reports a miss all the same. */
export function expired(
  before: Cached | undefined,
  usage: ReportedUsage,
  at: number | undefined,
  now: Snapshot,
  isPartial: boolean,
): Difference | undefined {
  const missed = missedTokens(before, usage)
  if (before === undefined || missed === 0 || missed * 2 < before.tokens) return undefined
  const passed =
    at !== undefined && before.at !== undefined
      ? `${duration(at - before.at)} after the last call`
      : undefined
  const path =
    now.sections.tools[0]?.path ?? now.sections.system[0]?.path ?? now.sections.messages[0]?.path ?? ""
  return {
    section: "key",
    at: 0,
    path,
    cause: "expired",
    detail: `${isPartial ? UNSEEN : "nothing changed"}, and the provider read ${figure(usage.read)} of ${figure(before.tokens)} cached tokens${passed ? `, ${passed}` : ""}`,
    lostTokens: missed,
  }
}

/** A session file does not hold the whole request. */
const UNSEEN = "the messages did not change (system prompt and tools are not in a session file, and may have)"

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 2) return "a moment"
  if (seconds < 120) return `${seconds} seconds`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
}
