import type { DeliveryRecord } from "../log/entry.js"
import { outsideText } from "../text/guard/outside.js"
import { wrapReminder } from "../text/reminder-text.js"
import { takeTokens } from "../text/tokens.js"
import type { TokenCounter } from "../vocabulary/economy.js"
import type { Frame } from "../vocabulary/exchange.js"
import type { ContentPart, Delivery } from "../vocabulary/message.js"
import { framedText, frameFor, frameWith, wordsOf } from "./frame.js"
import type { Queued } from "./inbox.js"

/** A message on its way out, with what its frame and framed words cost. */
export interface FramedDelivery {
  readonly message: Queued
  readonly record: DeliveryRecord
  /** 0 where nothing is framed. */
  readonly tokens: number
  /** Counts against the budget: everybody's words but a human's. */
  readonly charged: boolean
}

export interface FrameOptions {
  readonly opensTurn: boolean
  /** Whether a human's mid-turn words are introduced at all. */
  readonly humans: boolean
  /** The user's own text to introduce them with, perhaps with `{{placeholders}}`. */
  readonly text: string | undefined
  readonly perStep: number
  readonly count: TokenCounter
}

/**
 * Frames the messages of a boundary, once and for good. A human's words go up whole; anybody else's are cut to what
 * the budget leaves, with a note. Where not even that fits, the message waits for the next boundary, and so does
 * what was admitted after it with the same delivery: the order is kept.
 */
export function address(messages: readonly Queued[], framing: FrameOptions): readonly FramedDelivery[] {
  const outgoing: FramedDelivery[] = []
  const blocked = new Set<Delivery>()
  let left = framing.perStep
  for (const message of messages) {
    if (blocked.has(message.delivery)) continue
    const one = frameOne(message, framing, left)
    const isFirst = !outgoing.some(({ charged }) => charged)
    if (one.charged && one.tokens > left && !isFirst) blocked.add(message.delivery)
    else {
      outgoing.push(one)
      if (one.charged) left -= one.tokens
    }
  }
  return outgoing
}

function frameOne(message: Queued, framing: FrameOptions, room: number): FramedDelivery {
  const { id, origin, content } = message
  const { count } = framing
  const frame = introduce(message, framing)
  if (frame === undefined) return { message, record: { id }, tokens: 0, charged: false }
  const tokens = cost(frame, content, count)
  const charged = origin.kind !== "human"
  if (!charged || tokens <= room) return { message, record: { id, frame }, tokens, charged }
  const fitted = cut(content, room - cost(frame, [], count), count, (one) => cost(frame, one, count) <= room)
  return { message, record: { id, frame, content: fitted }, tokens: cost(frame, fitted, count), charged }
}

function introduce(
  { id, origin, delivery }: Queued,
  { opensTurn, humans, text }: FrameOptions,
): Frame | undefined {
  const frame = frameFor(origin, opensTurn, delivery)
  if (frame === undefined || origin.kind !== "human") return frame
  if (!humans) return undefined
  return text === undefined ? frame : frameWith(text, frame, id)
}

/** Counts a framed message as it is sent: what makes a forgery inert costs too. */
function cost(frame: Frame, content: readonly ContentPart[], count: TokenCounter): number {
  return count(wrapReminder(outsideText(framedText(frame, content)).text))
}

function cut(
  content: readonly ContentPart[],
  tokens: number,
  count: TokenCounter,
  fits: (content: readonly ContentPart[]) => boolean,
): readonly ContentPart[] {
  const words = wordsOf(content)
  const note = (kept: number) =>
    `[cut to fit the reminder budget: ${kept} of ${words.length} characters are shown]`
  const others = content.filter((part) => part.type !== "text")
  const keeping = (kept: string): readonly ContentPart[] => {
    const text = kept === "" ? note(0) : `${kept}\n${note(kept.length)}`
    return [{ type: "text", text }, ...others]
  }
  // Neutralising adds characters, so what fits is approached from above.
  let kept = takeTokens(words, Math.max(0, tokens - count(note(words.length)) - 1), count)
  while (kept !== "" && !fits(keeping(kept)))
    kept = takeTokens(kept, Math.floor(count(kept) * 0.8) - 1, count)
  return keeping(kept)
}
