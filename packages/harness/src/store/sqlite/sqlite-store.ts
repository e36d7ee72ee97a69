import { dirname } from "node:path"
import type { Entry } from "@sotto/core"
import type { UsageRow } from "@sotto/core/economy"
import { changesIn } from "../changes.js"
import type {
  NewSession,
  Repair,
  SessionExport,
  SessionHolder,
  Store,
  StoreState,
  WaitingSession,
} from "../contract.js"
import { conflict, damagedSession, duplicate, notOpen, StoreError, unknownSession } from "../error.js"
import { exportLines, parseExport } from "../jsonl.js"
import { labelText, metadataText, type SessionDescription } from "../labels.js"
import { type Loss, lossesIn } from "../loss.js"
import type { Outcome, Posted } from "../posted.js"
import { copyAside } from "../saved.js"
import { type SessionSummary, USAGE_PATHS, USAGE_TYPES, usageRow } from "../summary.js"
import { Acknowledged } from "./acknowledged.js"
import { Backlog } from "./backlog.js"
import { Bell, watchFiles } from "./bell.js"
import { Contents } from "./contents.js"
import type { Database } from "./database.js"
import { thisHolder } from "./holder.js"
import { Locks } from "./locks.js"
import { readLog, readLogFrom } from "./log-rows.js"
import { PostedCommands } from "./posted-commands.js"
import { removeSession } from "./removal.js"
import { repairSession } from "./repair.js"
import { MIGRATIONS } from "./schema.js"
import { describeSession, SESSION_COLUMNS, summaryOf } from "./summary-rows.js"
import { nearestText, textIn } from "./text.js"
import { SqliteUpkeep } from "./upkeep.js"

/** Entries that one statement writes. */
const AT_ONCE = 8

/** How many entries `loadParts` reads at a time: a few milliseconds' worth. */
const PART = 500

/** The paths of what an account is made from, as SQLite writes them. */
const USAGE_FIELDS = USAGE_PATHS.map(
  (path) => `'$${path.map((name) => (typeof name === "number" ? `[${name}]` : `.${name}`)).join("")}'`,
).join()

/** Sessions in a file of SQLite. */
export class SqliteStore implements Store {
  readonly upkeep: SqliteUpkeep
  readonly #database: Database
  readonly #locks: Locks
  readonly #contents: Contents
  readonly #backlog: Backlog
  readonly #acknowledged: Acknowledged
  readonly #posted: PostedCommands
  readonly #bell: Bell
  /** By session: whether it is at work, which the next transaction writes. */
  readonly #atWork = new Map<string, boolean>()
  /** By session: the state of the bell when nothing was posted for it. */
  readonly #unposted = new Map<string, string>()

  constructor(database: Database) {
    this.#database = database
    this.#locks = new Locks(database, thisHolder())
    this.#contents = new Contents(database)
    this.#acknowledged = new Acknowledged(database.path)
    this.#posted = new PostedCommands(database)
    this.#bell = new Bell(database.path)
    this.upkeep = new SqliteUpkeep({
      ...{ database, locks: this.#locks },
      keyOf: (id) => this.#knownKey(id),
      newKey: () => this.#newKey(),
      acknowledge: (key, id, entries) => this.#acknowledged.set(key, id, entries),
      ring: () => this.#bell.ring(),
    })
    this.#backlog = new Backlog(database, {
      write: (sessions) => {
        for (const [id, entries] of sessions) this.#extend(id, entries)
        this.#contents.write()
      },
      written: (sessions) => {
        this.#contents.written()
        for (const id of sessions) this.#atWork.delete(id)
      },
      durable: (id, seq) => {
        const key = this.#locks.keyOf(id)
        if (key !== undefined) this.#acknowledged.set(key, id, seq + 1)
      },
    })
  }

  get path(): string {
    return this.#database.path
  }

  get folder(): string {
    return dirname(this.#database.path)
  }

  create(about: NewSession, entries: readonly Entry[]): void {
    const [opened] = entries
    if (opened?.type !== "opened") throw new TypeError('The log of a new session begins with "opened".')
    this.#database.commit(() => {
      this.#locks.take(this.#insert(opened.id, about, opened.at, entries), opened.id)
    })
    this.#locks.taken(opened.id)
  }

  open(sessionId: string): readonly Entry[] {
    this.#saveLog(sessionId)
    let log: readonly Entry[] = []
    this.#database.commit(() => {
      const key = this.#keyOf(sessionId)
      this.#locks.take(key, sessionId)
      log = this.#read(key, sessionId)
    })
    this.#locks.taken(sessionId)
    return log
  }

  /** Saves the log before the first write goes over it. */
  #saveLog(sessionId: string): void {
    if (this.lost(sessionId).length > 0) copyAside(this.path, `${this.path}-wal`)
  }

  lost(sessionId?: string): readonly Loss[] {
    const said = sessionId === undefined ? this.#acknowledged.all() : this.#saidOf(sessionId)
    if (said.length === 0) return []
    const entries = new Map(
      this.#database
        .rows("SELECT CAST(key AS INTEGER) AS key, CAST(entries AS INTEGER) AS entries FROM sessions")
        .map((row) => [Number(row.key), Number(row.entries)]),
    )
    return lossesIn(said, (key) => entries.get(key) ?? 0)
  }

  #saidOf(sessionId: string) {
    const key = this.#keyOf(sessionId)
    return [{ key, id: sessionId, entries: this.#acknowledged.of(key, sessionId) }]
  }

  append(sessionId: string, entries: readonly Entry[]): void {
    this.#backlog.write(sessionId, entries)
  }

  appendLater(sessionId: string, entries: readonly Entry[]): void {
    this.#backlog.add(sessionId, entries)
  }

  durable(sessionId: string): Promise<void> {
    return this.#backlog.durable(sessionId)
  }

  writeSoon(): void {
    this.#backlog.soon()
  }

  onDurable(sessionId: string, listener: (entries: readonly Entry[]) => void): void {
    this.#backlog.onDurable(sessionId, listener)
  }

  /** Adds entries to a session. Must run inside a transaction. */
  #extend(sessionId: string, entries: readonly Entry[]): void {
    const [first] = entries
    if (first === undefined) {
      this.#writeAtWork(sessionId)
      return
    }
    const claim = this.#locks.claim(sessionId)
    const { agent, model, messages } = changesIn(entries)
    const updated = this.#database.run(
      `UPDATE sessions SET entries = entries + ?, messages = messages + ?, updated = max(updated, ?),
         agent = coalesce(?, agent), model = coalesce(?, model), at_work = coalesce(?, at_work)
         WHERE key = ? AND entries = ? AND EXISTS (SELECT 1 FROM locks WHERE session = key AND token = ?)`,
      ...[entries.length, messages, (entries.at(-1) ?? first).at, agent, model],
      ...[this.#atWorkOf(sessionId), claim.key, first.seq, claim.token],
    )
    if (updated !== 1)
      throw this.#locks.isLost(claim) ? this.#locks.lost(sessionId) : conflict(sessionId, first.seq)
    this.#write(claim.key, entries)
    this.#posted.write(sessionId, claim.key)
  }

  /** Writes whether the session is at work. Must run inside a transaction that has no entries of the session. */
  #writeAtWork(sessionId: string): void {
    const { key } = this.#locks.claim(sessionId)
    const atWork = this.#atWorkOf(sessionId)
    if (atWork !== null) this.#database.run("UPDATE sessions SET at_work = ? WHERE key = ?", atWork, key)
  }

  #atWorkOf(sessionId: string): number | null {
    const atWork = this.#atWork.get(sessionId)
    return atWork === undefined ? null : Number(atWork)
  }

  setAtWork(sessionId: string, atWork: boolean): void {
    if (!this.#locks.holds(sessionId)) throw notOpen(sessionId)
    this.#atWork.set(sessionId, atWork)
    this.#backlog.add(sessionId, [])
  }

  waiting(workspaces: readonly string[]): readonly WaitingSession[] {
    return this.#database
      .rows(
        `SELECT ${SESSION_COLUMNS} FROM sessions WHERE at_work = 1
           OR key IN (SELECT session FROM posted WHERE done = 0) ORDER BY key`,
      )
      .filter(({ key }) => this.#locks.holder(Number(key)) === undefined)
      .map(summaryOf)
      .filter(({ damaged, workspace = "" }) => damaged === undefined && workspaces.includes(workspace))
      .map(({ id, cwd, workspace }) => ({ id, cwd, ...(workspace !== undefined && { workspace }) }))
  }

  /** True if this process has the lock of the session. The lock goes with the process and not before. */
  holds(sessionId: string): boolean {
    return this.#locks.holds(sessionId)
  }

  onLost(): void {}

  lease(): undefined {}

  keep(hash: string, text: string): void {
    this.#contents.keep(hash, text)
  }

  content(hash: string): string | undefined {
    return this.#contents.get(hash)
  }

  release(sessionId: string): void {
    try {
      this.#settle(sessionId)
    } finally {
      this.#backlog.forget(sessionId)
      this.#unposted.delete(sessionId)
      this.#atWork.delete(sessionId)
      this.#locks.release(sessionId)
    }
  }

  load(sessionId: string): readonly Entry[] {
    this.#settle(sessionId)
    return this.#read(this.#keyOf(sessionId), sessionId)
  }

  async *loadParts(sessionId: string): AsyncGenerator<readonly Entry[]> {
    this.#settle(sessionId)
    const key = this.#keyOf(sessionId)
    let length = 0
    for (;;) {
      const part = readLogFrom(this.#database, key, length, PART)
      length += part.length
      if (part.length > 0) yield part
      if (part.length < PART) break
    }
    // Here it shows if the log is damaged, and what was appended meanwhile is in it.
    const [row] = this.#database.rows(
      "SELECT CAST(entries AS INTEGER) AS entries FROM sessions WHERE key = ?",
      key,
    )
    if (Number(row?.entries ?? 0) !== length) yield this.#read(key, sessionId).slice(length)
  }

  loadFrom(sessionId: string, seq: number): readonly Entry[] {
    return readLogFrom(this.#database, this.#keyOf(sessionId), seq)
  }

  /** The files change with every write of this store too; only what others wrote is told. */
  onChange(listener: () => void): () => void {
    let version = this.#database.version
    return watchFiles(this.path, () => {
      const now = this.#database.version
      if (now === version) return
      version = now
      listener()
    })
  }

  post(sessionId: string, posted: Posted): void {
    this.#database.transaction(() => this.#posted.post(this.#keyOf(sessionId), posted))
    this.#unposted.delete(sessionId)
    this.#bell.ring()
  }

  /**
   * Lists posted commands. Every boundary asks for them. While the bell is as it was when none was found, SQLite is not
   * asked: that costs ten times as much as a look at the bell.
   */
  posted(sessionId: string): readonly Posted[] {
    const { state } = this.#bell
    if (state !== undefined && this.#unposted.get(sessionId) === state) return []
    const found = this.#posted.open(this.#keyOf(sessionId))
    if (found.length === 0 && state !== undefined) this.#unposted.set(sessionId, state)
    return found
  }

  onPosted(listener: () => void): () => void {
    return this.#bell.listen(listener)
  }

  carryOut(sessionId: string, id: string, work: () => Outcome): void {
    this.#posted.begin(sessionId, id)
    try {
      const outcome = work()
      this.#database.commit(() => {
        const { key } = this.#locks.claim(sessionId)
        this.#posted.end(sessionId, key, id, outcome)
      })
    } finally {
      this.#posted.leave(sessionId)
    }
  }

  outcome(sessionId: string, id: string): Outcome | undefined {
    return this.#posted.outcome(this.#keyOf(sessionId), id)
  }

  setAsking(sessionId: string, questions: readonly unknown[]): void {
    this.#database.commit(() =>
      this.#locks.setAsking(
        this.#keyOf(sessionId),
        questions.length === 0 ? null : JSON.stringify(questions),
      ),
    )
  }

  holder(sessionId: string): SessionHolder | undefined {
    return this.#locks.holder(this.#keyOf(sessionId))
  }

  list(): readonly SessionSummary[] {
    return this.#database
      .rows(`SELECT ${SESSION_COLUMNS} FROM sessions ORDER BY updated DESC, key DESC`)
      .map(summaryOf)
  }

  check(): void {
    this.#database.rows("SELECT 1 AS one")
  }

  usage(sessionId: string, from: number): readonly UsageRow[] {
    // Every entry is written with its type first. One that is damaged counts as one that used nothing.
    const type = `substr(body, 10, instr(substr(body, 10, 12), '"') - 1)`
    const rows = this.#database.rows(
      `SELECT CAST(seq AS INTEGER) AS seq, ${type} AS type,
         CAST(CASE WHEN json_valid(body) THEN json_extract(body, ${USAGE_FIELDS}) END AS BLOB) AS found
         FROM entries WHERE session = ? AND seq >= ? AND ${type} IN (${USAGE_TYPES.map((one) => `'${one}'`).join()})
           AND (${type} NOT IN ('said', 'edited') OR instr(body, '"interrupts":') > 0) ORDER BY seq`,
      ...[this.#keyOf(sessionId), from],
    )
    return rows.flatMap(({ seq, type, found }) => usageRow(Number(seq), type, textIn(found)) ?? [])
  }

  subagents(sessionId: string): readonly SessionSummary[] {
    const [, ...below] = this.#family(sessionId)
    return below.flatMap(({ key }) =>
      this.#database.rows(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE key = ?`, key).map(summaryOf),
    )
  }

  latest(cwd: string): SessionSummary | undefined {
    return this.#database
      .rows(
        `SELECT ${SESSION_COLUMNS} FROM sessions WHERE cwd = ? AND parent IS NULL ORDER BY updated DESC, key DESC`,
        cwd,
      )
      .map(summaryOf)
      .find(({ damaged }) => damaged === undefined)
  }

  about(sessionId: string): SessionSummary {
    const [row] = this.#database.rows(
      `SELECT ${SESSION_COLUMNS} FROM sessions WHERE key = ?`,
      this.#keyOf(sessionId),
    )
    if (row === undefined) throw unknownSession(sessionId)
    const found = summaryOf(row)
    if (found.damaged !== undefined) throw damagedSession(this.path, sessionId, "the row")
    return found
  }

  describe(sessionId: string, change: SessionDescription): void {
    const isKnown = this.#database.transaction(() => describeSession(this.#database, sessionId, change))
    if (!isKnown) throw unknownSession(sessionId)
  }

  exportJsonl(sessionId: string): readonly string[] {
    return this.#exported(sessionId, this.load(sessionId))
  }

  #exported(sessionId: string, entries: readonly Entry[]): readonly string[] {
    return exportLines(this.about(sessionId), entries)
  }

  importJsonl(text: string): string {
    const { header, entries } = parseExport(text)
    const key = this.#database.transaction(() => this.#insert(header.id, header, header.created, entries))
    this.#acknowledged.set(key, header.id, entries.length)
    return header.id
  }

  delete(sessionId: string): readonly string[] {
    if (this.#forgetLost(sessionId)) return [sessionId]
    const removed = this.#database.transaction(() => {
      const family = this.#family(sessionId)
      for (const { key, id } of family) this.#locks.take(key, id)
      for (const { key } of family) removeSession(this.#database, key)
      return family
    })
    for (const { key, id } of removed) this.#acknowledged.set(key, id, 0)
    return removed.map(({ id }) => id)
  }

  /** Stops telling of a session that is gone already. */
  #forgetLost(sessionId: string): boolean {
    const gone = this.lost().find((loss) => loss.session === sessionId && loss.left === 0)
    if (gone !== undefined) this.#acknowledged.set(gone.key, sessionId, 0)
    return gone !== undefined
  }

  remove<T>(sessionId: string, save: (sessions: readonly SessionExport[]) => T): T {
    const { family, saved } = this.#database.transaction(() => {
      const family = this.#family(sessionId)
      for (const { key, id } of family) this.#locks.take(key, id)
      const exports = family.map(({ key, id }) => ({ id, lines: this.#exported(id, this.#read(key, id)) }))
      for (const { key, id } of family) this.upkeep.removeRows(key, id)
      return { family, saved: save(exports) }
    })
    for (const { key, id } of family) this.#acknowledged.set(key, id, 0)
    return saved
  }

  repair(sessionId: string): Repair {
    return this.#database.transaction(() => {
      const key = this.#keyOf(sessionId)
      this.#locks.take(key, sessionId)
      const repair = repairSession(this.#database, key, sessionId)
      this.#acknowledged.set(key, repair.id, repair.kept)
      this.#database.run("DELETE FROM locks WHERE session = ?", key)
      return repair
    })
  }

  /** Finds the session and those that its subagents have, with theirs. */
  #family(sessionId: string): readonly { readonly key: number; readonly id: string }[] {
    const found = [{ key: this.#keyOf(sessionId), id: sessionId }]
    for (const { id } of found)
      for (const row of this.#database.rows(
        "SELECT CAST(key AS INTEGER) AS key, CAST(id AS BLOB) AS id FROM sessions WHERE parent = ?",
        id,
      ))
        if (!found.some(({ key }) => key === row.key))
          found.push({ key: Number(row.key), id: nearestText(row.id) })
    return found
  }

  state(): StoreState {
    return { kind: "sqlite", version: MIGRATIONS.length, hearing: "files" }
  }

  close(): void {
    this.#bell.close()
    try {
      for (const sessionId of this.#backlog.close()) this.#settle(sessionId)
    } finally {
      this.#locks.releaseAll()
      this.#acknowledged.close()
      this.#database.close()
    }
  }

  /** Writes what was to go with the next entries. If another process has the session by now, it goes with nothing. */
  #settle(sessionId: string): void {
    try {
      this.#backlog.write(sessionId)
    } catch (error) {
      if (!(error instanceof StoreError && error.code === "conflict")) throw error
      this.#backlog.forget(sessionId)
    }
  }

  #insert(id: string, about: NewSession, created: number, entries: readonly Entry[]): number {
    if (this.#database.rows("SELECT 1 FROM sessions WHERE id = ?", id).length > 0) throw duplicate(id)
    const { agent, model, messages } = changesIn(entries)
    const { cwd, title = null, summary = null, parent = null, workspace = null } = about
    const updated = entries.reduce((latest, { at }) => Math.max(latest, at), created)
    const key = this.#newKey()
    this.#database.run(
      `INSERT INTO sessions (key, id, cwd, title, summary, parent, workspace, agent, model, created, updated, entries, messages,
           labels, metadata)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[key, id, cwd, title, summary, parent, workspace, agent, model],
      ...[created, updated, entries.length, messages, labelText(about.labels), metadataText(about.metadata)],
    )
    this.#write(key, entries)
    return key
  }

  /**
   * Returns a key that is never used again: what was said of a session that is lost stays said. Must run inside a
   * transaction.
   */
  #newKey(): number {
    const [row] = this.#database.rows(
      "SELECT max(coalesce(max(key), 0) + 1, ?) AS key FROM sessions",
      this.#acknowledged.slots,
    )
    return Number(row?.key)
  }

  #write(key: number, entries: readonly Entry[]): void {
    // As many at once as a step has; not more, because a statement is kept for each number of them.
    for (let from = 0; from < entries.length; from += AT_ONCE) {
      const some = entries.slice(from, from + AT_ONCE)
      this.#database.run(
        `INSERT INTO entries (session, seq, body) VALUES ${some.map(() => "(?, ?, ?)").join(", ")}`,
        ...some.flatMap((entry) => [key, entry.seq, JSON.stringify(entry)]),
      )
    }
  }

  #read(key: number, sessionId: string): readonly Entry[] {
    const { entries, broken } = readLog(this.#database, key)
    if (broken !== undefined) throw damagedSession(this.path, sessionId, broken)
    return entries
  }

  #keyOf(sessionId: string): number {
    const key = this.#knownKey(sessionId)
    if (key === undefined) throw unknownSession(sessionId)
    return key
  }

  #knownKey(sessionId: string): number | undefined {
    const [row] = this.#database.rows(
      "SELECT CAST(key AS INTEGER) AS key FROM sessions WHERE id = ?",
      sessionId,
    )
    if (row !== undefined) return Number(row.key)
    // An id that is damaged is known by the name that it is listed under.
    const damaged = this.#database
      .rows("SELECT CAST(key AS INTEGER) AS key, CAST(id AS BLOB) AS id FROM sessions")
      .find(({ id }) => textIn(id) === undefined && nearestText(id) === sessionId)
    return damaged && Number(damaged.key)
  }
}
