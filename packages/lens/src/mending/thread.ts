import type { Snapshot } from "../segments/snapshot.js"
import type { Strand } from "../threads/strand.js"
import type { Carried } from "./carry.js"
import type { MendedRequest, OriginalRequest } from "./contract.js"
import type { Spoken } from "./quiet.js"
import type { Sheet } from "./sheet.js"

/** What a mender knows about one thread. */
export interface Thread {
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
  /** How many requests there were. */
  step: number
  spoken: Spoken
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

/** A thread of which nothing has been sent differently. */
export function freshThread(strand: Strand, original: Sheet, path: string): Thread {
  return {
    strand,
    original,
    path,
    tools: undefined,
    system: undefined,
    head: undefined,
    sent: asWritten(original),
    step: 0,
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

/** The conversation as the harness wrote it. */
export function asWritten({ items, head }: Sheet): readonly Carried[] {
  return items.slice(head).map((_, i) => ({ from: head + i }))
}

/** The same thread, to go on beside it. */
export function forked(thread: Thread, strand: Strand): Thread {
  strand.tip = thread.strand.tip
  return {
    ...thread,
    strand,
    spoken: new Map(thread.spoken),
    unsaid: new Set(thread.unsaid),
    last: undefined,
  }
}

/** A request of the harness, read. */
export interface Incoming {
  readonly request: OriginalRequest
  readonly sheet: Sheet
  readonly snapshot: Snapshot
}
