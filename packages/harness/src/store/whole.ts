import { type Entry, findDamage } from "@sotto/core"
import { tryLog } from "./trial.js"

/** The longest beginning of a log that restores, and why it is not longer. */
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

function problemWith(entries: readonly Entry[]): string | undefined {
  if (entries.length === 0) return undefined
  try {
    tryLog(entries)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
