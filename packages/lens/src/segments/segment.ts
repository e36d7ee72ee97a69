/** The part of a request that a segment belongs to. */
export type Section = "key" | "tools" | "system" | "parameters" | "messages"

/** The order in which a provider's cache reads a request. */
export const SECTIONS: readonly Section[] = ["key", "tools", "system", "parameters", "messages"]

/** What a segment holds. */
export type SegmentKind =
  | "parameter"
  | "tool"
  | "system"
  | "text"
  | "reasoning"
  | "call"
  | "result"
  | "media"
  | "other"

/** A segment as it stands in a body, before anything was computed about it. */
export interface Slot {
  readonly section: Section
  /** Where it stands in the body: "messages.3.content.0". */
  readonly path: string
  readonly role: string
  readonly kind: SegmentKind
  /** A reference into the parsed body. */
  readonly value: unknown
  /** The name of a tool, the id of a call, or that of the call which a result answers. */
  readonly name?: string
  /** Written as a string where a list of blocks would say the same. */
  readonly bare?: boolean
  /** Carries a cache breakpoint. */
  readonly marked?: boolean
}

/** A text inside of the conversation that speaks for the harness. This is recognition: nothing on the wire says who wrote it. */
export interface FoundReminder {
  readonly kind: string
  readonly text: string
  readonly tokens: number
  readonly hash: string
}

/** The smallest unit that is compared. */
export interface Segment extends Slot {
  /** Of its role and its JSON, cache markers aside. */
  readonly hash: string
  readonly tokens: number
  /** True if there is an image, a file or a sound in it. */
  readonly hasMedia: boolean
  /** The texts in it that speak for the harness. */
  readonly reminders: readonly FoundReminder[]
  /** True if it is nothing but reminders. */
  readonly isReminder: boolean
}
