import { summaryText } from "../epoch/place.js"
import { framedText, QUEUED_COMMAND, trustOf } from "../inbox/frame.js"
import { outsideText } from "../text/guard/outside.js"
import { renderForm } from "../text/reminder-text.js"
import { estimateTokens } from "../text/tokens.js"
import type { Carrier } from "../vocabulary/capabilities.js"
import type { Delivered, Frame } from "../vocabulary/exchange.js"
import type { LedgerPage } from "../vocabulary/ledger-page.js"
import type { Kind, Trust } from "../vocabulary/reminder.js"

/** A reminder as it was told, for people who want to look. */
export interface Aside {
  /** The turn in which it was told, counted from 1. */
  readonly turn: number
  /** The step of the turn at which it was told. */
  readonly step: number
  /** What it is about. */
  readonly kind: Kind
  /** What in particular it is about, such as a path. */
  readonly key: string
  /** Whose words it carries. */
  readonly trust: Trust
  /** What the model was told. */
  readonly text: string
  /** How it travelled. */
  readonly carrier: Carrier
  /** What it cost. */
  readonly tokens: number
}

/**
 * Reads what went up in the steps of these pages: the text of each reminder exactly as it was sent, without its tags.
 */
export function readAsides(pages: readonly LedgerPage[]): readonly Aside[] {
  return pages.flatMap(({ turn, step, group, outcomes, carriers }) => {
    const told = [
      ...group.messages.flatMap(({ frame, ...message }) => (frame ? [framed(message, frame)] : [])),
      ...group.reminders.map(({ kind, key, trust, ...form }) => ({
        kind,
        key,
        trust,
        text: () => renderForm(form).text,
      })),
    ]
    const costs = outcomes.flatMap((row) => (row.outcome === "spoke" ? [row.tokens] : []))
    return told.map(({ text, ...one }, i) => {
      const carrier = carriers[i] ?? "user-text"
      return { turn, step, ...one, text: text(carrier), carrier, tokens: costs[i] ?? 0 }
    })
  })
}

/**
 * Reads what stood for the conversation so far from a step of these pages on, as it was sent. A summary is no reminder: no rule
 * speaks of it, and no budget holds for it. For people who look it is an aside like others.
 */
export function readSummaries(pages: readonly LedgerPage[]): readonly Aside[] {
  return pages.flatMap(({ turn, step, summary }): readonly Aside[] => {
    if (summary === undefined) return []
    const text = summaryText(summary)
    const told = { kind: SUMMARY, key: "", trust: "untrusted", text, carrier: "user-text" } as const
    return [{ turn, step, ...told, tokens: estimateTokens(text) }]
  })
}

/** The kind of the aside that a summary is. */
export const SUMMARY: Kind = "summary"

/**
 * Makes the aside of a message that was introduced. In a system message its frame stands alone: the words are the
 * user's own text.
 */
function framed({ id, origin, content }: Omit<Delivered, "frame">, frame: Frame) {
  return {
    kind: QUEUED_COMMAND,
    key: id,
    trust: trustOf(origin),
    text: (carrier: Carrier) =>
      outsideText(
        carrier === "system-message" && frame.apart !== undefined ? frame.apart : framedText(frame, content),
      ).text,
  }
}
