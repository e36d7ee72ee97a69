import { changedColumns, labelsIn, type SessionDescription } from "../labels.js"
import type { SessionSummary } from "../summary.js"
import type { Database, SqliteRow } from "./database.js"
import { nearestText, textIn } from "./text.js"

const OPTIONAL = ["title", "summary", "parent", "workspace", "labels", "metadata"] as const
const TEXTS = ["id", "cwd", "agent", "model", ...OPTIONAL] as const
const NUMBERS = ["key", "created", "updated", "entries", "messages"] as const

/** The range of a date, in milliseconds. */
const LATEST = 8.64e15

/** The columns of a session, each read in a way that damage cannot make dangerous. */
export const SESSION_COLUMNS = [
  ...TEXTS.map((name) => `CAST(${name} AS BLOB) AS ${name}`),
  ...NUMBERS.map((name) => `CAST(${name} AS INTEGER) AS ${name}`),
].join(", ")

export function summaryOf(row: SqliteRow): SessionSummary {
  const { title, summary, parent, workspace, created, updated, messages } = row
  const { damaged, ...labels } = labelsOf(row)
  const wrong = damageOf(row) ?? damaged
  return {
    id: nearestText(row.id),
    cwd: nearestText(row.cwd),
    agent: nearestText(row.agent),
    model: nearestText(row.model),
    ...(title !== null && { title: nearestText(title) }),
    ...(summary !== null && { summary: nearestText(summary) }),
    ...(parent !== null && { parent: nearestText(parent) }),
    ...(workspace !== null && { workspace: nearestText(workspace) }),
    ...labels,
    created: isTime(created) ? Number(created) : 0,
    updated: isTime(updated) ? Number(updated) : 0,
    messages: Number(messages) || 0,
    ...(wrong !== undefined && { damaged: wrong }),
  }
}

function labelsOf({ labels, metadata }: SqliteRow) {
  const text = (column: unknown) => (column === null ? null : nearestText(column))
  return labelsIn({ labels: text(labels), metadata: text(metadata) })
}

/** Changes what is said of a session, inside a transaction. Returns false for an unknown one. */
export function describeSession(database: Database, id: string, change: SessionDescription): boolean {
  const columns = changedColumns(change)
  const set = columns.map(([name]) => `${name} = ?`).join(", ")
  if (set === "") return database.rows("SELECT 1 AS one FROM sessions WHERE id = ?", id).length > 0
  return database.run(`UPDATE sessions SET ${set} WHERE id = ?`, ...columns.map(([, to]) => to), id) > 0
}

function damageOf(row: SqliteRow): string | undefined {
  for (const name of TEXTS)
    if (textIn(row[name]) === undefined && !(OPTIONAL.some((one) => one === name) && row[name] === null))
      return `its ${name} is not UTF-8 text`
  for (const name of ["created", "updated"])
    if (!isTime(row[name])) return `its time "${name}" is no time of any calendar`
  return undefined
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) <= LATEST
}
