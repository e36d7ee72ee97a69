import type { StoreState } from "./state.js"

/** What looking after a store needs: its rows as they are, its figures, and its room. */
export interface Upkeep {
  figures(): Promise<StoreFigures>
  /** Begins to listen for posts, and says how the store is told of them. */
  hearing(): Promise<Pick<StoreState, "hearing" | "why">>
  /** Who has sessions open. */
  holders(): Promise<readonly StoredHolder[]>
  /** Sessions that were at work when their holder last said so, or for which a command waits: their ids. */
  busy(): Promise<ReadonlySet<string>>
  /** By session: the bytes of its log. */
  sizes(): Promise<ReadonlyMap<string, number>>
  /** One session, all of it from one moment; undefined if it does not exist. */
  read(sessionId: string): Promise<StoredSession | undefined>
  /**
   * Writes a session that was read from another store, in one transaction: its log from the entry `from` on, which is
   * where the log ends that this store has of it (0: it has none). Refused while the session is open, or if its log
   * ends elsewhere by now. A command that this store has carried out stays carried out.
   */
  write(session: StoredSession, from: number): Promise<void>
  /** Texts of files that are kept under these hashes. One that is damaged is left out. */
  texts(hashes: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Every kept text that a log names. */
  named(): Promise<readonly NamedText[]>
  /** Which of these hashes texts are kept under. */
  kept(hashes: readonly string[]): Promise<ReadonlySet<string>>
  keepTexts(texts: ReadonlyMap<string, string>): Promise<void>
  /** Every text, some at a time. One that is not UTF-8 is undefined. */
  eachText(visit: (hash: string, text: string | undefined) => void): Promise<void>
  /** Rows that belong to no session, by what they are. */
  strays(): Promise<readonly Stray[]>
  /** What the database itself finds wrong with its files, if it can be asked. */
  integrity(): Promise<readonly string[]>
  /** Removes texts that only sessions named which `remove` has removed here, and gives room back to the disk. */
  reclaim(): Promise<Reclaimed>
  /** Does the work unless another process does work of this name now: then undefined. */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T | undefined>
}

/** How much a store holds. */
export interface StoreFigures {
  readonly sessions: number
  readonly entries: number
  readonly texts: number
  /** Of logs and of kept texts. */
  readonly bytes: number
  /** What the files or tables take, indexes and free room included. */
  readonly bytesOnDisk: number
}

/** A process that has a session open. */
export interface StoredHolder {
  readonly session: string
  readonly pid: number
  readonly host: string
  readonly worker?: string
  /** What it has asked a person. */
  readonly asking: readonly unknown[]
  /** Of a lease. */
  readonly fence?: number
  /** When the lease ends unless it is prolonged, in milliseconds. */
  readonly until?: number
}

/** A session as its rows. */
export interface StoredSession {
  readonly id: string
  readonly cwd: string
  readonly title: string | null
  readonly summary: string | null
  readonly parent: string | null
  readonly workspace: string | null
  /** As JSON, like the metadata. */
  readonly labels: string | null
  readonly metadata: string | null
  readonly agent: string
  readonly model: string
  readonly created: number
  readonly updated: number
  /** As the row counts them. */
  readonly entries: number
  readonly messages: number
  readonly atWork: boolean
  readonly log: readonly StoredEntry[]
  readonly posted: readonly StoredCommand[]
}

/** An entry as it lies in the store. */
export interface StoredEntry {
  readonly seq: number
  /** The line of JSON; undefined if it is not UTF-8. */
  readonly body: string | undefined
}

/** A posted command: one that waits, or was carried out and whose outcome is kept for a while. */
export interface StoredCommand {
  readonly id: string
  readonly body: string
  /** Milliseconds. */
  readonly at: number
  readonly done: boolean
  readonly outcome: string | null
}

export interface NamedText {
  readonly session: string
  readonly hash: string
  readonly bytes: number
}

/** Rows of one kind that belong to no session. */
export interface Stray {
  readonly what: "entries" | "posted commands" | "holders"
  readonly rows: number
}

export interface Reclaimed {
  /** Bytes by which the store's files shrank. */
  readonly bytes: number
  /** Why the files did not shrink, if there is room in them. */
  readonly why?: string
}

/** Rows that are read or written by one statement. */
export const ROWS_AT_ONCE = 500
