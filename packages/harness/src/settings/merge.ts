import type { AgentSettings } from "./config/fields.js"
import { HOOK_EVENTS, type HookEvent, type HookSettings } from "./config/outside.js"

/** Merges two records, with what both name put together. */
export function mergeRecords<T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
  both: (before: T, after: T) => T,
): Readonly<Record<string, T>> {
  const merged = new Map(Object.entries(before))
  for (const [key, value] of Object.entries(after)) {
    const known = merged.get(key)
    merged.set(key, known === undefined ? value : both(known, value))
  }
  return Object.fromEntries(merged)
}

/**
 * Merges what two definitions say of one agent: the later word counts, except that rules add up and the last match
 * wins.
 */
export function mergeAgent(before: AgentSettings, after: AgentSettings): AgentSettings {
  return {
    ...before,
    ...after,
    ...(after.permission && { permission: [...(before.permission ?? []), ...after.permission] }),
    ...(after.options && { options: { ...before.options, ...after.options } }),
  }
}

type HookLists = Readonly<Partial<Record<HookEvent, readonly HookSettings[]>>>

/** Merges hooks: the user's own run, and so do the project's, after them. */
export function mergeHooks(before: HookLists, after: HookLists): HookLists {
  const events = HOOK_EVENTS.filter((event) => before[event] ?? after[event])
  return Object.fromEntries(
    events.map((event) => [event, [...(before[event] ?? []), ...(after[event] ?? [])]]),
  )
}
