import { changesIn } from "../changes.js"
import type { Repair } from "../contract.js"
import { nothingToKeep } from "../error.js"
import { isJson } from "../json.js"
import { EXPORT_VERSION } from "../jsonl.js"
import { labelText, metadataText } from "../labels.js"
import { saveAside } from "../saved.js"
import { longestWhole, miscountIn } from "../whole.js"
import type { Database } from "./database.js"
import { rawLog, readLog } from "./log-rows.js"
import { SESSION_COLUMNS, summaryOf } from "./summary-rows.js"
import { nearestText } from "./text.js"

/** Cuts a session back to the longest beginning that restores, after the whole of it was saved. Inside a transaction. */
export function repairSession(database: Database, key: number, sessionId: string): Repair {
  const [row = {}] = database.rows(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE key = ?`, key)
  const summary = summaryOf(row)
  const raw = rawLog(database, key)
  const reading = readLog(database, key)
  const whole = longestWhole(reading.entries)
  const miscounted = whole.why === undefined ? miscountIn(summary, whole.entries) : undefined
  const commands = badCommands(database, key)
  const command = commands[0] && `the posted command ${commands[0].id} is no JSON`
  const unread = reading.broken && `${reading.broken} cannot be read`
  const why = whole.why ?? unread ?? summary.damaged ?? miscounted ?? command
  const kept = whole.entries.length
  const before = Math.max(Number(row.entries), raw.length)
  if (why === undefined) return { id: sessionId, kept, before }
  const header = {
    sotto: "session",
    version: EXPORT_VERSION,
    damage: why,
    ...summary,
    ...(command && { commands }),
  }
  const bodies = raw.map(({ body }) => Buffer.from(body instanceof ArrayBuffer ? body : new ArrayBuffer(0)))
  const saved = saveAside(database.path, sessionId, [JSON.stringify(header), ...bodies])
  const [opened] = whole.entries
  if (opened?.type !== "opened") throw nothingToKeep(sessionId, why, saved)
  const { agent, model, messages } = changesIn(whole.entries)
  const updated = whole.entries.reduce((latest, { at }) => Math.max(latest, at), opened.at)
  for (const { number } of commands) database.run("DELETE FROM posted WHERE number = ?", number)
  database.run("DELETE FROM entries WHERE session = ? AND NOT (seq >= 0 AND seq < ?)", key, kept)
  database.run(
    `UPDATE sessions SET id = ?, cwd = ?, title = ?, summary = ?, parent = ?, workspace = ?, labels = ?, metadata = ?, agent = ?, model = ?, created = ?,
       updated = ?, entries = ?, messages = ? WHERE key = ?`,
    ...[
      opened.id,
      summary.cwd,
      summary.title ?? null,
      summary.summary ?? null,
      summary.parent ?? null,
      summary.workspace ?? null,
      labelText(summary.labels),
      metadataText(summary.metadata),
    ],
    ...[agent, model, opened.at, updated, kept, messages, key],
  )
  return { id: opened.id, kept, before, why, saved }
}

function badCommands(database: Database, key: number) {
  return database
    .rows(
      "SELECT number, CAST(id AS BLOB) AS id, CAST(body AS BLOB) AS body, CAST(outcome AS BLOB) AS outcome FROM posted WHERE session = ? ORDER BY number",
      key,
    )
    .map((row) => ({
      number: Number(row.number),
      id: nearestText(row.id),
      body: nearestText(row.body),
      outcome: row.outcome,
    }))
    .filter(({ body, outcome }) => !isJson(body) || (outcome !== null && !isJson(nearestText(outcome))))
}
