import type { Entry } from "@sotto/core"
import type { UsageRow } from "@sotto/core/economy"
import type { Awaitable } from "../platform/awaitable.js"
import type { StoreError } from "./error.js"
import type { SessionDescription } from "./labels.js"
import type { Loss } from "./loss.js"
import type { Outcome, Posted } from "./posted.js"
import type { StoreState } from "./state.js"
import type { SessionSummary } from "./summary.js"
import type { Upkeep } from "./upkeep.js"

export type { StoreState } from "./state.js"

/** What is said of a session when it is made. */
export type NewSession = Pick<
  SessionSummary,
  "cwd" | "title" | "summary" | "parent" | "workspace" | "labels" | "metadata"
>

/** The logs of sessions: who has opened a session appends to its log, and anybody reads it. */
export interface SessionLog {
  /** A new session, from the first entries of its log, open for appending. On disk with the next that is. */
  create(about: NewSession, entries: readonly Entry[]): Awaitable<void>
  /**
   * One transaction. The entries are on disk, with all that was to go with them, on return; where a promise is
   * returned, when it resolves. If that rejects with `unavailable`, they still wait, and go with the next.
   */
  append(sessionId: string, entries: readonly Entry[]): Awaitable<void>
  /** Entries that go to disk with the next ones, with `durable`, or when the session is given back. */
  appendLater(sessionId: string, entries: readonly Entry[]): void
  /**
   * Resolves when all that was appended to the session is on disk and the store has just confirmed that the session is
   * still ours. Callers that ask for that in the same breath, for whichever session, share one transaction. Rejects
   * with `lost` if another worker has the session, or may have it before the caller could do anything.
   */
  durable(sessionId: string): Promise<void>
  /** Has all that was appended go to disk within milliseconds, unless a caller asks for it sooner. */
  writeSoon(): void
  /** Called with the entries of a session that were not on disk when they were appended, in the moment in which they are. */
  onDurable(sessionId: string, listener: (entries: readonly Entry[]) => void): void
  /** The log, for reading. */
  load(sessionId: string): Awaitable<readonly Entry[]>
  /**
   * The same in parts, in order, for a caller that has other things to do in between. Rejects like `load`, perhaps only
   * after the parts that could be read.
   */
  loadParts(sessionId: string): AsyncIterable<readonly Entry[]>
  /** The log from a sequence number on, for a reader that has what is before it. */
  loadFrom(sessionId: string, seq: number): Awaitable<readonly Entry[]>
  /** Calls the listener when anybody may have written to the store. Returns what stops that. */
  onChange(listener: () => void): () => void
}

/** Who may append to which session: one process at a time. */
export interface SessionLeases {
  /** Takes a session that exists, to append to it: its log. Refused while another worker has it. */
  open(sessionId: string): Awaitable<readonly Entry[]>
  /** Gives a session back, so that others can open it. */
  release(sessionId: string): Awaitable<void>
  /** False once the session was lost, or may have been by now. Answers at once, from what this process knows. */
  holds(sessionId: string): boolean
  /** Calls the listener once, when a session that is open here was lost to another worker, or may have been. */
  onLost(sessionId: string, listener: (error: StoreError) => void): void
  /** The lease on a session that is open here; undefined if the session has none, or the store needs none. */
  lease(sessionId: string): Lease | undefined
  /** Tells who has a session open; undefined if it has no living holder. */
  holder(sessionId: string): Awaitable<SessionHolder | undefined>
  /** Says whether the session is at work, so that another worker goes on with it if this one vanishes. */
  setAtWork(sessionId: string, atWork: boolean): void
  /**
   * Lists sessions of these workspaces that no worker has open and that have something to do: a posted command, or work
   * that was under way when their holder vanished. The empty name stands for sessions without a workspace.
   */
  waiting(workspaces: readonly string[]): Awaitable<readonly WaitingSession[]>
}

/** Commands that one process leaves for the process that has a session open, and what became of them. */
export interface Mailbox {
  /**
   * Leaves a command for the session's holder, who is some other process, or will be. On return it is on disk. The
   * same id twice is the same command.
   */
  post(sessionId: string, posted: Posted): Awaitable<void>
  /** What was posted for a session and not carried out, oldest first. */
  posted(sessionId: string): Awaitable<readonly Posted[]>
  /** Calls the listener when something may have been posted: at once where the system can tell. Returns what stops that. */
  onPosted(listener: () => void): () => void
  /**
   * The holder carries out a posted command: `work`, in the same breath. It is marked as carried out in the transaction that writes its
   * entries, so that it happens exactly once, also if the holder is killed.
   */
  carryOut(sessionId: string, id: string, work: () => Outcome): Awaitable<void>
  /** Tells what became of a posted command; undefined while it waits. */
  outcome(sessionId: string, id: string): Awaitable<Outcome | undefined>
  /** Says which questions the holder of a session has put to a person, as JSON, for others who can answer. */
  setAsking(sessionId: string, questions: readonly unknown[]): Awaitable<void>
}

/** The sessions of a store as a list shows them. */
export interface SessionCatalogue {
  /** The one changed last comes first. One whose row is damaged says so, and hides no other. */
  list(): Awaitable<readonly SessionSummary[]>
  /** Finds the session of this folder that was changed last; subagents' do not count. */
  latest(cwd: string): Awaitable<SessionSummary | undefined>
  about(sessionId: string): Awaitable<SessionSummary>
  /** What the account of a session is made from, from an entry on. The rest of the log is not read. */
  usage(sessionId: string, from: number): Awaitable<readonly UsageRow[]>
  /** The sessions of its subagents, and of theirs. */
  subagents(sessionId: string): Awaitable<readonly SessionSummary[]>
  /** Changes what is said of a session, in one transaction. Labels and metadata have been checked: see labels.ts. */
  describe(sessionId: string, change: SessionDescription): Awaitable<void>
}

/** The texts of files, each under its hash. */
export interface BlobStore {
  /** Keeps the text of a file by its hash, from the next transaction on. */
  keep(hash: string, text: string): void
  content(hash: string): Awaitable<string | undefined>
}

/** What people do who look after a store: move sessions in and out, mend them, and find out how the store is. */
export interface StoreUpkeep {
  /** The rows as they are, the figures and the room. */
  readonly upkeep: Upkeep
  /** Where the store is, to be shown: a path, or an address without its password. */
  readonly path: string
  /** The folder for files that belong to the store: archives, and what was damaged. */
  readonly folder: string
  /** A header and one line for each entry, without line ends. */
  exportJsonl(sessionId: string): Awaitable<readonly string[]>
  /** Adds an exported session: its id. */
  importJsonl(text: string): Awaitable<string>
  /**
   * Removes a session and those of its subagents, with their queues and what only they have: their ids. Refused while
   * one of them is open somewhere.
   */
  delete(sessionId: string): Awaitable<readonly string[]>
  /**
   * Removes a session and those of its subagents in one transaction, once `save` has put their exports elsewhere: what
   * that returns. If it throws, all of them stay. Refused while one of them is open or has something to do. Texts of
   * files that only they name are removed by the next `upkeep.reclaim`.
   */
  remove<T>(sessionId: string, save: (sessions: readonly SessionExport[]) => T): Awaitable<T>
  /**
   * Keeps the longest beginning of a session's log that restores, after the whole of it was saved as a file. Refused
   * while the session is open somewhere.
   */
  repair(sessionId: string): Awaitable<Repair>
  /** What is missing of sessions although it was said to be on disk, in words; of one session, or of all. */
  lost(sessionId?: string): Awaitable<readonly Loss[]>
  /** Rejects if the store cannot be used now: it is away, or was changed by a newer program. */
  check(): Awaitable<void>
  /** What the store is, for people who look after it. */
  state(): StoreState
}

/**
 * Sessions, in a file or in a database. Many processes may have it open; one at a time writes to a session. It is cut by
 * who uses it: take the part that you need, and not the whole. What a database elsewhere has to be asked for comes later,
 * as a promise; a file of SQLite gives it at once, and its callers go on at once.
 */
export interface Store extends SessionLog, SessionLeases, Mailbox, SessionCatalogue, BlobStore, StoreUpkeep {
  /** Releases everything. Wait for it before another process is to have the sessions. */
  close(): Awaitable<void>
}

/** The right to write to a session until a time. */
export interface Lease {
  /** Grows each time that the session changes hands. */
  readonly fence: number
  /** Milliseconds on this machine's clock. The database ends the lease no sooner. */
  readonly until: number
}

/** A session that waits for a worker. */
export interface WaitingSession {
  readonly id: string
  readonly cwd: string
  readonly workspace?: string
}

/** The process that holds a session. */
export interface SessionHolder {
  readonly pid: number
  /** The machine that the process runs on, if it is known. */
  readonly host?: string
  /** The name that the worker was started with, if it has one. */
  readonly worker?: string
  /** True if this store has it open. */
  readonly isThis: boolean
  /** What it has asked a person, as it said by `setAsking`. */
  readonly asking: readonly unknown[]
}

/** A session as its export: a header and one line for each entry. */
export interface SessionExport {
  readonly id: string
  readonly lines: readonly string[]
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
