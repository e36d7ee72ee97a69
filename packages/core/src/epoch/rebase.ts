import type { NotedSignal } from "../rules/memory.js"
import type { Exchange, Group } from "../vocabulary/exchange.js"
import type { AssistantPart } from "../vocabulary/message.js"
import { isBound, unbound } from "../vocabulary/reply.js"
import { MARKERS } from "./markers.js"

/** A summary, and the first exchange that it does not cover. */
export interface Compaction {
  /** Of its entry. */
  readonly seq: number
  readonly summary: string
  readonly from: number
}

/** Makes the signal by which rules hear of a compaction, at the step that carries it out. */
export function compactionSignal({ seq }: Compaction): NotedSignal {
  return { seq, signal: { type: "session.compacted" } }
}

/** Finds the first step that a compaction made at the given one keeps as it was told. */
export function firstKeptStep({ from }: Compaction, exchanges: readonly Exchange[], now: number): number {
  return exchanges[from]?.group.ordinal ?? now
}

/** What a rebase does to the exchanges it keeps. */
export interface RebaseChanges {
  readonly compaction: Compaction | undefined
  readonly snipped: ReadonlySet<string>
  /** Results are waiting to be sent: the reply whose calls they answer has to stay before them. */
  readonly owed: boolean
  /** Results that an economy drops, by id, and what stands for them. */
  readonly dropped: ReadonlyMap<string, string>
  /** How many exchanges stay as they were sent, byte for byte: what their reasoning is bound to has not changed. */
  readonly unchanged: number
  /** From this exchange on reasoning is kept, because the API was asked to drop what no longer fits. */
  readonly reasoningFrom: number
}

/** Makes the exchanges of the next epoch. A summary that found no group to stand in heads the next one. */
export function carryOver(
  exchanges: readonly Exchange[],
  changes: RebaseChanges,
): { readonly kept: readonly Exchange[]; readonly summary: string | undefined } {
  const { kept, summary } = changes.compaction
    ? compacted(exchanges, changes.compaction, changes.owed)
    : { kept: exchanges, summary: undefined }
  return {
    kept: kept.map((exchange, i) => {
      if (i < changes.unchanged) return exchange
      const group = withoutToolChanges(exchange.group)
      return {
        ...(i < changes.reasoningFrom ? withoutReasoning(exchange) : exchange),
        group: withoutSnipped(withDropped(group, changes.dropped), changes.snipped),
      }
    }),
    summary,
  }
}

/** Strips from an exchange the reasoning that earlier bytes were bound to. */
export function withoutReasoning(exchange: Exchange): Exchange {
  const { replyTokens: _, ...counted } = exchange
  if (exchange.reply === undefined) return exchange
  return { ...(isBound(exchange.reply) ? counted : exchange), reply: unbound(exchange.reply) }
}

/** True if reasoning in these exchanges must come back unchanged: a rebase has to wait until they are closed. */
export function holdsReasoning(exchanges: readonly Exchange[]): boolean {
  return exchanges.some(({ reply }) => reply !== undefined && isBound(reply))
}

function compacted(exchanges: readonly Exchange[], { summary, from }: Compaction, owed: boolean) {
  const [first, ...rest] = exchanges.slice(from)
  const answered = exchanges[from - 1]?.reply
  if (first === undefined) {
    if (!owed) return { kept: [], summary }
    return { kept: [standIn(summary, answered)], summary: undefined }
  }
  const kept =
    first.group.results.length > 0
      ? [standIn(summary, answered), first, ...rest]
      : [{ ...first, group: { ...uncounted(first.group), summary } }, ...rest]
  return { kept, summary: undefined }
}

/**
 * Puts the summary as if it had been asked for, so that a reply whose calls are answered later has something to answer.
 */
function standIn(summary: string, reply: readonly AssistantPart[] | undefined): Exchange {
  return { group: { summary, results: [], messages: [], reminders: [], ordinal: 0 }, reply: reply ?? [] }
}

/** Drops changes of the tool list: a new epoch lists its tools anew. */
export function withoutToolChanges(group: Group): Group {
  if (group.tools === undefined) return group
  const { tools: _, ...others } = group
  return uncounted(others)
}

/** Drops the count of a group whose content changed: the estimate holds. */
function uncounted({ tokens: _, ...group }: Group): Group {
  return group
}

/** Finds the first exchange with a result that is dropped; their number if none is. */
export function firstDropped(exchanges: readonly Exchange[], dropped: ReadonlyMap<string, string>): number {
  const found = exchanges.findIndex(({ group }) => group.results.some(({ id }) => dropped.has(id)))
  return found < 0 ? exchanges.length : found
}

/** Stubs in the place of dropped results. What was told beside them stays. */
export function withDropped(group: Group, dropped: ReadonlyMap<string, string>): Group {
  if (!group.results.some(({ id }) => dropped.has(id))) return group
  return {
    ...uncounted(group),
    results: group.results.map((result) => {
      const text = dropped.get(result.id)
      if (text === undefined) return result
      const { tokens: _, ...stub } = result
      return { ...stub, output: [{ type: "text", text }], dropped: true }
    }),
  }
}

function withoutSnipped(group: Group, snipped: ReadonlySet<string>): Group {
  if (snipped.size === 0) return group
  const stub = [{ type: "text", text: MARKERS.snipped }] as const
  return {
    ...uncounted(group),
    results: group.results.map((result) => (snipped.has(result.id) ? { ...result, output: stub } : result)),
    messages: group.messages.map((message) =>
      snipped.has(message.id) ? { ...message, content: stub } : message,
    ),
  }
}
