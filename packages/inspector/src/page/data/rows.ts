import type { Subject } from "../../embedded.js"
import type { DataReader } from "./reader.js"
import type { AnyRow } from "./shapes.js"

/** Rows that are asked for at once. */
const PART = 500

/** The rows of a session or a trace, fetched in parts: what is in view first, then the rest for the overview. */
export class Rows {
  readonly #reader: DataReader
  readonly #subject: Subject
  readonly #listeners = new Set<() => void>()
  #rows: (AnyRow | undefined)[] = []
  #loading: Promise<void> | undefined
  #version = 0
  /** Fetches of what is in view, by the number of their first row. */
  readonly #needed = new Map<number, Promise<boolean>>()
  /** True while the server still reads: there will be more. */
  #isGrowing = false
  error: Error | undefined

  constructor(reader: DataReader, subject: Subject) {
    this.#reader = reader
    this.#subject = subject
  }

  /** Changes whenever something has come. */
  get version(): number {
    return this.#version
  }

  get total(): number {
    return this.#rows.length
  }

  /** How many have come. */
  loaded = 0

  get all(): readonly (AnyRow | undefined)[] {
    return this.#rows
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Fetches everything that is missing, the first part at once. Calls during a fetch share it. */
  load(): Promise<void> {
    this.#loading ??= this.#fill().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** Fetches rows that are in view, without waiting for those before them. */
  async need(from: number, to: number): Promise<void> {
    const missing = (n: number) => n <= this.#rows.length && this.#rows[n - 1] === undefined
    try {
      for (let n = Math.max(1, from); n <= to; n++) {
        if (!missing(n)) continue
        const start = Math.floor((n - 1) / PART) * PART + 1
        const fetching = this.#needed.get(start) ?? this.#fetch(start)
        this.#needed.set(start, fetching)
        await fetching.finally(() => this.#needed.delete(start))
        n = start + PART - 1
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Fetches the newest rows again, because they may have changed, with what has come since. */
  async refresh(): Promise<void> {
    await this.#loading
    await this.#fetch(Math.max(1, this.#rows.length - 1))
    await this.load()
  }

  async #fill(): Promise<void> {
    try {
      if (this.#rows.length === 0) await this.#fetch(1)
      for (let i = 0; i < this.#rows.length || this.#isGrowing; i++)
        if (this.#rows[i] === undefined && !(await this.#fetch(i + 1)) && !this.#isGrowing) break
      this.error = undefined
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.error = error instanceof Error ? error : new Error(String(error))
    this.#tell()
  }

  /** Returns false if nothing came. */
  async #fetch(from: number): Promise<boolean> {
    const { rows, total, more = false } = await this.#reader.rows(this.#subject, from, PART)
    this.#isGrowing = more
    while (this.#rows.length < total) this.#rows.push(undefined)
    for (const row of rows) {
      if (this.#rows[row.n - 1] === undefined) this.loaded++
      this.#rows[row.n - 1] = row
    }
    this.#tell()
    return rows.length > 0
  }

  #tell(): void {
    this.#version++
    for (const listener of this.#listeners) listener()
  }
}
