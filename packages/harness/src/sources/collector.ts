import { reasonOf } from "../platform/text/errors.js"
import { within } from "../platform/wait.js"
import { USUAL } from "../settings/config/usual.js"
import type { Source } from "./source.js"

/**
 * Has every source look before a boundary, all at once and for a limited time. One that is late goes on by itself and
 * is not waited for again until it is through; one that fails is reported, and asked again the next time. Only a source
 * that a message depends on is waited for without a limit.
 */
export class Collector {
  readonly #sources: readonly Source[]
  readonly #report: (message: string) => void
  readonly #limit: number
  readonly #late = new Map<Source, Promise<void>>()
  readonly #failures = new Map<Source, string>()
  readonly #closed = new AbortController()

  constructor(
    sources: readonly Source[],
    report: (message: string) => void,
    limit: number = USUAL.collectTimeout,
  ) {
    this.#sources = sources
    this.#report = report
    this.#limit = limit
  }

  async collect(): Promise<void> {
    const looking = new Map<Source, Promise<void>>()
    for (const source of this.#sources) {
      if (source.collect === undefined || this.#late.has(source)) continue
      const look = this.#look(source)
      if (look !== undefined) looking.set(source, look)
    }
    if (looking.size === 0) return
    const awaited = [...looking].flatMap(([source, look]) => (source.isAwaited ? [look] : []))
    for (const [source, look] of looking) void look.then(() => looking.delete(source))
    await within(this.#limit, Promise.all(looking.values()))
    await Promise.all(awaited)
    for (const [source, look] of looking) this.#leave(source, look)
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await Promise.all(this.#sources.map(async (source) => this.#guarded(source, () => source.close?.())))
  }

  /** Returns undefined if it is through already, so that a step with nothing to wait for does not wait. */
  #look(source: Source): Promise<void> | undefined {
    try {
      const work = source.collect?.(this.#closed.signal)
      if (work instanceof Promise) return this.#guarded(source, () => work)
      this.#failures.delete(source)
    } catch (error) {
      this.#fail(source, error)
    }
    return undefined
  }

  async #guarded(source: Source, work: () => void | Promise<void>): Promise<void> {
    try {
      await work()
      this.#failures.delete(source)
    } catch (error) {
      this.#fail(source, error)
    }
  }

  #leave(source: Source, look: Promise<void>): void {
    this.#late.set(source, look)
    this.#report(
      `${source.name}: not ready within ${this.#limit} ms. The step goes on without; what comes late is told later.`,
    )
    void look.then(() => this.#late.delete(source))
  }

  /** Reports a failure. The same failure, boundary after boundary, is one piece of news. */
  #fail(source: Source, error: unknown): void {
    const why = reasonOf(error)
    if (this.#closed.signal.aborted || this.#failures.get(source) === why) return
    this.#failures.set(source, why)
    this.#report(`${source.name}: ${why}`)
  }
}
