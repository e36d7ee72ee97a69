import type { SessionSummary } from "../summary.js"
import type { SqliteRow } from "./database.js"
import { nearestText, textIn } from "./text.js"

const TEXTS = ["id", "cwd", "title", "summary", "parent", "agent", "model", "workspace"] as const
const NUMBERS = ["key", "created", "updated", "entries", "messages"] as const
const OPTIONAL: readonly string[] = ["title", "summary", "parent", "workspace"]

/** The range of a date, in milliseconds. */
const LATEST = 8.64e15

/** The columns of a session, each read in a way that damage cannot make dangerous. */
export const SESSION_COLUMNS = [
  ...TEXTS.map((name) => `CAST(${name} AS BLOB) AS ${name}`),
  ...NUMBERS.map((name) => `CAST(${name} AS INTEGER) AS ${name}`),
].join(", ")

export function summaryOf(row: SqliteRow): SessionSummary {
  const { title, summary, parent, workspace, created, updated, messages } = row
  const wrong = damageOf(row)
  return {
    id: nearestText(row.id),
    cwd: nearestText(row.cwd),
    agent: nearestText(row.agent),
    model: nearestText(row.model),
    ...(title !== null && { title: nearestText(title) }),
    ...(summary !== null && { summary: nearestText(summary) }),
    ...(parent !== null && { parent: nearestText(parent) }),
    ...(workspace !== null && { workspace: nearestText(workspace) }),
    created: isTime(created) ? Number(created) : 0,
    updated: isTime(updated) ? Number(updated) : 0,
    messages: Number(messages) || 0,
    ...(wrong !== undefined && { damaged: wrong }),
  }
}

function damageOf(row: SqliteRow): string | undefined {
  for (const name of TEXTS)
    if (textIn(row[name]) === undefined && !(OPTIONAL.includes(name) && row[name] === null))
      return `its ${name} is not UTF-8 text`
  for (const name of ["created", "updated"])
    if (!isTime(row[name])) return `its time "${name}" is no time of any calendar`
  return undefined
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && Math.abs(value) <= LATEST
}
