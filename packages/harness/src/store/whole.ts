import { type Entry, findDamage } from "@sotto/core"
import { changesIn } from "./changes.js"
import type { SessionSummary } from "./summary.js"
import { tryLog } from "./trial.js"

/** Finds the longest beginning of a log that restores, and why it is not longer. */
export function longestWhole(entries: readonly Entry[]): {
  readonly entries: readonly Entry[]
  readonly why?: string
} {
  const damage = findDamage(entries)
  const shaped = damage === undefined ? entries : entries.slice(0, damage.entry)
  const problem = problemWith(shaped)
  if (problem === undefined)
    return { entries: shaped, ...(damage && { why: `entry ${damage.entry}: ${damage.why}` }) }
  // What is shorter than a beginning that restores restores too.
  let whole = 0
  let broken = shaped.length
  while (broken - whole > 1) {
    const middle = Math.floor((whole + broken) / 2)
    if (problemWith(shaped.slice(0, middle)) === undefined) whole = middle
    else broken = middle
  }
  return { entries: shaped.slice(0, whole), why: `entry ${whole}: ${problem}` }
}

/** Finds what the row of a session says that its log does not bear out. */
export function miscountIn(
  row: Pick<SessionSummary, "id" | "messages" | "agent" | "model">,
  entries: readonly Entry[],
): string | undefined {
  const [opened] = entries
  if (opened?.type === "opened" && opened.id !== row.id) return `its log is of session "${opened.id}"`
  const log = changesIn(entries)
  if (row.messages !== log.messages)
    return `its row counts ${row.messages} messages, and its log ${log.messages}`
  for (const name of ["agent", "model"] as const)
    if (log[name] !== null && row[name] !== log[name])
      return `its row says ${name} "${row[name]}", and its log "${log[name]}"`
  return undefined
}

function problemWith(entries: readonly Entry[]): string | undefined {
  if (entries.length === 0) return undefined
  try {
    tryLog(entries)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
