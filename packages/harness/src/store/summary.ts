import type { Entry } from "@sotto/core"
import { type UsageRow, usageRowOf } from "@sotto/core/economy"
import type { SessionLabels } from "./labels.js"

/** A session as it is listed. */
export interface SessionSummary extends SessionLabels {
  readonly id: string
  readonly cwd: string
  readonly title?: string
  /** What came of it, in a few sentences. */
  readonly summary?: string
  /** The session that started it, of a subagent's. */
  readonly parent?: string
  /** The named workspace that it belongs to. Without one it belongs to its folder on one machine. */
  readonly workspace?: string
  readonly agent: string
  readonly model: string
  /** Milliseconds, by the entries' own times. */
  readonly created: number
  readonly updated: number
  /** What was said by anybody, answers included. */
  readonly messages: number
  /** What is wrong with it, if something is: only `repair` and `delete` can be asked for then. */
  readonly damaged?: string
}

/** The types of entries that an account is made from. Of the last two only those that cut a reply short. */
export const USAGE_TYPES = [
  "opened",
  "step",
  "replied",
  "billed",
  "aborted",
  "ended",
  "said",
  "edited",
] as const

/** The fields of these entries that an account is made from, as paths. A number is a place in a list. */
export const USAGE_PATHS = [
  ["at"],
  ["copied"],
  ["epoch", "pins", "model"],
  ["economy", "extended"],
  ["reply", "usage"],
  ["reply", "parts", 0, "type"],
  ["interrupts", "kept", "usage"],
  ["interrupts", "kept", "parts", 0, "type"],
  ["purpose"],
  ["model"],
  ["usage"],
  ["cacheLifetime"],
] as const satisfies readonly (readonly (string | number)[])[]

/**
 * Makes a row of what a database found in an entry: its type, and a list of the values at `USAGE_PATHS`, as JSON. Undefined
 * if an account takes nothing of the entry, or if it is damaged.
 */
export function usageRow(seq: number, type: unknown, found: unknown): UsageRow | undefined {
  if (typeof found !== "string") return undefined
  const values = (JSON.parse(found) as readonly unknown[]).map((value) => value ?? undefined)
  const [at, copied, pinned, extended, used, said, usedThen, saidThen, purpose, model, usage, cacheLifetime] =
    values
  const reply = { usage: used, parts: said === undefined ? [] : [said] }
  const kept = { usage: usedThen, parts: saidThen === undefined ? [] : [saidThen] }
  const entry = {
    ...{ type, seq, at, copied, reply, interrupts: { kept } },
    epoch: { pins: { model: pinned } },
    economy: { extended: extended === true || extended === 1 },
    ...{ purpose, model, usage, cacheLifetime },
  }
  // The engine alone says what counts, by the fields that are here.
  return usageRowOf(entry as unknown as Entry)
}
