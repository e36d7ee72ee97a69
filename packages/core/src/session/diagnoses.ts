import { usualLifetime } from "../economy/lifetime.js"
import type { Entry } from "../log/entry.js"
import { agreesWith, type CacheChanges, type CacheKeyPart } from "../vocabulary/cache-agreement.js"
import type { RebaseReason } from "../vocabulary/exchange.js"
import { sameJson } from "../vocabulary/json.js"
import type { CacheDiagnostics } from "../vocabulary/reply.js"
import type { Request } from "../vocabulary/request.js"
import type { WireMessage } from "../vocabulary/wire-message.js"
import { RequestReader } from "./replay.js"

/** What a provider says of its cache at one step, beside what Sotto did. */
export interface StepDiagnosis {
  /** The turn of the step. */
  readonly turn: number
  /** The step, counted from 1 within its turn. */
  readonly step: number
  /** The id of the request. */
  readonly request: string
  /** The provider's words. */
  readonly diagnostics: CacheDiagnostics
  /** Why the cache may not have what was sent before. Empty if that went out again byte for byte, and in time. */
  readonly causes: readonly CacheCause[]
  /** Whether the two say the same. Absent if the provider says nothing that could be compared. */
  readonly agrees?: boolean
}

/**
 * Why a cache may not have what was sent before: an epoch began, the provider itself takes another `tool_choice` or the
 * first of `images` for a change, or more time passed than the cache is kept.
 */
export type CacheCause = RebaseReason | "tool_choice" | "images" | "pause"

/**
 * Reads what providers say of their cache, where they were asked and had a request to compare with, and puts what the log
 * knows beside it. Steps that a rewind has taken back are there too.
 */
export function diagnosesIn(log: readonly Entry[]): readonly StepDiagnosis[] {
  if (!log.some((entry) => entry.type === "replied" && entry.reply.diagnostics !== undefined)) return []
  const reader = new RequestReader()
  const compared = new Map<string, Request>()
  const causes = new Set<CacheCause>()
  const cache = new CacheClock()
  return log.flatMap((entry): StepDiagnosis[] => {
    if (entry.type === "carrier" || entry.type === "format") causes.add(entry.type)
    if (entry.type === "step") for (const reason of entry.epoch?.reasons ?? []) causes.add(reason)
    const asked = reader.take(entry)
    if (cache.isGone(entry, reader.open?.request)) causes.add("pause")
    const { request, reply } = asked ?? {}
    if (request === undefined || reply?.diagnostics === undefined) return []
    const { diagnostics } = reply
    const before = compared.get(request.previousMessage ?? "")
    const since = [...causes]
    compared.set(diagnostics.message, request)
    causes.clear()
    if (before === undefined) return []
    const { id, turn, step } = request
    const agrees = agreesWith(diagnostics.reason, changesBetween(before, request))
    const all = [...since, ...takenForChanges(before, request)]
    return [{ turn, step, request: id, diagnostics, causes: all, ...(agrees !== undefined && { agrees }) }]
  })
}

/** Knows when the cache was last used, and for how long it is kept. */
class CacheClock {
  #usedAt: number | undefined
  #lifetime: number | undefined

  /** True if this entry sends a request after a pause in which the cache has expired. */
  isGone(entry: Entry, request: Request | undefined): boolean {
    const usesIt =
      entry.type === "step" || entry.type === "replied" || (entry.type === "billed" && entry.way === "side")
    if (!usesIt) return false
    const before = this.#usedAt
    this.#usedAt = entry.at
    if (entry.type !== "step" || request === undefined) return false
    const lifetime = this.#lifetime ?? usualLifetime({ dialect: undefined, ...request.pins })
    this.#lifetime = entry.economy?.lifetime
    return before !== undefined && entry.at - before > lifetime * 1_000
  }
}

/** Lists what Anthropic takes for a change although all that was sent before is sent again. */
function takenForChanges(before: Request, now: Request): readonly CacheCause[] {
  if (now.pins.dialect !== undefined && now.pins.dialect !== "anthropic") return []
  return [
    ...(before.toolChoice === now.toolChoice ? [] : (["tool_choice"] as const)),
    ...(bringsFirstImage(before, now) ? (["images"] as const) : []),
  ]
}

function bringsFirstImage(before: Request, now: Request): boolean {
  // Within an epoch only what is new has to be looked at.
  const from = before.pins === now.pins ? before.messages.length : 0
  return hasImage(now.messages.slice(from)) && !hasImage(before.messages.slice(0))
}

function hasImage(messages: readonly WireMessage[]): boolean {
  return messages.some(({ content }) =>
    content.some(
      (block) =>
        block.type === "image" ||
        (block.type === "tool-result" && block.content.some(({ type }) => type === "image")),
    ),
  )
}

function changesBetween(before: Request, now: Request): CacheChanges {
  const [old, pins] = [before.pins, now.pins]
  const certain: CacheKeyPart[] = []
  const possible: CacheKeyPart[] = []
  if (old.model !== pins.model) certain.push("model")
  if (old.cacheKey !== pins.cacheKey) certain.push("key")
  if (!sameJson(old.tools, pins.tools)) certain.push("tools")
  if (old.system !== pins.system) certain.push("system")
  if (old.think !== pins.think) possible.push("effort", "messages")
  // What a user asks for in the provider's own words may be anything.
  if (!sameJson(old.options, pins.options)) possible.push("format", "effort", "verbosity", "tier", "messages")
  if (before.toolChoice !== now.toolChoice || takenForChanges(before, now).length > 0)
    possible.push("messages")
  if (old.dropsReasoning !== pins.dropsReasoning) possible.push("messages")
  if (old !== pins) {
    if (!isContinued(before, now, plain)) certain.push("messages")
    // Reasoning that is left out may never have been sent, or not have been read.
    else if (!isContinued(before, now, (message) => message)) possible.push("messages")
  }
  return { certain, possible }
}

function isContinued(before: Request, now: Request, of: (message: WireMessage) => unknown): boolean {
  const sent = [...before.messages]
  return sent.every((message, i) => {
    const again = now.messages.at(i)
    return again !== undefined && sameJson(of(message), of(again))
  })
}

function plain({ role, content }: WireMessage): unknown {
  return { role, content: content.filter(({ type }) => type !== "reasoning") }
}
