import { estimateTokens } from "@sotto/core"
import type { CacheUse } from "@sotto/core/cache"
import { argumentsOf, type Call, type Reply, type ReplyPart, type Stop, type Usage } from "./reply.js"

type DraftCall = Omit<Call, "id"> & { readonly id?: string }

/** What is to be answered, before it has ids, figures and a signature. */
export interface Draft {
  readonly parts: readonly (Exclude<ReplyPart, Call> | DraftCall)[]
  /** By default: whether there are calls decides. */
  readonly stop?: Stop
}

/** A draft made a reply. `callId` names the calls that have no id yet. */
export function finish(
  draft: Draft,
  facts: Pick<Reply, "key" | "model" | "createdAt" | "signature"> & { readonly cache: CacheUse },
  callId: (index: number) => string,
): Reply {
  const { cache, ...rest } = facts
  const parts = draft.parts.map((part, i) =>
    part.type === "tool-call" ? { ...part, id: part.id ?? callId(i) } : part,
  )
  const calls = parts.some((part) => part.type === "tool-call")
  return {
    ...rest,
    parts,
    stop: draft.stop ?? (calls ? "tool-calls" : "end"),
    usage: usageOf(parts, cache),
  }
}

function usageOf(parts: readonly ReplyPart[], cache: CacheUse): Usage {
  const cost = (list: readonly ReplyPart[]) =>
    list.reduce((sum, part) => sum + estimateTokens(wordsOf(part)), 0)
  const { read: cacheRead, written: cacheWrite } = cache
  return {
    input: cache.total,
    cacheRead,
    cacheWrite,
    output: Math.max(1, cost(parts)),
    reasoning: cost(parts.filter((part) => part.type === "reasoning")),
  }
}

function wordsOf(part: ReplyPart): string {
  return part.type === "tool-call" ? `${part.name}${argumentsOf(part)}` : part.text
}
