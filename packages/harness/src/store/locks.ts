import type { Database } from "./database.js"
import { StoreError } from "./error.js"
import { type Holder, isAlive } from "./holder.js"

/** Who may write to which session. A process that died has let go of everything. */
export class Locks {
  readonly #database: Database
  readonly #self: Holder
  readonly #held = new Set<string>()

  constructor(database: Database, self: Holder) {
    this.#database = database
    this.#self = self
  }

  /** Inside a transaction; it holds once that is done. */
  take(key: number, sessionId: string): void {
    const now = Date.now()
    const [row] = this.#database.rows("SELECT pid, birth, place, beat FROM locks WHERE session = ?", key)
    if (row) {
      const holder = { pid: Number(row.pid), birth: String(row.birth), place: String(row.place) }
      if (isAlive(holder, Number(row.beat), now)) throw locked(sessionId, holder)
    }
    const { token, pid, birth, place } = this.#self
    this.#database.run(
      "INSERT OR REPLACE INTO locks (session, token, pid, birth, place, beat) VALUES (?, ?, ?, ?, ?, ?)",
      ...[key, token, pid, birth, place, now],
    )
  }

  taken(sessionId: string): void {
    this.#held.add(sessionId)
  }

  /** Inside a transaction: that the session is still ours, and its key. */
  check(sessionId: string): number {
    if (!this.#held.has(sessionId)) throw notOpen(sessionId)
    const [row] = this.#database.rows(
      `UPDATE locks SET beat = ? WHERE token = ? AND session = (SELECT key FROM sessions WHERE id = ?)
         RETURNING session`,
      ...[Date.now(), this.#self.token, sessionId],
    )
    if (row) return Number(row.session)
    this.#held.delete(sessionId)
    throw takenOver(sessionId)
  }

  release(sessionId: string): void {
    if (!this.#held.delete(sessionId)) return
    this.#database.run(
      "DELETE FROM locks WHERE token = ? AND session = (SELECT key FROM sessions WHERE id = ?)",
      ...[this.#self.token, sessionId],
    )
  }

  releaseAll(): void {
    for (const sessionId of [...this.#held]) this.release(sessionId)
  }
}

function locked(sessionId: string, { pid, place }: Omit<Holder, "token">): StoreError {
  const who = pid === process.pid ? "in this process" : `in process ${pid} on ${place.split(" ")[0]}`
  const remedy = "Close it there first, or start another session."
  return new StoreError("locked", `The session ${sessionId} is open ${who}.`, remedy)
}

function notOpen(sessionId: string): StoreError {
  const remedy = "Open it before appending to it."
  return new StoreError("not-open", `The session ${sessionId} is not open here.`, remedy)
}

function takenOver(sessionId: string): StoreError {
  const what = `The session ${sessionId} was taken over by another process.`
  return new StoreError("conflict", what, "Go on with it there, or open it again here.")
}
