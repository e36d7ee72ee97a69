import type { Segment } from "../segments/segment.js"
import type { Mend, MendingPolicy } from "./contract.js"
import { itemOf } from "./follow.js"
import { withoutMarkers } from "./json-text.js"
import { keptBack, type TextCut, withCuts } from "./quiet.js"
import { isReply, type Sheet } from "./sheet.js"
import type { Substitute } from "./substitute.js"
import type { Fresh } from "./tail.js"

/** What is new in a request, without what is kept back. */
export interface Added {
  readonly fresh: readonly Fresh[]
  /** Messages that were sent and have new blocks, of which some are kept back: their texts. */
  readonly frozen: ReadonlyMap<number, string>
  /** What was left out of which message, by hash. */
  readonly withheldFrom: ReadonlyMap<number, readonly string[]>
  readonly withheld: readonly Mend[]
}

/** Keeps reminders back that are muted or throttled, and puts a note in place of those that were sent before. */
export function trimmed(
  sheet: Sheet,
  segments: readonly Segment[],
  firstNew: number,
  policy: MendingPolicy,
  substitute: Pick<Substitute, "spoken" | "strand" | "unsaid">,
  repeated: ReadonlyMap<string, string>,
): Added {
  const cuts = new Map<number, TextCut[]>()
  const withheldFrom = new Map<number, readonly string[]>()
  const withheld: Mend[] = []
  for (const segment of segments)
    for (const found of segment.reminders) {
      const by = keptBack(found, policy, substitute.spoken, substitute.strand.calls)
      const instead = by === undefined ? repeated.get(found.hash) : ""
      const item = itemOf(segment)
      if (instead === undefined) {
        substitute.unsaid.delete(found.hash)
        continue
      }
      cuts.set(item, [...(cuts.get(item) ?? []), { segment, found, instead }])
      withheld.push(mendOf(segment, found, by))
      if (by === undefined) continue
      substitute.unsaid.add(found.hash)
      withheldFrom.set(item, [...(withheldFrom.get(item) ?? []), found.hash])
    }
  const cut = (from: number) => {
    const item = sheet.items[from] ?? ""
    const own = cuts.get(from)
    return own === undefined ? item : withCuts(item, own)
  }
  const fresh: Fresh[] = []
  for (let from = firstNew; from < sheet.items.length; from++) {
    const json = cut(from)
    // The last word may not fall to the model: it would be asked to go on with its own reply.
    const isLast = from === sheet.items.length - 1
    if (json !== undefined) fresh.push({ from, json })
    else if (isLast && endsInReply(fresh, sheet)) fresh.push({ from, json: sheet.items[from] ?? "" })
  }
  const frozen = new Map<number, string>()
  for (const from of cuts.keys()) {
    const json = from < firstNew ? cut(from) : undefined
    if (json !== undefined) frozen.set(from, withoutMarkers(json))
  }
  return { fresh, frozen, withheldFrom, withheld }
}

function endsInReply(fresh: readonly Fresh[], { dialect }: Sheet): boolean {
  const last = fresh.at(-1)
  return last === undefined || isReply(JSON.parse(last.json), dialect)
}

function mendOf(
  segment: Segment,
  { kind, text }: Segment["reminders"][number],
  by: "mute" | "throttle" | undefined,
): Mend {
  const path = bracketed(segment.path)
  const withheld = text.slice(0, 120)
  switch (by) {
    case "mute":
      return { policy: by, path, message: `A reminder (${kind}) is left out: its kind is muted.`, withheld }
    case "throttle":
      return {
        policy: by,
        path,
        message: `A reminder (${kind}) is left out: one was sent a few requests ago.`,
        withheld,
      }
    case undefined:
      return {
        policy: "hold",
        path,
        message: `A reminder (${kind}) that was sent before is not sent again: a note says that it still holds.`,
        withheld,
      }
  }
}

/** Writes "messages.3.content.0" as people do: "messages[3].content[0]". */
function bracketed(path: string): string {
  return path.replaceAll(/\.(\d+)/g, "[$1]")
}
