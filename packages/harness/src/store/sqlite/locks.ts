import type { SessionHolder } from "../contract.js"
import { notOpen, StoreError } from "../error.js"
import type { Database } from "./database.js"
import { type Holder, isAlive } from "./holder.js"
import { LifeLock, lives } from "./life-lock.js"
import { nearestText, textIn } from "./text.js"

/** How often a sign of life is written: far more often than anybody is taken for dead. */
const BEAT_MS = 1_000

const HOLDER = `SELECT CAST(token AS BLOB) AS token, CAST(pid AS INTEGER) AS pid, CAST(birth AS BLOB) AS birth, CAST(place AS BLOB) AS place,
  CAST(beat AS INTEGER) AS beat, CAST(asking AS BLOB) AS asking FROM locks WHERE session = ?`

/** The holders that this process is. */
const ours = new Set<string>()

/** Who may write to which session. A process that died has let go of everything. */
export class Locks {
  readonly #database: Database
  readonly #self: Holder
  readonly #life: LifeLock
  /** By session: its key, and when we last gave a sign of life for it. */
  readonly #held = new Map<string, { key: number | undefined; beat: number }>()

  constructor(database: Database, self: Holder) {
    this.#database = database
    this.#self = self
    this.#life = new LifeLock(database.path, self.token)
    ours.add(self.token)
  }

  /** Takes the lock inside a transaction; the lock holds once that is done. */
  take(key: number, sessionId: string): void {
    const now = Date.now()
    const found = this.#livingHolder(key, now)
    if (found) throw locked(sessionId, found.holder)
    this.#life.begin()
    const { token, pid, birth, place } = this.#self
    this.#database.run(
      "INSERT OR REPLACE INTO locks (session, token, pid, birth, place, beat) VALUES (?, ?, ?, ?, ?, ?)",
      ...[key, token, pid, birth, place, now],
    )
  }

  holder(key: number): SessionHolder | undefined {
    const found = this.#livingHolder(key, Date.now())
    if (found === undefined) return undefined
    const { holder, asking } = found
    return {
      pid: holder.pid,
      host: hostOf(holder),
      isThis: holder.token === this.#self.token,
      asking: listIn(asking),
    }
  }

  /** Stores what the holder of a session has asked a person. Only the session's holder says so. */
  setAsking(key: number, asking: string | null): void {
    this.#database.run(
      "UPDATE locks SET asking = ? WHERE session = ? AND token = ?",
      ...[asking, key, this.#self.token],
    )
  }

  #livingHolder(key: number, now: number): { readonly holder: Holder; readonly asking: unknown } | undefined {
    const [row] = this.#database.rows(HOLDER, key)
    if (row === undefined) return undefined
    const holder = {
      token: nearestText(row.token),
      pid: Number(row.pid),
      birth: nearestText(row.birth),
      place: nearestText(row.place),
    }
    const isHeld = lives(this.#database.path, holder.token) ?? isAlive(holder, Number(row.beat), now)
    return isHeld ? { holder, asking: row.asking } : undefined
  }

  holds(sessionId: string): boolean {
    return this.#held.has(sessionId)
  }

  taken(sessionId: string): void {
    this.#held.set(sessionId, { key: undefined, beat: 0 })
  }

  /** What a statement needs to write to a session only if it is still ours: its key, and by what the lock is known. */
  claim(sessionId: string): { readonly key: number; readonly token: string } {
    const held = this.#held.get(sessionId)
    if (held === undefined) throw notOpen(sessionId)
    const { token } = this.#self
    const now = Date.now()
    if (held.key !== undefined && now - held.beat < BEAT_MS) return { key: held.key, token }
    const [row] = this.#database.rows(
      `UPDATE locks SET beat = ? WHERE token = ? AND session = (SELECT key FROM sessions WHERE id = ?)
         RETURNING session`,
      ...[now, token, sessionId],
    )
    if (row === undefined) throw this.lost(sessionId)
    const key = Number(row.session)
    this.#held.set(sessionId, { key, beat: now })
    return { key, token }
  }

  /** Returns the key of a session that was written to here. */
  keyOf(sessionId: string): number | undefined {
    return this.#held.get(sessionId)?.key
  }

  isLost({ key, token }: { readonly key: number; readonly token: string }): boolean {
    return this.#database.rows("SELECT 1 FROM locks WHERE session = ? AND token = ?", key, token).length === 0
  }

  lost(sessionId: string): StoreError {
    this.#held.delete(sessionId)
    const what = `The session ${sessionId} was taken over by another process.`
    return new StoreError("conflict", what, "Go on with it there, or open it again here.")
  }

  release(sessionId: string): void {
    if (!this.#held.delete(sessionId)) return
    this.#database.run(
      "DELETE FROM locks WHERE token = ? AND session = (SELECT key FROM sessions WHERE id = ?)",
      ...[this.#self.token, sessionId],
    )
  }

  releaseAll(): void {
    try {
      for (const sessionId of [...this.#held.keys()]) this.release(sessionId)
    } finally {
      this.#life.end()
      ours.delete(this.#self.token)
    }
  }
}

function listIn(column: unknown): readonly unknown[] {
  try {
    const found = JSON.parse(textIn(column) ?? "[]")
    return Array.isArray(found) ? found : []
  } catch {
    return []
  }
}

function hostOf({ place }: Pick<Holder, "place">): string {
  return place.split(" ")[0] ?? ""
}

function locked(sessionId: string, { token, pid, place }: Holder): StoreError {
  const who = ours.has(token) ? "in this process" : `in process ${pid} on ${hostOf({ place })}`
  const remedy = "Close it there first, or start another session."
  return new StoreError("locked", `The session ${sessionId} is open ${who}.`, remedy)
}
