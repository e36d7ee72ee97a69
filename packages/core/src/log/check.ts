import { SottoError } from "../errors.js"
import { type Entry, LOG_VERSION } from "./entry.js"

/** Refuses a log that cannot be restored as it was meant. */
export function checkLog(log: readonly Entry[]): void {
  const [first] = log
  if (first === undefined) return
  if (first.type !== "opened") throw damaged(0, `it begins with "${first.type}" and not with "opened"`)
  if (first.version > LOG_VERSION)
    throw new SottoError(
      "newer-log",
      `The log of session ${first.id} is of version ${first.version}; this Sotto reads up to ${LOG_VERSION}.`,
      "Open it with a newer Sotto. Nothing was changed.",
    )
  log.forEach((entry, i) => {
    if (entry.seq !== i) throw damaged(i, `its number is ${entry.seq}`)
  })
}

function damaged(index: number, why: string): SottoError {
  return new SottoError(
    "damaged-log",
    `The log is damaged at entry ${index}: ${why}.`,
    "Restore it whole and in order, or only the entries before that one.",
  )
}
