import type { Entry } from "@sotto/core"
import { changesIn } from "@sotto/harness/store"
import type { Connection } from "./connection.js"
import type { Leases } from "./leases.js"
import { quoted } from "./migrate.js"

/** Entries of one session and what goes with them. */
export interface Extension {
  readonly session: string
  readonly key: number
  readonly fence: number
  /** The number of the first entry. */
  readonly first: number
  /** The entries as JSON. With none of them it is only asked whether the session is still ours. */
  readonly bodies: readonly string[]
  readonly messages: number
  readonly updated: number
  readonly agent: string | null
  readonly model: string | null
  readonly atWork: boolean | null
  /** The posted commands that these entries carry out. */
  readonly carried: readonly CarriedCommand[]
}

/** A posted command that was carried out, and what became of it, as JSON. */
export interface CarriedCommand {
  readonly id: string
  readonly outcome: string
}

/** A text of a file to be kept. */
export interface Kept {
  readonly hash: string
  readonly text: string
}

/** What became of an extension. `unsure`: the session is lost, and an earlier attempt may have written it. */
export type Extended = "written" | "lost" | "unsure" | "conflict"

interface WritingOptions {
  readonly schema: string
  readonly leaseMs: number
  readonly noFencing: boolean
}

/**
 * Appends entries of several sessions in one statement, which is one transaction and one round trip. It checks each
 * session's fence and the time by prolonging its lease. That locks the lease's row for writing until the entries are
 * committed: a taker waits for it, sees the lease prolonged, and is refused. A lock for reading would not do, because
 * two holders of one could not both go on to prolong the lease. A session that is not ours any more writes nothing, and
 * keeps no other from writing.
 */
export class EntryWriter {
  readonly #connection: Connection
  readonly #leases: Leases
  readonly #options: WritingOptions
  readonly #statement: string

  constructor(connection: Connection, leases: Leases, options: WritingOptions) {
    this.#connection = connection
    this.#leases = leases
    this.#options = options
    this.#statement = statementFor(quoted(options.schema), options.noFencing)
  }

  /**
   * Writes extensions and returns what became of each. Repeating it does no harm: entries that are there already are
   * not written twice.
   */
  async write(extensions: readonly Extension[], kept: readonly Kept[]): Promise<readonly Extended[]> {
    const before = process.hrtime.bigint()
    let isUnsure = false
    const outcome = await this.#connection.again(
      () => this.#once(extensions, kept),
      () => {
        isUnsure = true
      },
    )
    const results: Extended[] = []
    for (const extension of extensions) {
      const { key, fence } = extension
      const row = outcome.get(key)
      if (row?.held !== true) {
        results.push(isUnsure ? "unsure" : "lost")
        continue
      }
      this.#leases.granted(key, fence, before)
      results.push(row.written || !isChange(extension) ? "written" : await this.#reconciled(extension))
    }
    return results
  }

  async #once(extensions: readonly Extension[], kept: readonly Kept[]) {
    const entries = extensions.flatMap(({ key, first, bodies }) =>
      bodies.map((body, i) => ({ key, seq: first + i, body })),
    )
    const carried = extensions.flatMap(({ key, carried }) => carried.map((one) => ({ key, ...one })))
    const rows = await this.#connection.rows(this.#statement, [
      extensions.map(({ key }) => key),
      extensions.map(({ fence }) => fence),
      extensions.map(({ first }) => first),
      extensions.map(({ bodies }) => bodies.length),
      extensions.map(({ messages }) => messages),
      extensions.map(({ updated }) => updated),
      extensions.map(({ agent }) => agent),
      extensions.map(({ model }) => model),
      extensions.map(({ atWork }) => atWork),
      extensions.map(isChange),
      this.#options.leaseMs,
      entries.map(({ key }) => key),
      entries.map(({ seq }) => seq),
      entries.map(({ body }) => body),
      carried.map(({ key }) => key),
      carried.map(({ id }) => id),
      carried.map(({ outcome }) => outcome),
      kept.map(({ hash }) => hash),
      kept.map(({ text }) => Buffer.from(text, "utf8")),
    ])
    return new Map(
      rows.map(({ session, held, written }) => [
        Number(session),
        { held: held === true, written: written === true },
      ]),
    )
  }

  /**
   * Handles a session that is ours and has other entries than expected. They are our own if an answer got lost: then it
   * writes only what is not there yet.
   */
  async #reconciled(extension: Extension): Promise<Extended> {
    const { key, first, bodies } = extension
    const rows = await this.#connection.rows(
      `SELECT seq, body FROM ${quoted(this.#options.schema)}.entries WHERE session = $1 AND seq >= $2 ORDER BY seq`,
      [key, first],
    )
    const isOurs = rows.every(({ seq, body }, i) => Number(seq) === first + i && body === bodies[i])
    if (rows.length === 0 || !isOurs) return "conflict"
    const missing = bodies.slice(rows.length)
    const { messages } = changesIn(missing.map((body) => JSON.parse(body) as Entry))
    const left = { ...extension, first: first + rows.length, bodies: missing, messages }
    const row = (await this.#connection.again(() => this.#once([left], []))).get(key)
    return row?.held !== true ? "unsure" : row.written || !isChange(left) ? "written" : "conflict"
  }
}

function isChange({ bodies, atWork, carried }: Extension): boolean {
  return bodies.length > 0 || atWork !== null || carried.length > 0
}

function statementFor(schema: string, noFencing: boolean): string {
  const isHeld = noFencing ? "true" : "l.fence = g.fence AND l.until > clock_timestamp()"
  const follows = noFencing ? "true" : "(g.count = 0 OR s.entries = g.first)"
  return `
WITH given AS (
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[], $6::float8[],
    $7::text[], $8::text[], $9::boolean[], $10::boolean[])
    AS g (session, fence, first, count, messages, updated, agent, model, at_work, change)
), held AS (
  UPDATE ${schema}.leases l SET until = greatest(l.until, clock_timestamp() + $11 * interval '1 millisecond')
    FROM given g WHERE l.session = g.session AND ${isHeld} RETURNING l.session
), extended AS (
  UPDATE ${schema}.sessions s SET entries = s.entries + g.count, messages = s.messages + g.messages,
    updated = greatest(s.updated, g.updated), agent = coalesce(g.agent, s.agent),
    model = coalesce(g.model, s.model), at_work = coalesce(g.at_work, s.at_work)
    FROM given g JOIN held h ON h.session = g.session
    WHERE s.key = g.session AND g.change AND ${follows} RETURNING s.key, s.entries - g.count - g.first AS shift
), inserted AS (
  INSERT INTO ${schema}.entries (session, seq, body)
    SELECT e.session, e.seq + x.shift, e.body
      FROM unnest($12::bigint[], $13::integer[], $14::text[]) AS e (session, seq, body)
      JOIN extended x ON x.key = e.session
), carried AS (
  UPDATE ${schema}.posted p SET done = true, outcome = d.outcome
    FROM unnest($15::bigint[], $16::text[], $17::text[]) AS d (session, id, outcome) JOIN extended x ON x.key = d.session
    WHERE p.session = d.session AND p.id = d.id
), kept AS (
  INSERT INTO ${schema}.contents (hash, bytes) SELECT * FROM unnest($18::text[], $19::bytea[]) ON CONFLICT DO NOTHING
)
SELECT g.session, h.session IS NOT NULL AS held, x.key IS NOT NULL AS written
  FROM given g LEFT JOIN held h ON h.session = g.session LEFT JOIN extended x ON x.key = g.session`
}
