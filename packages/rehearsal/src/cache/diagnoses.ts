import { capabilitiesOf, estimateTokens, type Json } from "@sotto/core"
import { type CacheUse, Fingerprint } from "@sotto/core/cache"
import { field, listField, stringField, withoutMarkers } from "@sotto/core/dialect"
import { messageId } from "../dialects/anthropic/reply.js"
import { isObject, textAt } from "../json.js"

/** Says what an answer tells of the cache; undefined if the request does not ask. */
type Diagnose = (body: unknown, key: string, cache: CacheUse) => Json | undefined

/** A part of a request that a provider's cache is keyed on: its pieces, each of which may only be followed by more. */
interface KeyedPart {
  /** The provider's word for a change of it. */
  readonly word: string
  readonly pieces: readonly { readonly print: string; readonly tokens: number }[]
  /** True for a conversation, which goes on. */
  readonly grows?: true
}

/** A request that a later one may be compared with. */
interface Remembered {
  /** In the order in which the cache is keyed. */
  readonly parts: readonly KeyedPart[]
  /** Tokens that the cache had once it was answered. */
  readonly cached: number
  /** OpenAI: items that stand for a compacted conversation. */
  readonly compactions?: number
}

/** Providers keep fingerprints of requests for a limited time. */
const MOST_KEPT = 1_000

/** Makes the cache diagnostics of one server: each compares a request with the one that led to the answer it names. */
export function diagnoses(): { readonly anthropic: Diagnose; readonly openai: Diagnose } {
  return { anthropic: anthropicDiagnoses(), openai: openaiDiagnoses() }
}

function anthropicDiagnoses(): Diagnose {
  const known = new Map<string, Remembered>()
  return (body, key, { read, written }) => {
    const asked = field(body, "diagnostics")
    if (!isObject(asked)) return undefined
    const now = { parts: anthropicParts(body), cached: read + written }
    const previous = textAt(asked, "previous_message_id")
    const before = known.get(previous)
    remember(known, messageId(key), now)
    if (previous === "") return null
    if (before === undefined) return { cache_miss_reason: { type: "previous_message_not_found" } }
    const change = changeIn(before, now)
    if (change === undefined) return null
    return { cache_miss_reason: { type: change.word, cache_missed_input_tokens: change.tokens } }
  }
}

function openaiDiagnoses(): Diagnose {
  const known = new Map<string, Remembered>()
  return (body, key, { read, written }) => {
    if (capabilitiesOf(textAt(body, "model")).cacheBreakpoints !== true) return undefined
    const now = {
      parts: openaiParts(body),
      cached: read + written,
      compactions: compactionsIn(body),
    }
    const previous = stringField(field(body, "prompt_cache_options"), "comparison_response_id")
    const before = known.get(previous ?? "")
    remember(known, `resp_${key}`, now)
    if (previous === undefined) return undefined
    if (before === undefined) return { type: "comparison_response_not_found" }
    const change = changeIn(before, now)
    if (change === undefined) return { type: "cache_hit" }
    const isCompacted = change.word === "input_changed" && now.compactions > (before.compactions ?? 0)
    return {
      type: "cache_miss",
      reason: isCompacted ? "context_compacted" : change.word,
      cache_missed_tokens: Math.max(0, before.cached - read),
      comparison_reusable_tokens: before.cached,
    }
  }
}

function remember(known: Map<string, Remembered>, id: string, request: Remembered): void {
  known.set(id, request)
  const [oldest] = known.keys()
  if (known.size > MOST_KEPT && oldest !== undefined) known.delete(oldest)
}

/** Finds the first change in the order in which the cache is keyed, and the tokens of the earlier request from there on. */
function changeIn(before: Remembered, now: Remembered): { word: string; tokens: number } | undefined {
  for (const [i, { word, pieces, grows }] of before.parts.entries()) {
    const again = now.parts[i]?.pieces ?? []
    const at = pieces.findIndex(({ print }, j) => print !== again[j]?.print)
    if (at < 0 && (grows || again.length === pieces.length)) continue
    const lost = [
      ...pieces.slice(Math.max(0, at)),
      ...before.parts.slice(i + 1).flatMap((part) => part.pieces),
    ]
    return { word, tokens: lost.reduce((sum, { tokens }) => sum + tokens, 0) }
  }
  return undefined
}

function anthropicParts(body: unknown): readonly KeyedPart[] {
  return [
    single("model_changed", field(body, "model")),
    single("tools_changed", field(body, "tools")),
    single("system_changed", field(body, "system")),
    { word: "messages_changed", pieces: listField(body, "messages").map(piece), grows: true },
  ]
}

function openaiParts(body: unknown): readonly KeyedPart[] {
  const text = field(body, "text")
  const input = field(body, "input")
  const said = [field(body, "instructions") ?? null, ...(Array.isArray(input) ? input : [input])]
  return [
    single("model_changed", field(body, "model")),
    single("prompt_cache_key_changed", field(body, "prompt_cache_key")),
    single("tools_changed", field(body, "tools")),
    single("text_format_changed", field(text, "format") ?? { type: "text" }),
    single("reasoning_effort_changed", field(field(body, "reasoning"), "effort")),
    single("verbosity_changed", field(text, "verbosity") ?? "medium"),
    single("service_tier_changed", field(body, "service_tier") ?? "auto"),
    { word: "input_changed", pieces: said.map(piece), grows: true },
  ]
}

/** Counts the items that stand for a conversation which the API has compacted. */
function compactionsIn(body: unknown): number {
  return listField(body, "input").filter((item) => /compaction(_summary)?$/.test(textAt(item, "type"))).length
}

function single(word: string, value: unknown): KeyedPart {
  return { word, pieces: value === undefined || value === null ? [] : [piece(value)] }
}

function piece(value: unknown): { readonly print: string; readonly tokens: number } {
  const text = withoutMarkers(value)
  return { print: new Fingerprint().add(text).toString(), tokens: estimateTokens(text) }
}
