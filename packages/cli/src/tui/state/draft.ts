import { type Buffer, bufferWith, EMPTY } from "../input/buffer.js"
import { type InputCompletion, sameTrigger, type Trigger } from "../input/completion.js"
import type { WaitingMessage } from "./screen.js"
import { type Draft, NEW_DRAFT } from "./ui.js"

/** Gives the draft another text. What was offered for the old one is not for the new one. */
export function withBuffer(draft: Draft, buffer: Buffer): Draft {
  return buffer === draft.buffer ? draft : { ...draft, buffer }
}

/** Empties a draft that was sent: only what was cut out is left. */
export function emptied({ clip }: Draft): Draft {
  return { ...NEW_DRAFT, clip }
}

/**
 * Goes one further back or forward: first the messages that wait, the newest first, then what was said before. What was
 * being written is kept, and comes again after the newest. Undefined where nothing is further.
 */
export function travelled(
  draft: Draft,
  by: 1 | -1,
  waiting: readonly WaitingMessage[],
  history: readonly string[],
): Draft | undefined {
  const back = draft.back + by
  if (back < 0) return undefined
  const own = draft.back === 0 ? draft.buffer : draft.own
  if (back === 0) return { ...draft, buffer: own, own: EMPTY, back, editing: undefined, offer: undefined }
  const message = waiting[waiting.length - back]
  const text = message?.text ?? history[history.length - (back - waiting.length)]
  if (text === undefined) return undefined
  return { ...draft, own, back, buffer: bufferWith(text), editing: message?.id, offer: undefined }
}

/** Goes back to what was being written before a queued message was taken up. */
export function abandoned(draft: Draft): Draft {
  return { ...draft, buffer: draft.own, own: EMPTY, back: 0, editing: undefined, offer: undefined }
}

/** Makes the words a draft of their own: the message that is being edited has been delivered meanwhile. */
export function overtaken(draft: Draft): Draft {
  return { ...draft, editing: undefined, back: 0, own: EMPTY }
}

export function offered(draft: Draft, trigger: Trigger, items: readonly InputCompletion[]): Draft {
  const isSame = sameTrigger(draft.offer?.trigger, trigger)
  if (items.length === 0) return draft.offer === undefined ? draft : { ...draft, offer: undefined }
  const chosen = isSame ? Math.min(draft.offer?.chosen ?? 0, items.length - 1) : 0
  return { ...draft, offer: { trigger, items, chosen } }
}

export function withoutOffer(draft: Draft): Draft {
  return draft.offer === undefined ? draft : { ...draft, offer: undefined }
}

export function chose(draft: Draft, by: 1 | -1): Draft {
  const { offer } = draft
  if (offer === undefined) return draft
  const count = offer.items.length
  return { ...draft, offer: { ...offer, chosen: (offer.chosen + by + count) % count } }
}
