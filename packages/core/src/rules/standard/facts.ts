import { lastValue } from "../../vocabulary/fact.js"
import type { Json } from "../../vocabulary/json.js"
import type { Moment } from "../rule.js"

/** Reads the value of a fact, as far as it is known. */
export function known({ fact }: Pick<Moment, "fact">, key: string): Json | undefined {
  const found = fact(key)
  return found && lastValue(found)
}

/** True if a fact was told before a compaction and not since: the rule's memo, which a compaction takes, says so. */
export function lostInCompaction(moment: Moment, key: string, memoKey = ""): boolean {
  return moment.age(key) > moment.since("session.compacted").steps && moment.memo(memoKey) === undefined
}

export function stringIn(value: Json | undefined, name: string): string | undefined {
  if (value === undefined || value === null || typeof value !== "object" || Array.isArray(value))
    return undefined
  const found = (value as { readonly [key: string]: Json })[name]
  return typeof found === "string" ? found : undefined
}

export function listIn(value: Json | undefined, name: string): readonly Json[] {
  if (value === undefined || value === null || typeof value !== "object" || Array.isArray(value)) return []
  const found = (value as { readonly [key: string]: Json })[name]
  return Array.isArray(found) ? found : []
}
