import { estimateTokens } from "@sotto/core"
import type { CacheUse } from "@sotto/core/cache"
import {
  argumentsOf,
  type BilledTokens,
  type ReplyCall,
  type ReplyPart,
  type ReplyStop,
  type ScriptedReply,
} from "./reply.js"

type DraftCall = Omit<ReplyCall, "id"> & { readonly id?: string }

/** What is to be answered, before it has ids, figures and a signature. */
export interface ReplyDraft {
  readonly parts: readonly (Exclude<ReplyPart, ReplyCall> | DraftCall)[]
  /** By default: whether there are calls decides. */
  readonly stop?: ReplyStop
  /** True if the model was not asked to write anything. Otherwise even an empty reply costs a token. */
  readonly isFree?: true
}

/** Makes a draft a reply. `callId` names the calls that have no id yet. */
export function finish(
  draft: ReplyDraft,
  facts: Pick<ScriptedReply, "key" | "model" | "createdAt" | "signature"> & { readonly cache: CacheUse },
  callId: (index: number) => string,
): ScriptedReply {
  const { cache, ...rest } = facts
  const parts = draft.parts.map((part, i) =>
    part.type === "tool-call" ? { ...part, id: part.id ?? callId(i) } : part,
  )
  const calls = parts.some((part) => part.type === "tool-call")
  return {
    ...rest,
    parts,
    stop: draft.stop ?? (calls ? "tool-calls" : "end"),
    usage: usageOf(parts, cache, draft.isFree ? 0 : 1),
  }
}

function usageOf(parts: readonly ReplyPart[], cache: CacheUse, least: number): BilledTokens {
  const cost = (list: readonly ReplyPart[]) =>
    list.reduce((sum, part) => sum + estimateTokens(wordsOf(part)), 0)
  const { read: cacheRead, written: cacheWrite } = cache
  return {
    input: cache.total,
    cacheRead,
    cacheWrite,
    output: Math.max(least, cost(parts)),
    reasoning: cost(parts.filter((part) => part.type === "reasoning")),
  }
}

function wordsOf(part: ReplyPart): string {
  if (part.type === "search") return part.query
  return part.type === "tool-call" ? `${part.name}${argumentsOf(part)}` : part.text
}
