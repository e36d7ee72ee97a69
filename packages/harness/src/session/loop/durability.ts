import { setTimeout as sleep } from "node:timers/promises"
import type { Next } from "@sotto/core"
import type { Awaitable } from "../../platform/awaitable.js"
import type { SessionLeases, SessionLog } from "../../store/contract.js"
import { lostSession, StoreError, unsureCommand } from "../../store/error.js"
import type { Tool } from "../../tools/tool.js"
import type { StoreClock } from "../telemetry/telemetry.js"
import { everyCall } from "./calls.js"
import type { LogWriter, Watcher } from "./log-writer.js"

/*
 * Who may act, show or send before the disk has it. `kill -9` at any moment loses nothing that anybody has seen, and runs
 * no command twice, because nothing below happens earlier than this table says.
 *
 * Where sessions are leased (PostgreSQL), the same places make sure that the session is still this worker's: `onDisk` has
 * the database confirm it, `mayAct` does so right before an effect, and `mustHold` goes by what this process knows. Once
 * the session is lost, all of them throw, and nothing more is appended.
 *
 * Calls go one way: from here to the session, from the session to `LogWriter`, from there to the store and the watcher.
 * None of them calls this class while one of its functions runs. A watcher only takes entries in; its `flush`, which may
 * lead to the next command, is called by those who called a function of this class, after it has returned.
 *
 * | what happens | when it may happen | by |
 * | --- | --- | --- |
 * | a command of the user takes effect | in a file: its entry is on disk; if the store cannot keep it, it throws and did not happen. In a database: at once; the entry is on its way | `command` |
 * | the sender of a command hears that it was taken | its entry is on disk | `kept` |
 * | the loop goes on from its own entry: a step, a reply, a result | at once; the entry is on disk within milliseconds | `enter` |
 * | an entry is shown | it is on disk; in the order of the log | `watch` |
 * | a request leaves this machine | all entries before it are on disk; it is made ready meanwhile | `sending`; at each attempt |
 * | a request of a hidden agent leaves: a title, a summary | the session is this worker's | `mayAct`; at each attempt |
 * | words of an answer are shown as they come | the session is this worker's | `holds` |
 * | a call runs that changes something, or that a hook hears of | all entries before it are on disk | `onDisk`, then `mayAct` for each call |
 * | a call runs that only looks and may be made again | at once: after a crash the model is asked again, and so is the call | `mayRunBeforeDisk`, `mustHold` |
 * | a hook runs | the session is this worker's | `mayAct` |
 * | a person is asked | all entries before it are on disk and shown | `onDisk`, then the feed's `flush` |
 * | a turn is said to have ended, at a limit or for want of room | all entries before it are on disk | `onDisk` |
 */

/** How long to wait before a database that cannot be reached is asked again. */
const AGAIN_MS = 200

/** Brings the entries of one session to disk, as early as the table above asks and no earlier. */
export class Durability {
  readonly #store: () => SessionLog & SessionLeases
  readonly #writer: LogWriter
  readonly #losers: ((error: StoreError) => void)[] = []
  #clock: StoreClock | undefined
  #lost: StoreError | undefined
  /** Rejects each wait for a database. */
  readonly #waiting = new Set<(error: StoreError) => void>()
  #unreachable: ((error: StoreError) => void) | undefined
  /** True if the store leases the session to this worker. */
  #isLeased = false
  /** True if observers have heard of the outage that lasts. */
  #isAwayTold = false

  /** The session hands its entries to the writer, which brings them to the same store. */
  constructor(store: () => SessionLog & SessionLeases, writer: LogWriter) {
    this.#store = store
    this.#writer = writer
  }

  get #session(): string | undefined {
    return this.#writer.session
  }

  /** Opens a session: from here on the entries are those of this session. `length` is how many the store has of it. */
  open(session: string, length: number): void {
    this.#writer.open(session, length)
    // Asked once, because the store answers the same for a lease that has ended as for none.
    this.#isLeased = this.#store().lease(session) !== undefined
    this.#store().onLost(session, (error) => this.#lose(error))
  }

  /** How many entries of the log are on disk. */
  get length(): number {
    return this.#writer.length
  }

  /** Calls the listener once, when the session was lost to another worker, or may have been. */
  onLost(listener: (error: StoreError) => void): void {
    if (this.#lost !== undefined) listener(this.#lost)
    else this.#losers.push(listener)
  }

  /**
   * Gives the session up: nothing is entered any more, and the session goes to another worker as it is in the store.
   */
  giveUp(): void {
    const id = this.#session ?? ""
    this.#giveUp(this.#lossOf(id, "this worker has given it back"))
    this.#losers.length = 0
  }

  /** Makes the error for a loss that this process has found out by itself. What is on its way may still get there. */
  #lossOf(session: string, why: string): StoreError {
    return lostSession(session, why, !this.#writer.isKept)
  }

  #lose(error: StoreError): void {
    if (this.#lost !== undefined) return
    this.#giveUp(error)
    for (const listener of this.#losers.splice(0)) listener(error)
  }

  #giveUp(error: StoreError): void {
    if (this.#lost !== undefined) return
    this.#lost = error
    this.#writer.close(error)
    for (const reject of this.#waiting) reject(error)
    this.#waiting.clear()
  }

  /** Has the clock measure how long the session waits for the store. */
  measureBy(clock: StoreClock): void {
    this.#clock = clock
    this.#writer.measureBy(clock)
  }

  /** Shows every entry once it is on disk, in order; those that are there already first. */
  watch(watcher: Watcher): void {
    this.#writer.watch(watcher)
  }

  /**
   * Runs a command of the user. Each entry is on disk, with all that was entered before it, when it takes effect; the
   * caller then has the watcher show it before the loop continues. If the store cannot keep it, this throws, and the
   * command did not happen: the user may send it again. A database is not waited for: the entries go there with the
   * next statement, nothing is sent, run or shown before they are there, and `kept` says when.
   */
  command<T>(command: () => T): T {
    return this.#writer.command(command)
  }

  /**
   * Resolves when the commands so far are on disk, so that their sender may hear of it; undefined if they are already.
   * Rejects with `lost` if the session was lost and the command surely did not happen, and with `unavailable` if only
   * the log can tell: it may be there although the session is not this worker's any more.
   */
  kept(): Awaitable<void> {
    if (this.#writer.isKept) return
    return this.onDisk().catch((error: unknown) => {
      if (!(error instanceof StoreError) || (error.code === "lost" && error.unsure !== true)) throw error
      throw unsureCommand(this.#session ?? "", error)
    })
  }

  /**
   * Enters what the loop itself brings. The loop waits for the disk where the table asks for it; a caller that does not
   * run the loop hands over what to do if the disk fails.
   */
  enter<T>(entry: () => T, failed?: (error: unknown) => void): T {
    const result = entry()
    if (failed !== undefined) this.onDisk().catch(failed)
    else if (this.#session !== undefined) this.#store().writeSoon()
    return result
  }

  /** Resolves when everything that was entered is on disk, and the session is still this worker's. */
  onDisk(): Promise<void> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost)
    if (this.#session === undefined) return Promise.resolve()
    const asked = this.#store().durable(this.#session)
    const durable = this.#isLeased ? this.#unlessLost(this.#patiently(asked)) : asked
    return this.#clock?.until(durable) ?? durable
  }

  /** Waits for the disk no longer than the session is this worker's: an answer of the database may take seconds. */
  #unlessLost(durable: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject)
      durable.then(resolve, reject).finally(() => this.#waiting.delete(reject))
    })
  }

  /**
   * Waits for the disk, and tries again: a database that cannot be reached may be back before the lease ends. Until
   * then nothing happens, and nothing is given up. Observers hear of each outage once, however many wait.
   */
  async #patiently(durable: Promise<void>): Promise<void> {
    const session = this.#session ?? ""
    for (let asked = durable; ; asked = this.#store().durable(session))
      try {
        await asked
        this.#isAwayTold = false
        return
      } catch (error) {
        // Entries that the log does not take are folded here already: only the log is right.
        if (error instanceof StoreError && ["lost", "conflict"].includes(error.code)) this.#lose(error)
        if (!(error instanceof StoreError && error.code === "unavailable")) throw error
        if (!this.#isAwayTold) this.#unreachable?.(error)
        this.#isAwayTold = true
        this.mustHold()
        await sleep(AGAIN_MS)
        this.mustHold()
      }
  }

  /** Calls the listener when the database cannot be reached and the work waits for it. */
  onUnreachable(listener: (error: StoreError) => void): void {
    this.#unreachable = listener
  }

  /** True while the session is this worker's, by what this process knows. */
  get holds(): boolean {
    if (this.#session === undefined) return true
    return this.#lost === undefined && this.#store().holds(this.#session)
  }

  /** Throws if the session is not this worker's any more, or may not be: its lease has ended. */
  mustHold(): void {
    if (this.holds) return
    this.#lose(this.#lossOf(this.#session ?? "", "its lease has ended"))
    throw this.#lost
  }

  /**
   * Resolves when an effect may begin: the session is this worker's. Asks the database, if it leases the session. Where
   * the lock is the machine's own, it asks and waits for nothing.
   */
  async mayAct(): Promise<void> {
    this.mustHold()
    if (!this.#isLeased) return
    await this.onDisk()
    this.mustHold()
  }

  /**
   * What each attempt to send a request has to wait for. `onDisk` was asked for while the request was made ready, and
   * serves the first attempt; one that comes later asks again.
   */
  sending(onDisk: Promise<void>): () => Promise<void> {
    let first: Promise<void> | undefined = onDisk
    return async () => {
      const ready = first ?? this.onDisk()
      first = undefined
      await ready
      this.mustHold()
    }
  }
}

/**
 * True if what comes next may run before the reply that asks for it is on disk: calls that touch nothing and no one,
 * and are simply made again after a crash. A call that hooks hear of does not count, because it is not private.
 */
export function mayRunBeforeDisk(
  next: Next,
  tools: ReadonlyMap<string, Tool>,
  hooks: { readonly hearOfCalls: boolean },
): boolean {
  if (hooks.hearOfCalls) return false
  return everyCall(next, tools, ({ changes, definition }) => !changes && definition.safeToRepeat === true)
}
