import { field, stringField } from "@sotto/core/dialect"
import type { HttpDialectName } from "../call.js"
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
  /** How long the provider keeps it at least, in milliseconds. */
  readonly lifetime: number
}

const MINUTE = 60_000
/** What a provider keeps for where the request asks for nothing else: the shortest time that any of them documents. */
const USUAL_LIFETIME = 5 * MINUTE
const UNITS: Readonly<Record<string, number>> = { m: MINUTE, h: 60 * MINUTE }

/** Finds the lifetime that a request asks for, where its dialect has a word for it. */
function lifetimeIn(body: unknown, snapshot: Snapshot): number {
  const asked =
    snapshot.dialect === "anthropic" ? markedTimes(body, snapshot) : optionTimes(body, snapshot.dialect)
  return Math.max(USUAL_LIFETIME, ...asked.map(timeOf))
}

function markedTimes(body: unknown, { cached }: Snapshot): readonly string[] {
  const marks = cached.flatMap(({ marked, value }) => (marked ? [field(value, "cache_control")] : []))
  return [field(body, "cache_control"), ...marks].map((mark) => stringField(mark, "ttl") ?? "")
}

function optionTimes(body: unknown, dialect: HttpDialectName): readonly string[] {
  if (dialect === "gemini") return []
  const options = field(body, "prompt_cache_options")
  return [stringField(options, "ttl") ?? "", stringField(body, "prompt_cache_retention") ?? ""]
}

/** Reads "30m" or "24h". Anything else asks for nothing. */
function timeOf(text: string): number {
  const [, count = "0", unit = ""] = /^(\d+)([mh])$/.exec(text) ?? []
  return Number(count) * (UNITS[unit] ?? 0)
}

export function cachedBy(
  usage: ReportedUsage,
  snapshot: Snapshot,
  { body, at }: { readonly body: unknown; readonly at?: number | undefined },
): Cached {
  const { plain, read, written } = usage
  // Only Anthropic caches up to a marker; the others cache what they were sent.
  const tokens = snapshot.dialect === "anthropic" ? read + written : plain + read + written
  return { tokens, lifetime: lifetimeIn(body, snapshot), ...(at !== undefined && { at }) }
}

/** Tokens that were in the cache, were sent again, and were not read from it. */
export function missedTokens(before: Cached | undefined, { plain, read, written }: ReportedUsage): number {
  if (before === undefined || before.tokens < SHORTEST) return 0
  const missed = Math.min(before.tokens, plain + read + written) - read
  // Caches work in steps, and count the last block or not.
  return missed > Math.max(256, before.tokens * 0.05) ? missed : 0
}

/**
 * Finds a miss of a call in which nothing changed. Only a pause longer than the lifetime of the cache makes it an expiry;
 * otherwise the provider had nothing cached, and does not say why.
 */
export function missedUnchanged(
  before: Cached | undefined,
  usage: ReportedUsage,
  at: number | undefined,
  now: Snapshot,
  isPartial: boolean,
): Difference | undefined {
  const missed = missedTokens(before, usage)
  if (before === undefined || missed === 0 || missed * 2 < before.tokens) return undefined
  const passed = at !== undefined && before.at !== undefined ? at - before.at : undefined
  const isExpired = passed !== undefined && passed > before.lifetime
  const path =
    now.sections.tools[0]?.path ?? now.sections.system[0]?.path ?? now.sections.messages[0]?.path ?? ""
  const read = `the provider read ${figure(usage.read)} of ${figure(before.tokens)} cached tokens`
  const pause =
    passed === undefined
      ? ""
      : `, ${duration(passed)} after the last call (it keeps them for ${duration(before.lifetime)})`
  return {
    section: "key",
    at: 0,
    path,
    cause: isExpired ? "expired" : "not-cached",
    detail: `${isPartial ? UNSEEN : "nothing changed"}, and ${read}${pause}`,
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
