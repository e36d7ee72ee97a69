import type { Agent, ContentPart, SayOptions, Session, ToolCallPart } from "@sotto/core"
import type { Judge } from "../execution/permissions/rules.js"
import type { KnownFiles, Touch } from "../tools/file-views/known-files.js"
import type { Output, Tool } from "../tools/tool.js"

/** The session as a source has it: to read from, to note signals in and to observe facts in. */
export type SourceSession = Pick<
  Session,
  | "id"
  | "agent"
  | "capabilities"
  | "log"
  | "phase"
  | "isInTurn"
  | "fact"
  | "facts"
  | "queue"
  | "due"
  | "receipt"
  | "view"
  | "note"
  | "observe"
>

/** What a source may see of the conversation, and how it tells it something. */
export interface SourceContext {
  /** The workspace: an absolute path without links. */
  readonly cwd: string
  readonly session: SourceSession
  /** What the model has read or written. */
  readonly files: KnownFiles
  /** Whether it works for another agent. */
  readonly isSubagent: boolean
  agent(): Agent
  /** What the agent may do: for a subagent, within what its parent may. */
  readonly judge: Judge
  /** Puts a message in the inbox; wakes the agent as its origin and delivery say. */
  say(content: string | readonly ContentPart[], options: SayOptions): void
  /** Takes back a message that was not delivered yet. */
  cancel(id: string): boolean
  /** Has these tools beside the agent's own from now on; each time all of them. */
  offer(tools: readonly Tool[]): void
  /** Tells the user, not the model: something failed or does not exist; as a notice, that it stops nothing. */
  report(message: string, as?: "error" | "notice"): void
}

/** A message of a human, as it was said or edited. */
export interface Said {
  readonly id: string
  readonly content: readonly ContentPart[]
}

/** Something that knows what the model should know, and tells the session: the eyes and ears of the agent. */
export interface Source {
  /** For people: "mentions", "language servers". */
  readonly name: string
  /** Called before every boundary. What takes longer than a step may wait goes on, and is told at a later boundary. */
  collect?(signal: AbortSignal): void | Promise<void>
  /** True if the boundary waits for `collect` however long it takes: a message must not go up without what it mentions. */
  readonly isAwaited?: boolean
  /** A human said something, or said it anew before it was delivered. */
  said?(message: Said): void
  /** The agent read or wrote a file. */
  touched?(touch: Touch): void
  /** A call has its result. */
  called?(call: ToolCallPart, output: Output): void
  /** A summary has replaced the conversation so far. */
  compacted?(): void
  close?(): void | Promise<void>
}

/** Something that holds, for `session.observe(key, value)`: a value, `removed()` or `unavailable()`. */
export interface Observation<Key extends string = string, Value = unknown> {
  readonly key: Key
  readonly value: Value
}
