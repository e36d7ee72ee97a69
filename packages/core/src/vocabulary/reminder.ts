import type { Carrier } from "./capabilities.js"
import type { MediaPart } from "./message.js"
import type { FrameTag } from "./tags.js"

/** The name of what a reminder is about: a standard one of the catalogue, or a custom rule's own. */
export type Kind = string

/** Whose words it carries. What carries untrusted words never travels with system authority. */
export type Trust = "harness" | "user" | "untrusted"

/** Outside text that a reminder brings along, with where it comes from. */
export interface ReminderBody {
  /** The outside text. */
  readonly text: string
  /** Where it comes from: a path, a server, a command. The model is told. */
  readonly source: string
  /** Whose text it is. The user's own configuration needs no frame. */
  readonly trust: "user" | "untrusted"
  /** The tag of its frame; "reminder-body" unless given. Names that begin with "reminder-" are free for your own. */
  readonly tag?: FrameTag
  /** Attributes of the tag, in place of `source`. */
  readonly attributes?: Readonly<Record<string, string>>
  /** Images and documents that follow the text. */
  readonly media?: readonly MediaPart[]
}

/** One way to say it: the harness's line, and the outside text it is about, if any. */
export interface Form {
  /** The harness's own words. */
  readonly line: string
  /** Outside text that the line is about. */
  readonly body?: ReminderBody
}

/** What a rule has the model told; frozen once sent. */
export interface Reminder extends Form {
  /** What it is about. */
  readonly kind: Kind
  /** What in particular it is about, such as a path. */
  readonly key: string
  /** Whose words it carries. */
  readonly trust: Trust
  /** What it costs. */
  readonly tokens: number
  /** The carrier asked for; the usual one of the model unless given, and wherever this one is not allowed. */
  readonly carrier?: Carrier
}
