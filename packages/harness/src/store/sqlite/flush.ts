import { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync } from "node:fs"

/**
 * Throws if what is to be written, or was written, will never be read, because another program removed or replaced the
 * files.
 */
interface Verify {
  readonly before: () => void
  readonly after: () => void
}

const ALWAYS: Verify = { before: () => {}, after: () => {} }

/**
 * Waits for the disk in SQLite's place, which would have everything else wait too. With `synchronous = NORMAL` SQLite
 * writes a commit to its log as it does with FULL, and leaves out only the last thing: to ask that the log be on disk.
 */
export class Flush {
  readonly #log: string | undefined
  readonly #verify: Verify
  #file: number | undefined
  /** How many commits were written, and how many of those are on disk. */
  #written = 0
  #done = 0
  #underWay: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined

  /** Takes no log if what is written is on disk already. */
  constructor(log: string | undefined, verify: Verify = ALWAYS) {
    this.#log = log
    this.#verify = verify
  }

  /** The size of the log, in bytes. */
  get size(): number {
    return this.#log === undefined ? 0 : fstatSync(this.#open()).size
  }

  get done(): number {
    return this.#done
  }

  /** Returns the number of a commit that is written and still to be asked for. */
  wrote(): number {
    this.#written++
    if (this.#log === undefined) this.#done = this.#written
    return this.#written
  }

  /** Throws once something could not be brought to disk: the system forgets it, and would say next time that all is well. */
  check(): void {
    if (this.#failure) throw this.#failure.error
    this.#failing(this.#verify.before)
  }

  /** Once something has failed nothing is taken for written any more. */
  #failing(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#failure ??= { error: this.#reasonFor(error) }
      throw this.#failure.error
    }
  }

  /** Returns why it failed: that the files were removed says more than what went wrong with them. */
  #reasonFor(error: unknown): unknown {
    try {
      this.#verify.after()
      return error
    } catch (removed) {
      return removed
    }
  }

  /** Brings everything written so far to disk before it returns. */
  now(): void {
    if (this.#failure) throw this.#failure.error
    if (this.#done === this.#written) return
    this.#failing(() => {
      fdatasyncSync(this.#open())
      this.#verify.after()
    })
    this.#done = this.#written
  }

  /** Resolves when everything written so far is on disk. */
  async wait(): Promise<void> {
    const wanted = this.#written
    for (;;) {
      if (this.#failure) throw this.#failure.error
      if (this.#done >= wanted) return
      this.#underWay ??= this.#start()
      await this.#underWay
    }
  }

  /** Brings everything written to disk before it returns, unless it is known that this cannot be done. */
  close(): void {
    if (this.#failure === undefined) this.now()
    const file = this.#file
    if (file === undefined) return
    this.#file = undefined
    if (this.#underWay) void this.#underWay.then(() => closeSync(file))
    else closeSync(file)
  }

  /** Starts a flush that does not cover what is written from now on. Never rejects: see `check`. */
  async #start(): Promise<void> {
    const covered = this.#written
    try {
      const synced = new Promise<void>((resolve, reject) => {
        fdatasync(this.#open(), (error) => (error ? reject(error) : resolve()))
      })
      // What is thrown here is kept; what the disk says then adds nothing.
      synced.catch(() => {})
      // Looks at the files while the disk works. Those who wait go on when both are done.
      this.#verify.after()
      await synced
      this.#done = Math.max(this.#done, covered)
    } catch (error) {
      // Kept for everybody who asks: see `check`.
      this.#failure ??= { error: this.#reasonFor(error) }
    } finally {
      this.#underWay = undefined
    }
  }

  #open(): number {
    if (this.#log === undefined) throw new TypeError("There is no log to bring to disk.")
    // To write, though nothing is: some systems flush no file that was opened for reading.
    this.#file ??= openSync(this.#log, "r+")
    return this.#file
  }
}
