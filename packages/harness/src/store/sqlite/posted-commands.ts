import { jsonIn } from "@sotto/core/dialect"
import { KEPT_MS, type Outcome, type Posted } from "../posted.js"
import type { Database } from "./database.js"
import { textIn } from "./text.js"

/**
 * Commands that were posted for sessions. One is marked as carried out in the transaction that writes its entries, so
 * that a process which is killed in between leaves either both or neither.
 */
export class PostedCommands {
  readonly #database: Database
  /** By session: the commands that the next entries carry out. */
  readonly #waiting = new Map<string, string>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Posts a command. Must run inside a transaction. */
  post(key: number, { id, command }: Posted): void {
    const now = Date.now()
    this.#database.run("DELETE FROM posted WHERE done = 1 AND at < ?", now - KEPT_MS)
    this.#database.run(
      "INSERT OR IGNORE INTO posted (session, id, body, at) VALUES (?, ?, ?, ?)",
      ...[key, id, JSON.stringify(command), now],
    )
  }

  open(key: number): readonly Posted[] {
    return this.#database
      .rows(
        "SELECT CAST(id AS BLOB) AS id, CAST(body AS BLOB) AS body FROM posted WHERE session = ? AND done = 0 ORDER BY number",
        key,
      )
      .flatMap(({ id, body }) => {
        const known = textIn(id)
        return known === undefined ? [] : [{ id: known, command: jsonIn(textIn(body)) }]
      })
  }

  begin(sessionId: string, id: string): void {
    this.#waiting.set(sessionId, id)
  }

  /** Marks the command as done. Must run inside the transaction that writes entries of the session. */
  write(sessionId: string, key: number): void {
    const id = this.#waiting.get(sessionId)
    if (id !== undefined)
      this.#database.run("UPDATE posted SET done = 1 WHERE session = ? AND id = ?", key, id)
  }

  /** Ends a command. Must run inside a transaction. */
  end(sessionId: string, key: number, id: string, outcome: Outcome): void {
    this.#waiting.delete(sessionId)
    this.#database.run(
      "UPDATE posted SET done = 1, outcome = ? WHERE session = ? AND id = ?",
      ...[JSON.stringify(outcome), key, id],
    )
  }

  /** Leaves a command that was not carried out here: another worker has the session by now. */
  leave(sessionId: string): void {
    this.#waiting.delete(sessionId)
  }

  /** Returns undefined while the command waits. */
  outcome(key: number, id: string): Outcome | undefined {
    const [row] = this.#database.rows(
      "SELECT CAST(done AS INTEGER) AS done, CAST(outcome AS BLOB) AS outcome FROM posted WHERE session = ? AND id = ?",
      ...[key, id],
    )
    if (row?.done !== 1) return undefined
    // Who carried it out was killed before it could say more.
    return (jsonIn(textIn(row.outcome)) as Outcome | undefined) ?? { is: "done" }
  }
}
