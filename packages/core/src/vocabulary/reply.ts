import type { AssistantPart, AssistantTextPart, ToolCallPart } from "./message.js"
import { isBlank } from "./message.js"

/** Tokens of one request, as the provider counted them. */
export interface Usage {
  /** Read anew, at the full price. */
  readonly input: number
  /** Written by the model. */
  readonly output: number
  /** Read from the prompt cache. */
  readonly cacheRead: number
  /** Written to the prompt cache. */
  readonly cacheWrite: number
}

/**
 * A provider's own cache diagnostics: what of the request differs from the one that led to the reply named in it. Without a
 * reason nothing does. Two reasons are Sotto's words: "pending" means that the comparison was not finished in time,
 * "unanswered" that the reply says nothing of it.
 */
export interface CacheDiagnostics {
  /** The provider's id of this reply, for the next request to name. */
  readonly message: string
  /** The provider's word: "system_changed", "comparison_response_not_found". */
  readonly reason?: string
  /** Input tokens that the cache would have had otherwise. */
  readonly tokens?: number
}

/**
 * Why the model stopped. `length`: it reached the limit on output. `overflow`: the context was full. `paused`: the
 * provider wants to be asked again, with what was said so far. `malformed`: the model made a call that its own provider
 * could not read. `other`: a reason that Sotto does not know.
 */
export type Stop = (typeof STOPS)[number]

export const STOPS = [
  "end",
  "tool-calls",
  "length",
  "refusal",
  "filtered",
  "overflow",
  "paused",
  "malformed",
  "other",
] as const

/** What the model answered to one request. */
export interface Reply {
  /** What the model said, in order. */
  readonly parts: readonly AssistantPart[]
  /** Why it stopped. */
  readonly stop?: Stop
  /** The provider's own word for `stop`, where that is not how a reply usually ends: "SAFETY". */
  readonly why?: string
  /** Names of the tools whose calls were not sent to their end. The session drops those calls and logs the names. */
  readonly cut?: readonly string[]
  /** What it cost, as the provider counted. */
  readonly usage?: Usage
  /** Only where the request asked for them. */
  readonly diagnostics?: CacheDiagnostics
}

export const EMPTY_REPLY: Reply = { parts: [] }

export function callsOf(parts: readonly AssistantPart[]): readonly ToolCallPart[] {
  return parts.filter((part) => part.type === "tool-call")
}

/**
 * Makes the reply that the session keeps. A call that was not sent to its end is dropped, and its name is kept. Of a
 * refused or filtered reply no call is kept: the provider withheld the rest, so what the calls were part of is not
 * known.
 */
export function withoutCutCalls(reply: Reply): Reply {
  const isWithheld = reply.stop === "refusal" || reply.stop === "filtered"
  const isCut = (part: AssistantPart) => part.type === "tool-call" && (isWithheld || part.unfinished === true)
  const cut = callsOf(reply.parts.filter(isCut)).map(({ name }) => name)
  if (cut.length === 0) return reply
  return { ...reply, parts: reply.parts.filter((part) => !isCut(part)), cut }
}

/** Marks the cut call of a reply that a limit ended: if its last part is a call, that call was cut off. */
export function cutAtLimit(
  parts: readonly AssistantPart[],
  stop: Stop | undefined,
): readonly AssistantPart[] {
  if (stop !== "length" && stop !== "overflow") return parts
  return parts.map((part, i) =>
    part.type === "tool-call" && i === parts.length - 1 ? { ...part, unfinished: true } : part,
  )
}

/** Says how a reply ended: the provider's word is kept where the ending is not the usual one. */
export function endedBy(stop: Stop | undefined, why?: string): Pick<Reply, "stop" | "why"> {
  if (stop === undefined) return {}
  return stop === "end" || stop === "tool-calls" || !why ? { stop } : { stop, why }
}

/** Keeps of an interrupted reply finished text and calls, and only the reasoning that is signed. */
export function keepFinished(partial: Reply): Reply {
  return {
    ...partial,
    parts: partial.parts.filter((part) => {
      switch (part.type) {
        case "text":
          return !isBlank(part.text)
        case "reasoning":
          return part.signature !== undefined
        case "tool-call":
          return part.unfinished !== true
      }
    }),
  }
}

/**
 * Gives what stands in the conversation for a reply: never nothing, because two groups without an assistant message
 * between them would be merged, and a user message after a system message is refused.
 */
export function spoken(parts: readonly AssistantPart[], whenEmpty: string): readonly AssistantPart[] {
  const kept = parts.filter((part) => part.type !== "text" || part.verbatim || !isBlank(part.text))
  const says = kept.some((part) => part.type === "tool-call" || (part.type === "text" && !isBlank(part.text)))
  return says ? kept : [...kept.filter((part) => part.type !== "text"), marker(whenEmpty)]
}

/**
 * Strips reasoning, which is bound to earlier bytes that a rebase changes; other parts lose their provider's own form
 * with it.
 */
export function unbound(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  return parts
    .filter((part) => part.type !== "reasoning")
    .map((part) => {
      const { verbatim: _, ...plain } = part
      return plain
    })
}

export function isBound(parts: readonly AssistantPart[]): boolean {
  return parts.some((part) => part.type === "reasoning" || part.verbatim !== undefined)
}

function marker(text: string): AssistantTextPart {
  return { type: "text", text, synthetic: true }
}
