import type { Compared } from "../compare/compare.js"
import { compareMessages } from "../compare/edits.js"
import { asSmooshed, type Carried } from "./carry.js"
import type { MendingPolicy } from "./contract.js"
import { follow, itemOf } from "./follow.js"
import { type Continued, sentAs } from "./hold.js"
import { withoutMarkers } from "./json-text.js"
import { withCuts } from "./quiet.js"
import type { ReadRequest, Substitute } from "./substitute.js"
import { trimmed } from "./trim.js"

/**
 * Sends changed what the harness changes, as is right without `hold`. What was kept back once stays so at its place.
 */
export function goWithoutHold(
  substitute: Substitute,
  { sheet, snapshot }: ReadRequest,
  compared: Compared,
  policy: MendingPolicy,
): Continued | { readonly why: string } {
  if (compared.difference?.cause === "compacted") return { why: "the history was summarised" }
  const [before, after] = [substitute.strand.tip.sections.messages, snapshot.sections.messages]
  const messages = compareMessages(before, after)
  const followed = follow(substitute.original.items, sheet.items, before, after, messages)
  if (followed === undefined) return { why: "messages were joined or split" }
  const firstNew = Math.max(followed.firstNew, sheet.head)
  const isNew = (i: number) => itemOf(after[i] ?? { path: "" }) >= firstNew
  const added = trimmed(
    sheet,
    after.filter((_, i) => isNew(i)),
    firstNew,
    policy,
    substitute,
    new Map(),
  )

  const sentFrom = new Map(substitute.sent.map((one) => [one.from, one]))
  const sent: Carried[] = []
  for (let from = sheet.head; from < firstNew; from++) {
    const was = sentFrom.get(followed.partners[from] ?? -1)
    // A message of which nothing was left is still left out.
    if (was === undefined && (followed.partners[from] ?? -1) >= 0) continue
    const { withheld = [], smooshed } = was ?? {}
    const moved = smooshed === undefined ? {} : { smooshed }
    const cuts = after
      .filter((segment) => itemOf(segment) === from)
      .flatMap((segment) =>
        segment.reminders
          .filter(({ hash }) => withheld.includes(hash))
          .map((found) => ({ segment, found, instead: "" })),
      )
    const json = cuts.length === 0 ? undefined : withCuts(sheet.items[from] ?? "", cuts)
    if (cuts.length === 0) sent.push({ from, ...moved })
    else if (json !== undefined)
      sent.push({ from, frozen: withoutMarkers(asSmooshed(json, moved)), withheld, ...moved })
  }
  return {
    tools: undefined,
    system: undefined,
    head: undefined,
    sent: [...sent, ...added.fresh.map((one) => sentAs(one, sheet, added.withheldFrom, policy))],
    statements: [],
    withheld: added.withheld,
  }
}
