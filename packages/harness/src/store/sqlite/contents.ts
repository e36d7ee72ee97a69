import type { Database } from "./database.js"
import { textIn } from "./text.js"

/**
 * Texts of files by the hash of their content, whichever session read or wrote them. What is to be kept waits for the
 * next entries and goes to disk with them: a text that no entry speaks of is of no use, and a commit of its own is
 * dear.
 */
export class Contents {
  readonly #database: Database
  readonly #waiting = new Map<string, string>()
  readonly #kept = new Set<string>()

  constructor(database: Database) {
    this.#database = database
  }

  keep(hash: string, text: string): void {
    if (!this.#kept.has(hash)) this.#waiting.set(hash, text)
  }

  get(hash: string): string | undefined {
    const waiting = this.#waiting.get(hash)
    if (waiting !== undefined) return waiting
    const [row] = this.#database.rows("SELECT CAST(text AS BLOB) AS text FROM contents WHERE hash = ?", hash)
    // A text that is damaged is as good as one that was never kept.
    return row === undefined ? undefined : textIn(row.text)
  }

  /** Writes the texts that wait. Must run inside a transaction. */
  write(): void {
    for (const [hash, text] of this.#waiting)
      this.#database.run("INSERT OR IGNORE INTO contents (hash, text) VALUES (?, ?)", hash, text)
  }

  /** Counts the texts as kept, once the transaction is through. */
  written(): void {
    for (const hash of this.#waiting.keys()) this.#kept.add(hash)
    this.#waiting.clear()
  }
}
