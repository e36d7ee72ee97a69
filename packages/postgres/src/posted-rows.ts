import { KEPT_MS, unknownSession } from "@sotto/harness/store"
import { type Connection, codeOf, type PostgresRow } from "./connection.js"
import { quoted } from "./migrate.js"

/** How often the outcomes of old commands are cleared away. */
const CLEARED_MS = 60 * 60_000

/** Commands that were posted for sessions. */
export class PostedRows {
  readonly #connection: Connection
  readonly #table: string
  readonly #sessions: string
  #cleared = 0

  constructor(connection: Connection, schema: string) {
    this.#connection = connection
    this.#table = `${quoted(schema)}.posted`
    this.#sessions = `${quoted(schema)}.sessions`
  }

  async post(session: string, key: number, id: string, body: string): Promise<void> {
    if (Date.now() - this.#cleared > CLEARED_MS) {
      this.#cleared = Date.now()
      await this.#connection.rows(
        `DELETE FROM ${this.#table} WHERE done AND at < clock_timestamp() - $1 * interval '1 millisecond'`,
        [KEPT_MS],
      )
    }
    try {
      await this.#connection.rows(
        `INSERT INTO ${this.#table} (session, id, body) VALUES ($1, $2, $3) ON CONFLICT (session, id) DO NOTHING`,
        [key, id, body],
      )
    } catch (error) {
      throw codeOf(error) === "23503" ? unknownSession(session) : error
    }
  }

  /** Lists what waits for a session, oldest first. */
  async open(session: string): Promise<readonly PostgresRow[]> {
    const rows = await this.#connection.rows(
      `SELECT p.id, p.body FROM ${this.#sessions} s LEFT JOIN ${this.#table} p ON p.session = s.key AND NOT p.done
         WHERE s.id = $1 ORDER BY p.number`,
      [session],
    )
    if (rows.length === 0) throw unknownSession(session)
    return rows.filter(({ id }) => id !== null)
  }

  /** Finds the outcome of a command. Nothing is known of a command that was not posted. */
  async outcome(session: string, id: string): Promise<PostgresRow | undefined> {
    const [row] = await this.#connection.rows(
      `SELECT p.done, p.outcome FROM ${this.#sessions} s LEFT JOIN ${this.#table} p ON p.session = s.key AND p.id = $2
         WHERE s.id = $1`,
      [session, id],
    )
    if (row === undefined) throw unknownSession(session)
    return row
  }
}
