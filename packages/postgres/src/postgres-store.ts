import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Entry } from "@sotto/core"
import { jsonIn } from "@sotto/core/dialect"
import type { UsageRow } from "@sotto/core/economy"
import {
  type Address,
  type Awaitable,
  changesIn,
  damagedSession,
  EXPORT_VERSION,
  exportLines,
  type Lease,
  type Loss,
  labelText,
  longestWhole,
  lossesIn,
  lostSession,
  metadataText,
  miscountIn,
  type NewSession,
  namesIn,
  nothingToKeep,
  notOpen,
  type Outcome,
  type Posted,
  type PostgresOptions,
  parseExport,
  type Repair,
  type SessionDescription,
  type SessionExport,
  type SessionHolder,
  type SessionSummary,
  type Store,
  StoreError,
  type StoreState,
  saveAside,
  usageRow,
  type WaitingSession,
} from "@sotto/harness/store"
import type { Heard, ListenMethod } from "./change-listener.js"
import { Away } from "./connection.js"
import { ENDED, LeaseTerm, type TakenSession } from "./leases.js"
import { type Operations, operationsOf } from "./operations.js"
import { Outbox } from "./outbox.js"
import type { NewRow } from "./sessions.js"
import { summaryOf } from "./summary-rows.js"
import { type PostgresUpkeep, postgresUpkeep } from "./upkeep.js"

/** How long the end of a store waits for what is still to be written. */
const SETTLE_MS = 1_000

/** A session that is open here. */
interface Open extends TakenSession {
  readonly term: LeaseTerm
  /** Posted commands that were carried out here: the database may not have heard of it yet. */
  readonly carried: Set<string>
  asking: readonly unknown[]
  /** The end of what is being told of its questions: one after the other, so that the last word stays the last. */
  told: Promise<void>
  /** Why it is not ours any more. */
  lost?: StoreError
  onLost?: (error: StoreError) => void
}

/** How many entries are read at a time: a part takes the thread for some milliseconds, and needs a round trip. */
const PART = 2_000

/** Sessions in PostgreSQL, for many machines. */
export class PostgresStore implements Store {
  readonly path: string
  readonly folder: string
  readonly upkeep: PostgresUpkeep
  readonly #operations: Operations
  readonly #outbox: Outbox
  readonly #token = randomUUID()
  readonly #worker: string
  readonly #open = new Map<string, Open>()
  /** Sessions that are being taken. */
  readonly #beingTaken = new Set<string>()
  /** Sessions for which nothing was posted when the store last looked, and nothing was told since. */
  readonly #unposted = new Set<string>()
  /** How often posts were heard of: an answer that was asked for before may not know of them. */
  #postsHeard = 0
  readonly #onPosted = new Set<() => void>()
  readonly #onChange = new Set<() => void>()
  #hearing: ListenMethod | undefined
  #isHearing = false
  #isClosed = false

  private constructor(address: Address, options: PostgresOptions) {
    const { folder, worker = "", noFencing = false, report = () => {} } = options
    this.path = address.shown
    this.folder = folder
    this.#worker = worker
    const holder = { address, token: this.#token, worker, pid: process.pid, host: hostname(), noFencing }
    this.#operations = operationsOf(holder, {
      lost: (id, fence, why) => void this.#lose(id, fence, why, this.#outbox.isUnsure(id)),
      heard: (heard) => this.#hear(heard),
      report,
    })
    this.upkeep = postgresUpkeep(this.#operations, async () => {
      this.#isHearing = true
      await this.#operations.hear()
      return this.state()
    })
    this.#outbox = new Outbox((...batch) => this.#operations.write(...batch), {
      leaseOf: (id) => this.#leaseOf(id),
      lose: (id, fence, why, unsure) => this.#lose(id, fence, why, unsure),
      check: (id, fence) => this.#check(id, fence),
    })
  }

  /**
   * Opens the store, and brings its schema up to date. A database that cannot be reached is an error, unless the caller
   * waits for it: then the store tries again whenever it is asked for something.
   */
  static async open(address: Address, options: PostgresOptions): Promise<PostgresStore> {
    const store = new PostgresStore(address, options)
    try {
      await store.#operations.begin()
    } catch (error) {
      if (options.waits && error instanceof Away) return store
      await store.close()
      throw error
    }
    return store
  }

  state(): StoreState {
    return {
      kind: "postgres",
      version: this.#operations.version(),
      hearing: this.#hearing?.by ?? "nothing",
      ...(this.#hearing?.by === "polling" && { why: this.#hearing.why }),
    }
  }

  async check(): Promise<void> {
    await this.#operations.check()
  }

  async create(about: NewSession, entries: readonly Entry[]): Promise<void> {
    const [opened] = entries
    if (opened?.type !== "opened") throw new TypeError('The log of a new session begins with "opened".')
    const term = new LeaseTerm()
    const row = rowOf(opened.id, about, opened.at, entries)
    const taken = await this.#operations.create(row, term)
    this.#open.set(opened.id, newlyOpen(taken, term))
    this.#listen()
  }

  async open(sessionId: string): Promise<readonly Entry[]> {
    await this.#take(sessionId)
    this.#listen()
    try {
      return await this.#read(sessionId)
    } catch (error) {
      await this.release(sessionId)
      throw error
    }
  }

  async #take(sessionId: string): Promise<void> {
    const found = this.#open.get(sessionId)
    const isHere = found !== undefined && found.lost === undefined
    if (isHere || this.#beingTaken.has(sessionId)) {
      const remedy = "Close it there first, or start another session."
      throw new StoreError("locked", `The session ${sessionId} is open in this process.`, remedy)
    }
    this.#forget(sessionId)
    this.#beingTaken.add(sessionId)
    try {
      const term = new LeaseTerm()
      const taken = await this.#operations.take(sessionId, term)
      this.#open.set(sessionId, newlyOpen(taken, term))
    } finally {
      this.#beingTaken.delete(sessionId)
    }
  }

  /** Takes the entries at once, and is answered when the database has them: no thread sleeps for it. */
  append(sessionId: string, entries: readonly Entry[]): Promise<void> {
    this.#leaseOf(sessionId)
    this.#outbox.add(sessionId, entries)
    return this.#outbox.durable(sessionId)
  }

  appendLater(sessionId: string, entries: readonly Entry[]): void {
    this.#outbox.add(sessionId, entries)
  }

  async durable(sessionId: string): Promise<void> {
    await this.#outbox.durable(sessionId)
  }

  writeSoon(): void {
    this.#outbox.soon()
  }

  onDurable(sessionId: string, listener: (entries: readonly Entry[]) => void): void {
    this.#outbox.onDurable(sessionId, listener)
  }

  holds(sessionId: string): boolean {
    const found = this.#open.get(sessionId)
    return found !== undefined && found.lost === undefined && found.term.holds
  }

  onLost(sessionId: string, listener: (error: StoreError) => void): void {
    const found = this.#open.get(sessionId)
    if (found === undefined) throw notOpen(sessionId)
    found.onLost = listener
    const { lost } = found
    if (lost !== undefined) setImmediate(() => listener(lost))
  }

  lease(sessionId: string): Lease | undefined {
    const found = this.#open.get(sessionId)
    if (found === undefined || !this.holds(sessionId)) return undefined
    const left = Number(found.term.end - process.hrtime.bigint()) / 1e6
    return { fence: found.fence, until: Date.now() + Math.floor(left) }
  }

  setAtWork(sessionId: string, atWork: boolean): void {
    this.#leaseOf(sessionId)
    this.#outbox.setAtWork(sessionId, atWork)
  }

  async waiting(workspaces: readonly string[]): Promise<readonly WaitingSession[]> {
    const rows = await this.#operations.waiting(workspaces)
    return rows.map(({ id, cwd, workspace }) => ({
      id: String(id),
      cwd: String(cwd),
      ...(workspace !== null && { workspace: String(workspace) }),
    }))
  }

  keep(hash: string, text: string): void {
    this.#outbox.keep(hash, text)
  }

  content(hash: string): Awaitable<string | undefined> {
    return this.#outbox.content(hash) ?? this.#findContent(hash)
  }

  async #findContent(hash: string): Promise<string | undefined> {
    const bytes = await this.#operations.content(hash)
    return bytes && Buffer.from(bytes).toString("utf8")
  }

  async release(sessionId: string): Promise<void> {
    const found = this.#open.get(sessionId)
    if (found === undefined) {
      this.#outbox.forget(sessionId)
      return
    }
    const { key, fence, lost } = found
    try {
      if (lost === undefined) await this.#settle(sessionId)
    } finally {
      this.#forget(sessionId)
      // What was lost is given back too, if it is still there: the next worker need not wait for its end.
      const released = this.#operations.release({ key, fence })
      // A lease that cannot be given back ends by itself.
      const over = released.catch(() => {})
      if (lost === undefined) await over
    }
  }

  #forget(sessionId: string): void {
    this.#outbox.forget(sessionId)
    this.#unposted.delete(sessionId)
    this.#open.delete(sessionId)
  }

  async load(sessionId: string): Promise<readonly Entry[]> {
    if (this.#open.get(sessionId)?.lost === undefined) await this.#settle(sessionId)
    return await this.#read(sessionId)
  }

  async *loadParts(sessionId: string): AsyncGenerator<readonly Entry[]> {
    if (this.#open.get(sessionId)?.lost === undefined) await this.#settle(sessionId)
    yield* this.#parts(sessionId)
  }

  async loadFrom(sessionId: string, seq: number): Promise<readonly Entry[]> {
    const { rows } = await this.#operations.log(sessionId, seq)
    return beginningOf(rows, seq)
  }

  onChange(listener: () => void): () => void {
    this.#listen()
    this.#onChange.add(listener)
    return () => void this.#onChange.delete(listener)
  }

  async post(sessionId: string, { id, command }: Posted): Promise<void> {
    await this.#operations.post(sessionId, id, JSON.stringify(command))
    this.#postsHeard++
    this.#unposted.delete(sessionId)
  }

  /**
   * Lists posted commands. Asked at every boundary: as long as notifications come and none has come, nothing was
   * posted.
   */
  posted(sessionId: string): Awaitable<readonly Posted[]> {
    return this.#unposted.has(sessionId) ? [] : this.#findPosted(sessionId)
  }

  async #findPosted(sessionId: string): Promise<readonly Posted[]> {
    const heard = this.#postsHeard
    const found = await this.#operations.posted(sessionId)
    const isNewest = heard === this.#postsHeard
    if (found.length === 0 && this.#hearing !== undefined && isNewest) this.#unposted.add(sessionId)
    const carried = this.#open.get(sessionId)?.carried
    return found
      .map(({ id, body }) => ({ id: String(id), command: JSON.parse(String(body)) as unknown }))
      .filter(({ id }) => !carried?.has(id))
  }

  onPosted(listener: () => void): () => void {
    this.#listen()
    this.#onPosted.add(listener)
    return () => void this.#onPosted.delete(listener)
  }

  /**
   * Carries a command out in this breath. Its entries, the mark that it is done and what became of it go to the database
   * in one statement. What `work` throws is thrown at once: then nothing was carried out.
   */
  carryOut(sessionId: string, id: string, work: () => Outcome): Promise<void> {
    this.#leaseOf(sessionId)
    const outcome = JSON.stringify(work())
    this.#open.get(sessionId)?.carried.add(id)
    this.#outbox.carry(sessionId, { id, outcome })
    return this.#outbox.durable(sessionId)
  }

  async outcome(sessionId: string, id: string): Promise<Outcome | undefined> {
    const row = await this.#operations.outcome(sessionId, id)
    if (row?.done !== true) return undefined
    // Who carried it out was killed before it could say more.
    return row.outcome === null ? { is: "done" } : (JSON.parse(String(row.outcome)) as Outcome)
  }

  async setAsking(sessionId: string, questions: readonly unknown[]): Promise<void> {
    const found = this.#open.get(sessionId)
    if (found === undefined) return
    const { key, fence, told } = found
    const asking = questions.length === 0 ? null : JSON.stringify(questions)
    const telling = told.then(async () => {
      await this.#operations.setAsking({ key, fence }, asking)
      found.asking = questions
    })
    found.told = telling.catch(() => {})
    await telling
  }

  holder(sessionId: string): Awaitable<SessionHolder | undefined> {
    const own = this.#open.get(sessionId)
    if (own !== undefined && this.holds(sessionId))
      return {
        ...{ pid: process.pid, host: hostname(), isThis: true, asking: own.asking },
        ...(this.#worker !== "" && { worker: this.#worker }),
      }
    return this.#findHolder(sessionId)
  }

  async #findHolder(sessionId: string): Promise<SessionHolder | undefined> {
    const row = await this.#operations.holder(sessionId)
    if (row === undefined) return undefined
    return {
      pid: Number(row.pid),
      host: String(row.host),
      ...(row.worker !== "" && { worker: String(row.worker) }),
      isThis: false,
      asking: row.asking === null ? [] : (JSON.parse(String(row.asking)) as unknown[]),
    }
  }

  async list(): Promise<readonly SessionSummary[]> {
    return (await this.#operations.list()).map(summaryOf)
  }

  async usage(sessionId: string, from: number): Promise<readonly UsageRow[]> {
    const rows = await this.#operations.usage(sessionId, from)
    return rows.flatMap(({ seq, type, found }) => usageRow(Number(seq), type, found) ?? [])
  }

  async subagents(sessionId: string): Promise<readonly SessionSummary[]> {
    return (await this.#operations.subagents(sessionId)).map(summaryOf)
  }

  async latest(cwd: string): Promise<SessionSummary | undefined> {
    const row = await this.#operations.latest(cwd)
    return row && summaryOf(row)
  }

  async about(sessionId: string): Promise<SessionSummary> {
    return summaryOf(await this.#operations.about(sessionId))
  }

  async describe(sessionId: string, change: SessionDescription): Promise<void> {
    await this.#operations.describe(sessionId, change)
  }

  async exportJsonl(sessionId: string): Promise<readonly string[]> {
    // First the log: reading it has everything written that the row tells of.
    const entries = await this.load(sessionId)
    return exportLines(await this.about(sessionId), entries)
  }

  async importJsonl(text: string): Promise<string> {
    const { header, entries } = parseExport(text)
    await this.#operations.create(rowOf(header.id, header, header.created, entries), undefined)
    return header.id
  }

  async delete(sessionId: string): Promise<readonly string[]> {
    return await this.#operations.removeFamily(sessionId)
  }

  async remove<T>(sessionId: string, save: (sessions: readonly SessionExport[]) => T): Promise<T> {
    const family = await this.#operations.family(sessionId)
    const taken: (TakenSession & { readonly id: string })[] = []
    try {
      for (const id of family) {
        await this.#take(id)
        taken.push({ id, ...this.#leaseOf(id) })
      }
      const exports: SessionExport[] = []
      for (const id of family)
        exports.push({ id, lines: exportLines(await this.about(id), await this.#read(id)) })
      const names = new Set(exports.flatMap(({ lines }) => lines.flatMap((line) => [...namesIn(line)])))
      const saved = save(exports)
      await this.#operations.remove(taken)
      for (const hash of await this.#operations.kept([...names])) this.upkeep.unnamed.add(hash)
      for (const { id, key, fence } of taken) {
        this.#operations.forget({ key, fence })
        this.#forget(id)
      }
      return saved
    } catch (error) {
      for (const { id } of taken) await this.release(id)
      throw error
    }
  }

  async repair(sessionId: string): Promise<Repair> {
    await this.#take(sessionId)
    try {
      return await this.#repairTaken(sessionId, this.#leaseOf(sessionId))
    } finally {
      await this.release(sessionId)
    }
  }

  async #repairTaken(sessionId: string, taken: TakenSession): Promise<Repair> {
    const { entries, rows } = await this.#operations.log(sessionId, 0)
    const readable = beginningOf(rows, 0)
    const whole = longestWhole(readable)
    const before = Math.max(entries, rows.length)
    const broken = readable.length < before ? `entry ${readable.length} cannot be read` : undefined
    const about = await this.about(sessionId)
    const commands = await this.#operations.badCommands(sessionId)
    const command = commands[0] && `the posted command ${commands[0].id} is no JSON`
    const why = whole.why ?? broken ?? about.damaged ?? miscountIn(about, whole.entries) ?? command
    const kept = whole.entries.length
    if (why === undefined) return { id: sessionId, kept, before }
    const header = {
      sotto: "session",
      version: EXPORT_VERSION,
      damage: why,
      ...about,
      ...(command && { commands }),
    }
    const lines = [JSON.stringify(header), ...rows.map(([, body]) => body)]
    const saved = saveAside(join(this.folder, "sessions"), sessionId, lines)
    const [opened] = whole.entries
    if (opened?.type !== "opened") throw nothingToKeep(sessionId, why, saved)
    const row = rowOf(opened.id, about, opened.at, whole.entries)
    const dropped = commands.map(({ id }) => id)
    await this.#operations.cut(sessionId, taken, row, { kept, dropped })
    return { id: opened.id, kept, before, why, saved }
  }

  async lost(sessionId?: string): Promise<readonly Loss[]> {
    const rows = await this.#operations.short(sessionId)
    const found = new Map(rows.map((row) => [Number(row.key), Number(row.found)]))
    const said = rows.map(({ key, id, entries }) => ({
      key: Number(key),
      id: String(id),
      entries: Number(entries),
    }))
    return lossesIn(said, (key) => found.get(key) ?? 0)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const failures: unknown[] = []
    const settled = this.#outbox
      .unsettled()
      .map((sessionId) => this.#settle(sessionId).catch((error: unknown) => failures.push(error)))
    await Promise.race([Promise.all(settled), sleep(SETTLE_MS, undefined, { ref: false })])
    this.#outbox.close()
    this.#open.clear()
    await this.#operations.close()
    if (failures.length > 0) throw failures[0]
  }

  /** Writes what was to go with the next entries. If another process has the session by now, it goes with nothing. */
  async #settle(sessionId: string): Promise<void> {
    try {
      await this.#outbox.settled(sessionId)
    } catch (error) {
      if (!isTakenOver(error)) throw error
      this.#outbox.forget(sessionId)
    }
  }

  async #read(sessionId: string): Promise<readonly Entry[]> {
    const read: Entry[] = []
    for await (const part of this.#parts(sessionId)) read.push(...part)
    return read
  }

  async *#parts(sessionId: string): AsyncGenerator<readonly Entry[]> {
    for (let length = 0, isEnd = false; !isEnd; ) {
      const { entries, rows } = await this.#operations.log(sessionId, length, PART)
      const part = beginningOf(rows, length)
      length += part.length
      isEnd = rows.length < PART || part.length < rows.length
      // Here it shows if an entry is missing, no JSON, or one too many.
      if (isEnd && length !== entries) throw damagedSession(this.path, sessionId, `entry ${length}`)
      if (part.length > 0) yield part
    }
  }

  #leaseOf(sessionId: string): TakenSession {
    const found = this.#open.get(sessionId)
    if (found === undefined) throw notOpen(sessionId)
    if (found.lost !== undefined) throw found.lost
    return { key: found.key, fence: found.fence }
  }

  /** Checks the lease after an answer of the database, which may have been long on its way. */
  #check(sessionId: string, fence: number): void {
    const found = this.#open.get(sessionId)
    if (found?.fence !== fence) throw notOpen(sessionId)
    if (found.lost !== undefined) throw found.lost
    // What was just written is there, and so is whatever another worker may make of it.
    if (!found.term.holds) throw this.#lose(sessionId, fence, ENDED, true)
  }

  /** Gives up a session that is not ours any more. Its holder hears of it once. */
  #lose(sessionId: string, fence: number, why: string, unsure: boolean): StoreError {
    const found = this.#open.get(sessionId)
    if (found === undefined || found.fence !== fence) return lostSession(sessionId, why, unsure)
    if (found.lost !== undefined) return found.lost
    const error = lostSession(sessionId, why, unsure)
    found.lost = error
    found.term.lose()
    this.#operations.forget({ key: found.key, fence })
    setImmediate(() => found.onLost?.(error))
    return error
  }

  #listen(): void {
    if (this.#isHearing) return
    this.#isHearing = true
    void this.#operations.hear()
  }

  #hear(heard: Heard): void {
    switch (heard.is) {
      case "hearing":
        this.#hearing = heard.hearing
        this.#postsHeard++
        this.#unposted.clear()
        break
      case "posted":
        this.#postsHeard++
        if (heard.sessions === undefined) this.#unposted.clear()
        else for (const id of heard.sessions) this.#unposted.delete(id)
        for (const listener of [...this.#onPosted]) listener()
        break
      case "changed":
        for (const listener of [...this.#onChange]) listener()
    }
  }
}

function newlyOpen(taken: TakenSession, term: LeaseTerm): Open {
  return { ...taken, term, carried: new Set(), asking: [], told: Promise.resolve() }
}

/** True if another worker has the session by now. */
function isTakenOver(error: unknown): boolean {
  return error instanceof StoreError && (error.code === "conflict" || error.code === "lost")
}

function rowOf(id: string, about: NewSession, created: number, entries: readonly Entry[]): NewRow {
  const { agent, model, messages } = changesIn(entries)
  return {
    ...{ id, created, messages },
    cwd: about.cwd,
    title: about.title ?? null,
    summary: about.summary ?? null,
    parent: about.parent ?? null,
    workspace: about.workspace ?? null,
    labels: labelText(about.labels),
    metadata: metadataText(about.metadata),
    agent: agent ?? "",
    model: model ?? "",
    updated: entries.reduce((latest, { at }) => Math.max(latest, at), created),
    bodies: entries.map((entry) => JSON.stringify(entry)),
  }
}

/** Returns the entries from a number on, up to the first that is missing or is not JSON. */
function beginningOf(rows: readonly (readonly [number, string])[], from: number): readonly Entry[] {
  const entries: Entry[] = []
  for (const [seq, body] of rows) {
    const found = seq === from + entries.length ? (jsonIn(body) as Entry | undefined) : undefined
    if (found === undefined) break
    entries.push(found)
  }
  return entries
}
