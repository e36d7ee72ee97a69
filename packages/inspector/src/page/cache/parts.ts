import type { CallTokens } from "../../contract.js"

export type CachePart = "read" | "missed" | "written" | "rest"

export interface CacheShare {
  readonly part: CachePart
  readonly tokens: number
  /** From 0 to 1, over the length of the request. */
  readonly from: number
  readonly to: number
}

/**
 * Lists what the cache did with a request, from its start to its end. What was read stands first, because a cache holds
 * beginnings. What was missed comes next: it had been sent before and was processed again, so it is written or plain
 * input too, and counts once here.
 */
export function cacheParts({ sent, read, written, missed }: CallTokens): readonly CacheShare[] {
  if (sent <= 0) return []
  const first = Math.min(read, sent)
  const second = Math.min(missed, sent - first)
  const third = Math.min(Math.max(0, written - second), sent - first - second)
  const sizes: readonly (readonly [CachePart, number])[] = [
    ["read", first],
    ["missed", second],
    ["written", third],
    ["rest", sent - first - second - third],
  ]
  let from = 0
  return sizes.flatMap(([part, tokens]) => {
    if (tokens === 0) return []
    const share = { part, tokens, from: from / sent, to: (from + tokens) / sent }
    from += tokens
    return [share]
  })
}
