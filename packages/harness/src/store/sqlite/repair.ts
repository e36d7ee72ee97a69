import { changesIn } from "../changes.js"
import type { Repair } from "../contract.js"
import { nothingToKeep } from "../error.js"
import { EXPORT_VERSION } from "../jsonl.js"
import { saveAside } from "../saved.js"
import { longestWhole, miscountIn } from "../whole.js"
import type { Database } from "./database.js"
import { rawLog, readLog } from "./log-rows.js"
import { SESSION_COLUMNS, summaryOf } from "./summary-rows.js"

/** Cuts a session back to the longest beginning that restores, after the whole of it was saved. Inside a transaction. */
export function repairSession(database: Database, key: number, sessionId: string): Repair {
  const [row = {}] = database.rows(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE key = ?`, key)
  const summary = summaryOf(row)
  const raw = rawLog(database, key)
  const reading = readLog(database, key)
  const whole = longestWhole(reading.entries)
  const miscounted = whole.why === undefined ? miscountIn(summary, whole.entries) : undefined
  const why = whole.why ?? (reading.broken && `${reading.broken} cannot be read`) ?? summary.damaged ?? miscounted
  const kept = whole.entries.length
  const before = Math.max(Number(row.entries), raw.length)
  if (why === undefined) return { id: sessionId, kept, before }
  const header = { sotto: "session", version: EXPORT_VERSION, damage: why, ...summary }
  const bodies = raw.map(({ body }) => Buffer.from(body instanceof ArrayBuffer ? body : new ArrayBuffer(0)))
  const saved = saveAside(database.path, sessionId, [JSON.stringify(header), ...bodies])
  const [opened] = whole.entries
  if (opened?.type !== "opened") throw nothingToKeep(sessionId, why, saved)
  const { agent, model, messages } = changesIn(whole.entries)
  const updated = whole.entries.reduce((latest, { at }) => Math.max(latest, at), opened.at)
  database.run("DELETE FROM entries WHERE session = ? AND NOT (seq >= 0 AND seq < ?)", key, kept)
  database.run(
    `UPDATE sessions SET id = ?, cwd = ?, title = ?, summary = ?, parent = ?, workspace = ?, agent = ?, model = ?, created = ?,
       updated = ?, entries = ?, messages = ? WHERE key = ?`,
    ...[
      opened.id,
      summary.cwd,
      summary.title ?? null,
      summary.summary ?? null,
      summary.parent ?? null,
      summary.workspace ?? null,
    ],
    ...[agent, model, opened.at, updated, kept, messages, key],
  )
  return { id: opened.id, kept, before, why, saved }
}
