import { type Stats, statSync } from "node:fs"

/** What tells whether something was changed. */
export type Stamp = Stats | "absent"

/** Changes closer to a look than this may share its time stamp. */
const UNSETTLED_MS = 100

/** Links are followed. Undefined if nothing is there. Throws if that cannot be told. */
export function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

/**
 * True if nothing has changed between two stats, if the earlier one was settled. Compares field by field: it is asked
 * often.
 */
export function isUnchanged(before: Stats, now: Stats): boolean {
  return (
    before.ctimeMs === now.ctimeMs &&
    before.mtimeMs === now.mtimeMs &&
    before.size === now.size &&
    before.ino === now.ino &&
    before.dev === now.dev
  )
}

/** True if any change from now on will show in the stat. */
export function isSettled({ ctimeMs }: Stats): boolean {
  return Date.now() - ctimeMs > UNSETTLED_MS
}

/** Stamps a file; undefined if one more change may still have the same time. */
export function settledStamp(path: string): Stamp | undefined {
  const stamp = stampOf(path)
  return stamp === "absent" || isSettled(stamp) ? stamp : undefined
}

function stampOf(path: string): Stamp {
  try {
    return statOf(path) ?? "absent"
  } catch {
    // What cannot be looked at is as good as not there.
    return "absent"
  }
}

function isSame(before: Stamp, now: Stamp): boolean {
  return before === "absent" || now === "absent" ? before === now : isUnchanged(before, now)
}

/** True if all are what they were; one that may have changed unseen (undefined) is not known to be. */
export function areSame(stamps: ReadonlyMap<string, Stamp | undefined>): boolean {
  for (const [path, stamp] of stamps) if (stamp === undefined || !isSame(stamp, stampOf(path))) return false
  return true
}
