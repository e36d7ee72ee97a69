import type { Snapshot } from "../segments/snapshot.js"
import type { Strand } from "../threads/strand.js"
import type { Carried } from "./carry.js"
import type { MendedRequest, OriginalRequest } from "./contract.js"
import { sameItem } from "./follow.js"
import type { SpokenReminder } from "./quiet.js"
import { isReply, type Sheet } from "./sheet.js"

/** What was sent on a strand instead of what the harness wrote, and what of that has to be kept up. */
export interface Substitute {
  readonly strand: Strand
  /** The newest request of the harness. The strand's tip is its normal form. */
  original: Sheet
  /** Its address, which names the model of Gemini. */
  path: string
  /** Tools and system prompt as they were first sent, where the harness has changed them since. */
  tools: string | undefined
  system: string | undefined
  /** The same for a system prompt that is made of messages. */
  head: readonly string[] | undefined
  /** The conversation as it was sent. */
  sent: readonly Carried[]
  spoken: SpokenReminder
  /** Reminders that the model has not seen, by hash. */
  unsaid: Set<string>
  /** True once something went out that is not what the harness wrote, cache markers aside. */
  isMended: boolean
  /** True if thinking of other bytes is in it, which the API is asked to drop. */
  asksToDrop: boolean
  /** True if the provider refused what went out. */
  isRefused: boolean
  /** Where the cache markers of the newest request stand, in blocks. */
  marks: readonly number[]
  /** The same of the request before it. */
  formerMarks: readonly number[]
  /** The newest request, in case it is sent again. */
  last: { readonly body: string; readonly result: MendedRequest } | undefined
}

/** Makes the record of a strand on which nothing was sent differently. */
export function freshSubstitute(strand: Strand, original: Sheet, path: string): Substitute {
  return {
    strand,
    original,
    path,
    tools: undefined,
    system: undefined,
    head: undefined,
    sent: asWritten(original),
    spoken: new Map(),
    unsaid: new Set(),
    isMended: false,
    asksToDrop: false,
    isRefused: false,
    marks: [],
    formerMarks: [],
    last: undefined,
  }
}

/** Lists the conversation as the harness wrote it. */
export function asWritten({ items, head }: Sheet): readonly Carried[] {
  return items.slice(head).map((_, i) => ({ from: head + i }))
}

/** Copies the record for a strand that branches off, with the number of requests that led to it. */
export function forked(substitute: Substitute, strand: Strand): Substitute {
  strand.calls = substitute.strand.calls
  return {
    ...substitute,
    strand,
    spoken: new Map(substitute.spoken),
    unsaid: new Set(substitute.unsaid),
    last: undefined,
  }
}

/** What the beginning of a request shares with a strand that it leaves, by a step back for example. */
export interface SharedStart {
  /** The messages that were smooshed when they were sent: they go out so again, because the cache has them so. */
  readonly smooshed: ReadonlyMap<number, Pick<Carried, "smooshed">>
  /** True if every reply in the request was given to the very bytes that stand before it now. */
  readonly repliesFit: boolean
}

/** Compares a request with a strand that it leaves. */
export function sharedStart(substitute: Substitute, { items, dialect }: Sheet): SharedStart {
  const { original, tools, system, head, sent, asksToDrop } = substitute
  const differing = items.findIndex((item, i) => !sameItem(original.items[i] ?? "null", item))
  const length = differing < 0 ? items.length : differing
  const smooshed = new Map<number, Pick<Carried, "smooshed">>()
  for (const { from, frozen, smooshed: blocks } of sent)
    if (frozen === undefined && blocks !== undefined && from < length)
      smooshed.set(from, { smooshed: blocks })
  const isHeld = (tools ?? system ?? head) !== undefined || sent.some(({ frozen }) => frozen !== undefined)
  const lastReply = items.findLastIndex((item) => isReply(JSON.parse(item), dialect))
  const isWhole = sent.length === original.items.length - original.head
  return { smooshed, repliesFit: !isHeld && isWhole && !asksToDrop && lastReply < length }
}

/** A request of the harness, read. */
export interface ReadRequest {
  readonly request: OriginalRequest
  readonly sheet: Sheet
  readonly snapshot: Snapshot
}
