import { renderForm } from "../text/reminder-text.js"
import type { AssistantPart, ContentPart, Origin } from "../vocabulary/message.js"
import type { Session } from "./session.js"

/** Something that was said, and by whom: what a summary has to keep apart. */
export interface PastItem {
  /** Who said it. */
  readonly by:
    | Origin
    | { readonly kind: "summary" }
    | { readonly kind: "agent" }
    | { readonly kind: "tool"; readonly name: string }
    | { readonly kind: "harness"; readonly reminder: string }
  /** What was said. */
  readonly text: string
}

/**
 * Lists what a compaction that keeps the newest `tail` tokens would replace: who said what, in order.
 *
 * @example
 * ```ts
 * const said = pastOf(session).map(({ by, text }) => `${by.kind}: ${text}`)
 * ```
 */
export function pastOf(session: Pick<Session, "exchanges">, tail = 0): readonly PastItem[] {
  return session
    .exchanges(tail)
    .flatMap(({ group, reply = [] }) => [
      ...(group.summary === undefined ? [] : [{ by: { kind: "summary" }, text: group.summary } as const]),
      ...group.results.map(
        ({ name, output }) => ({ by: { kind: "tool", name }, text: textOf(output) }) as const,
      ),
      ...group.messages.map(({ origin, content }) => ({ by: origin, text: textOf(content) })),
      ...group.reminders.map(
        (reminder) =>
          ({ by: { kind: "harness", reminder: reminder.kind }, text: renderForm(reminder).text }) as const,
      ),
      ...said(reply),
    ])
}

function said(reply: readonly AssistantPart[]): readonly PastItem[] {
  const text = reply
    .flatMap((part) => {
      if (part.type === "text") return [part.text]
      return part.type === "tool-call" ? [`(calls ${part.name} with ${JSON.stringify(part.input)})`] : []
    })
    .join("\n")
  return text === "" ? [] : [{ by: { kind: "agent" }, text }]
}

function textOf(parts: readonly ContentPart[]): string {
  return parts
    .filter((part) => part.ignored !== true)
    .map((part) =>
      part.type === "text" ? part.text : `[${part.mediaType}${part.name ? ` ${part.name}` : ""}]`,
    )
    .join("\n")
}
