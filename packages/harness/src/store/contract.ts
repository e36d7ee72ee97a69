import type { Entry } from "@sotto/core"
import type { Loss } from "./loss.js"
import type { SessionSummary } from "./summary.js"

export type NewSession = Pick<SessionSummary, "cwd" | "title" | "parent">

/** Sessions in a file. Many processes may have it open; one at a time writes to a session. */
export interface Store {
  readonly path: string
  /** A new session, from the first entries of its log, open for appending. On disk with the next that is. */
  create(about: NewSession, entries: readonly Entry[]): void
  /** Takes a session that exists, to append to it: its log. Refused while somebody else has it. */
  open(sessionId: string): readonly Entry[]
  /** One transaction. On return the entries are on disk, and all that was to go with them. */
  append(sessionId: string, entries: readonly Entry[]): void
  /** Entries that go to disk with the next ones, with `durable`, or when the session is given back. */
  appendLater(sessionId: string, entries: readonly Entry[]): void
  /**
   * Resolves when all that was appended to the session is on disk. Whoever asks for that in the same breath, for
   * whichever session, shares one transaction.
   */
  durable(sessionId: string): Promise<void>
  /** Has all that was appended go to disk within milliseconds, unless somebody asks for it sooner. */
  writeSoon(): void
  /** Called with the entries of a session that were appended later, in the moment in which they are on disk. */
  onDurable(sessionId: string, listener: (entries: readonly Entry[]) => void): void
  /** Keeps the text of a file by its hash, from the next transaction on. */
  keep(hash: string, text: string): void
  content(hash: string): string | undefined
  /** Gives a session back, so that others can open it. */
  release(sessionId: string): void
  /** The log, for reading. */
  load(sessionId: string): readonly Entry[]
  /** The one changed last comes first. One whose row is damaged says so, and hides no other. */
  list(): readonly SessionSummary[]
  /** The session of this folder that was changed last; subagents' do not count. */
  latest(cwd: string): SessionSummary | undefined
  about(sessionId: string): SessionSummary
  setTitle(sessionId: string, title: string): void
  setSummary(sessionId: string, summary: string): void
  /** A header and one line for each entry, without line ends. */
  exportJsonl(sessionId: string): readonly string[]
  /** Adds an exported session: its id. */
  importJsonl(text: string): string
  /**
   * Removes a session and those of its subagents, with their queues and what only they have: their ids. Refused while
   * one of them is open somewhere.
   */
  delete(sessionId: string): readonly string[]
  /**
   * Removes one session, without its subagents', once `save` has put its export elsewhere: what that returns. If it
   * throws, the session stays.
   */
  remove<T>(sessionId: string, save: (lines: readonly string[]) => T): T
  /**
   * Keeps the longest beginning of a session's log that restores, after the whole of it was saved as a file. Refused
   * while the session is open somewhere.
   */
  repair(sessionId: string): Repair
  /** What is missing of sessions although it was said to be on disk, in words; of one session, or of all. */
  lost(sessionId?: string): readonly Loss[]
  /** Releases everything. */
  close(): void
}

/** What a repair did. */
export interface Repair {
  readonly id: string
  /** How many entries are kept, and how many there were. */
  readonly kept: number
  readonly before: number
  /** What was wrong; undefined if nothing was, and nothing was changed. */
  readonly why?: string
  /** Where the damaged original is. */
  readonly saved?: string
}
