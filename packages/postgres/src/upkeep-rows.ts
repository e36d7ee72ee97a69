import {
  conflict,
  duplicate,
  isJson,
  ROWS_AT_ONCE,
  type StoredCommand,
  type StoredEntry,
  type StoredHolder,
  type StoredSession,
  StoreError,
  type StoreFigures,
  type Stray,
} from "@sotto/harness/store"
import { type Connection, codeOf, type PostgresRow, type Statements } from "./connection.js"
import type { Kept } from "./entry-writer.js"
import { LOCK, quoted } from "./migrate.js"
import { optional } from "./summary-rows.js"

interface Told {
  changed(): void
  posted(session: string): Promise<void>
}

/** Statements that go through whole tables take longer than those that an agent waits for. */
const PATIENCE_MS = 10 * 60_000
/** Texts that are read at once: each may have some hundred kilobytes. */
const TEXTS_AT_ONCE = 50
/** Characters of entries that are written at once. */
const LENGTH_AT_ONCE = 4_000_000

/** Everything in an entry `e` that may be the hash of a text. */
const NAMES = `regexp_matches(e.body, '"([[:alnum:]_+/=-]{16,200})"', 'g') AS m (name)`

const ONE_MOMENT = {
  begin: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
  patience: PATIENCE_MS,
} as const

/** Makes the operations that those who look after the store can ask for. */
export function upkeepOperations(connection: Connection, schema: string, told: Told) {
  const tables = quoted(schema)
  const looking = <T>(work: (statements: Statements) => Promise<T>) =>
    connection.again(() => connection.transaction(work, ONE_MOMENT))
  const changing = <T>(work: (statements: Statements) => Promise<T>) =>
    connection.transaction(work, { patience: PATIENCE_MS })
  const locks = new Map<string, { readonly unlock: () => void; readonly over: () => Promise<void> }>()
  return {
    figures: () => looking((statements) => figuresOf(statements, tables)),
    holders: () => connection.again(() => holdersIn(connection, tables)),
    sizes: () =>
      looking(async (statements) => {
        const rows = await statements.rows(
          `SELECT s.id, coalesce(sum(octet_length(e.body)), 0) AS bytes FROM ${tables}.sessions s
             LEFT JOIN ${tables}.entries e ON e.session = s.key GROUP BY s.key, s.id`,
        )
        return rows.map(({ id, bytes }) => [String(id), Number(bytes)] as const)
      }),
    busy: () =>
      connection.again(async () => {
        const rows = await connection.rows(
          `SELECT id FROM ${tables}.sessions WHERE at_work OR key IN (SELECT session FROM ${tables}.posted WHERE NOT done)`,
        )
        return rows.map(({ id }) => String(id))
      }),
    readStored: (id: string) => looking((statements) => readSession(statements, tables, id)),
    writeStored: async (session: StoredSession, from: number) => {
      await changing((statements) => writeSession(statements, tables, session, from))
      told.changed()
      if (session.posted.some(({ done }) => !done)) await told.posted(session.id)
    },
    kept: async (hashes: readonly string[]) => {
      const rows = await connection.rows(
        `SELECT hash FROM ${tables}.contents WHERE hash = ANY ($1::text[])`,
        [hashes],
      )
      return rows.map(({ hash }) => String(hash))
    },
    texts: (hashes: readonly string[]) =>
      looking(async (statements) =>
        keptIn(
          await statements.rows(`SELECT hash, bytes FROM ${tables}.contents WHERE hash = ANY ($1::text[])`, [
            hashes,
          ]),
        ),
      ),
    textsAfter: (hash: string) =>
      looking(async (statements) =>
        keptIn(
          await statements.rows(
            `SELECT hash, bytes FROM ${tables}.contents WHERE hash > $1 ORDER BY hash LIMIT ${TEXTS_AT_ONCE}`,
            [hash],
          ),
        ),
      ),
    keepTexts: (kept: readonly Kept[]) =>
      changing(async (statements) => {
        await statements.rows(
          `INSERT INTO ${tables}.contents (hash, bytes) SELECT * FROM unnest($1::text[], $2::bytea[]) ON CONFLICT DO NOTHING`,
          [kept.map(({ hash }) => hash), kept.map(({ text }) => Buffer.from(text, "utf8"))],
        )
      }),
    named: () =>
      looking(async (statements) => {
        const rows = await statements.rows(
          `SELECT DISTINCT s.id, c.hash, octet_length(c.bytes) AS bytes FROM ${tables}.sessions s
             JOIN ${tables}.entries e ON e.session = s.key CROSS JOIN LATERAL ${NAMES} JOIN ${tables}.contents c ON c.hash = m.name[1]`,
        )
        return rows.map(({ id, hash, bytes }) => ({
          ...{ session: String(id), hash: String(hash), bytes: Number(bytes) },
        }))
      }),
    strays: () => looking((statements) => straysIn(statements, tables)),
    /** Posted commands of a session that cannot be read. */
    badCommands: (id: string) =>
      looking(async (statements) => {
        const rows = await statements.rows(
          `SELECT p.id, p.body, p.outcome FROM ${tables}.posted p JOIN ${tables}.sessions s ON s.key = p.session WHERE s.id = $1 ORDER BY p.number`,
          [id],
        )
        return rows
          .map((row) => ({ id: String(row.id), body: String(row.body), outcome: row.outcome }))
          .filter(({ body, outcome }) => !isJson(body) || (outcome !== null && !isJson(String(outcome))))
      }),
    sweep: (hashes: readonly string[]) => sweep(connection, tables, hashes),
    /** Takes a lock that ends with the connection at the latest. */
    lockNamed: (name: string) =>
      new Promise<boolean>((resolve, reject) => {
        const over = connection
          .transaction(async (statements) => {
            const [row] = await statements.rows("SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS got", [
              ...[LOCK, `${schema} ${name}`],
            ])
            if (row?.got !== true) return resolve(false)
            await new Promise<void>((unlock) => {
              locks.set(name, { unlock, over: () => over })
              resolve(true)
            })
          })
          .catch(reject)
      }),
    /** Gives a lock back. On return another can take it. */
    unlockNamed: async (name: string) => {
      const lock = locks.get(name)
      locks.delete(name)
      lock?.unlock()
      await lock?.over()
    },
    unlockAll: async () => {
      for (const { unlock } of locks.values()) unlock()
      locks.clear()
    },
  }
}

async function figuresOf(statements: Statements, tables: string): Promise<StoreFigures> {
  const [row = {}] = await statements.rows(
    `SELECT (SELECT count(*) FROM ${tables}.sessions) AS sessions, e.entries, c.texts, e.bytes + c.bytes AS bytes,
       (SELECT sum(pg_total_relation_size(r)) FROM unnest($1::text[]) AS t (name), to_regclass(t.name) AS r) AS on_disk
       FROM (SELECT count(*) AS entries, coalesce(sum(octet_length(body)), 0) AS bytes FROM ${tables}.entries) e,
         (SELECT count(*) AS texts, coalesce(sum(octet_length(bytes)), 0) AS bytes FROM ${tables}.contents) c`,
    [["sessions", "entries", "contents", "posted", "leases"].map((name) => `${tables}.${name}`)],
  )
  return {
    sessions: Number(row.sessions),
    entries: Number(row.entries),
    texts: Number(row.texts),
    bytes: Number(row.bytes),
    bytesOnDisk: Number(row.on_disk),
  }
}

async function holdersIn(statements: Statements, tables: string): Promise<readonly StoredHolder[]> {
  const rows = await statements.rows(
    `SELECT s.id, l.pid, l.host, l.worker, l.asking, l.fence, extract(epoch FROM l.until) * 1000 AS until
       FROM ${tables}.leases l JOIN ${tables}.sessions s ON s.key = l.session
       WHERE l.until > clock_timestamp() ORDER BY s.key`,
  )
  return rows.map(({ id, pid, host, worker, asking, fence, until }) => ({
    session: String(id),
    pid: Number(pid),
    host: String(host),
    ...(worker !== "" && { worker: String(worker) }),
    asking: asking === null ? [] : (JSON.parse(String(asking)) as unknown[]),
    fence: Number(fence),
    until: Math.round(Number(until)),
  }))
}

async function readSession(
  statements: Statements,
  tables: string,
  id: string,
): Promise<StoredSession | undefined> {
  const [row] = await statements.rows(`SELECT * FROM ${tables}.sessions WHERE id = $1`, [id])
  if (row === undefined) return undefined
  const posted = await statements.rows(
    `SELECT id, body, extract(epoch FROM at) * 1000 AS at, done, outcome FROM ${tables}.posted WHERE session = $1 ORDER BY number`,
    [row.key],
  )
  return {
    ...sessionOf(row),
    log: await logOf(statements, tables, Number(row.key)),
    posted: posted.map(commandOf),
  }
}

async function logOf(statements: Statements, tables: string, key: number): Promise<readonly StoredEntry[]> {
  const log: StoredEntry[] = []
  for (;;) {
    const rows = await statements.rows(
      `SELECT seq, body FROM ${tables}.entries WHERE session = $1 AND ($2::integer IS NULL OR seq > $2) ORDER BY seq LIMIT ${ROWS_AT_ONCE}`,
      [key, log.at(-1)?.seq ?? null],
    )
    for (const { seq, body } of rows) log.push({ seq: Number(seq), body: String(body) })
    if (rows.length < ROWS_AT_ONCE) return log
  }
}

function sessionOf(row: PostgresRow): Omit<StoredSession, "log" | "posted"> {
  return {
    id: String(row.id),
    cwd: String(row.cwd),
    title: optional(row.title),
    summary: optional(row.summary),
    parent: optional(row.parent),
    workspace: optional(row.workspace),
    labels: optional(row.labels),
    metadata: optional(row.metadata),
    agent: String(row.agent),
    model: String(row.model),
    created: Number(row.created),
    updated: Number(row.updated),
    entries: Number(row.entries),
    messages: Number(row.messages),
    atWork: row.at_work === true,
  }
}

function commandOf({ id, body, at, done, outcome }: PostgresRow): StoredCommand {
  return {
    id: String(id),
    body: String(body),
    at: Math.round(Number(at)),
    done: done === true,
    outcome: outcome === null ? null : String(outcome),
  }
}

async function writeSession(
  statements: Statements,
  tables: string,
  session: StoredSession,
  from: number,
): Promise<void> {
  const key =
    from === 0 ? await insert(statements, tables, session) : await extend(statements, tables, session, from)
  for (const some of portions(session.log.slice(from)))
    await statements.rows(
      `INSERT INTO ${tables}.entries (session, seq, body) SELECT $1, * FROM unnest($2::integer[], $3::text[])`,
      [key, some.map(({ seq }) => seq), some.map(({ body }) => body ?? null)],
    )
  for (const { id, body, at, done, outcome } of session.posted)
    await statements.rows(
      `INSERT INTO ${tables}.posted AS p (session, id, body, at, done, outcome)
         VALUES ($1, $2, $3, to_timestamp($4::float8 / 1000), $5, $6)
         ON CONFLICT (session, id) DO UPDATE SET done = p.done OR excluded.done, outcome = coalesce(p.outcome, excluded.outcome)`,
      [key, id, body, at, done, outcome],
    )
}

/** Entries that one statement writes: not too many, and not too long together. */
function* portions(log: readonly StoredEntry[]): Generator<readonly StoredEntry[]> {
  let some: StoredEntry[] = []
  let length = 0
  for (const entry of log) {
    some.push(entry)
    length += entry.body?.length ?? 0
    if (some.length < ROWS_AT_ONCE && length < LENGTH_AT_ONCE) continue
    yield some
    some = []
    length = 0
  }
  if (some.length > 0) yield some
}

async function insert(statements: Statements, tables: string, session: StoredSession): Promise<unknown> {
  const { id, cwd, parent, created } = session
  try {
    const [row] = await statements.rows(
      `INSERT INTO ${tables}.sessions (title, summary, workspace, labels, metadata, agent, model, updated, entries, messages, at_work,
           id, cwd, parent, created)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) RETURNING key`,
      [...changing(session), id, cwd, parent, created],
    )
    return row?.key
  } catch (error) {
    throw codeOf(error) === "23505" ? duplicate(id) : error
  }
}

/**
 * Extends a session. The lock on the row keeps the log as it is: an append of a worker that takes the session now
 * waits, and then fails.
 */
async function extend(
  statements: Statements,
  tables: string,
  session: StoredSession,
  from: number,
): Promise<unknown> {
  const [row] = await statements.rows(
    `SELECT key, entries FROM ${tables}.sessions WHERE id = $1 FOR UPDATE`,
    [session.id],
  )
  if (row === undefined || Number(row.entries) !== from) throw conflict(session.id, from)
  const [holder] = await statements.rows(
    `SELECT pid, host FROM ${tables}.leases WHERE session = $1 AND until > clock_timestamp()`,
    [row.key],
  )
  if (holder !== undefined)
    throw new StoreError(
      "locked",
      `The session ${session.id} is open in process ${String(holder.pid)} on ${String(holder.host)}.`,
      "Close it there first.",
    )
  await statements.rows(
    `UPDATE ${tables}.sessions SET title = $1, summary = $2, workspace = $3, labels = $4, metadata = $5, agent = $6, model = $7,
       updated = $8, entries = $9, messages = $10, at_work = $11 WHERE key = $12`,
    [...changing(session), row.key],
  )
  return row.key
}

/** Lists the columns that change in the life of a session, in the order of the statements above. */
function changing(session: StoredSession): readonly unknown[] {
  const { title, summary, workspace, labels, metadata, agent, model, updated, entries, messages, atWork } =
    session
  return [title, summary, workspace, labels, metadata, agent, model, updated, entries, messages, atWork]
}

function keptIn(
  rows: readonly PostgresRow[],
): readonly { readonly hash: string; readonly bytes: Uint8Array }[] {
  return rows.map(({ hash, bytes }) => ({ hash: String(hash), bytes: bytes as Uint8Array }))
}

async function straysIn(statements: Statements, tables: string): Promise<readonly Stray[]> {
  const found: Stray[] = []
  const all = { entries: "entries", posted: "posted commands", leases: "holders" } as const
  for (const [table, what] of Object.entries(all)) {
    const [row] = await statements.rows(
      `SELECT count(*) AS count FROM ${tables}.${table} t WHERE NOT EXISTS (SELECT 1 FROM ${tables}.sessions s WHERE s.key = t.session)`,
    )
    const rows = Number(row?.count)
    if (rows > 0) found.push({ what, rows })
  }
  return found
}

/**
 * Removes those of the texts that no log names. All logs are read without keeping others from writing; what they wrote
 * meanwhile is read while no other worker can write, which takes no longer than an append.
 */
async function sweep(connection: Connection, tables: string, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return
  const named = `SELECT DISTINCT m.name[1] AS hash FROM ${tables}.entries e CROSS JOIN LATERAL ${NAMES}`
  const before = await connection.transaction(
    async (statements) => ({
      sessions: await statements.rows(`SELECT key, entries FROM ${tables}.sessions`),
      named: await statements.rows(`${named} WHERE m.name[1] = ANY ($1::text[])`, [hashes]),
    }),
    ONE_MOMENT,
  )
  const known = new Set(before.named.map(({ hash }) => hash))
  const left = hashes.filter((hash) => !known.has(hash))
  if (left.length === 0) return
  await connection.transaction(
    async (statements) => {
      // In the order in which an append comes to them.
      for (const table of ["entries", "contents"])
        await statements.rows(`LOCK TABLE ${tables}.${table} IN SHARE ROW EXCLUSIVE MODE`)
      await statements.rows(
        `DELETE FROM ${tables}.contents WHERE hash = ANY ($1::text[]) AND hash NOT IN (
           ${named} JOIN ${tables}.sessions s ON s.key = e.session
             LEFT JOIN unnest($2::bigint[], $3::integer[]) AS b (key, entries) ON b.key = s.key
             WHERE s.entries > coalesce(b.entries, 0) AND e.seq >= coalesce(b.entries, 0))`,
        [left, before.sessions.map(({ key }) => key), before.sessions.map(({ entries }) => entries)],
      )
    },
    { patience: PATIENCE_MS },
  )
}
