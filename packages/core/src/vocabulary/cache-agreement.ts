/** What a provider's cache is keyed on, in the words of every API. */
export type CacheKeyPart =
  | "model"
  | "key"
  | "tools"
  | "system"
  | "messages"
  | "format"
  | "effort"
  | "verbosity"
  | "tier"

/** What differs between a request and the one that a provider compared it with. */
export interface CacheChanges {
  /** Differs for sure. */
  readonly certain: readonly CacheKeyPart[]
  /** May differ, or the provider may take it for changed. It explains a miss, and does not ask for one. */
  readonly possible: readonly CacheKeyPart[]
}

/** The parts that each word of a provider's may mean. OpenAI has one word for the system prompt and the conversation. */
const MEANT = new Map<string, readonly CacheKeyPart[]>([
  ["model_changed", ["model"]],
  ["prompt_cache_key_changed", ["key"]],
  ["tools_changed", ["tools"]],
  ["system_changed", ["system"]],
  ["messages_changed", ["messages"]],
  ["input_changed", ["system", "messages"]],
  ["context_compacted", ["messages"]],
  ["text_format_changed", ["format"]],
  ["reasoning_effort_changed", ["effort"]],
  ["verbosity_changed", ["verbosity"]],
  ["service_tier_changed", ["tier"]],
])

/**
 * Says whether a provider's verdict fits what is known to have changed. Undefined if the verdict says nothing: the request
 * to compare with was not found, the comparison was not finished, or the word is not known.
 */
export function agreesWith(
  reason: string | undefined,
  { certain, possible }: CacheChanges,
): boolean | undefined {
  if (reason === undefined) return certain.length === 0
  return MEANT.get(reason)?.some((part) => certain.includes(part) || possible.includes(part))
}
