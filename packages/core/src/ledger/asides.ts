import { framedText, QUEUED_COMMAND, trustOf, wordsOf } from "../inbox/frame.js"
import { type Kind, renderForm, type Trust } from "../reminder/reminder.js"
import type { Carrier } from "../wire/capabilities.js"
import type { Page } from "./page.js"

/** A reminder as it was told, for people who want to look. */
export interface Aside {
  readonly turn: number
  readonly step: number
  readonly kind: Kind
  readonly key: string
  readonly trust: Trust
  readonly text: string
  readonly carrier: Carrier
  readonly tokens: number
}

export function readAsides(pages: readonly Page[]): readonly Aside[] {
  return pages.flatMap(({ turn, step, group, outcomes, carriers }) => {
    const told = [
      ...group.messages.flatMap(({ id, origin, frame, content }) =>
        frame
          ? [
              {
                kind: QUEUED_COMMAND,
                key: id,
                trust: trustOf(origin),
                text: framedText(frame, wordsOf(content)),
              },
            ]
          : [],
      ),
      ...group.reminders.map(({ kind, key, trust, ...form }) => ({
        kind,
        key,
        trust,
        text: renderForm(form).text,
      })),
    ]
    const costs = outcomes.flatMap((row) => (row.outcome === "spoke" ? [row.tokens] : []))
    return told.map((one, i) => {
      const carrier = carriers[i] ?? "user-text"
      return { turn, step, ...one, carrier, tokens: costs[i] ?? 0 }
    })
  })
}
