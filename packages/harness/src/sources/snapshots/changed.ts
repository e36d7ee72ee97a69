import type { Entry } from "@sotto/core"
import { fileFactIn } from "../files/facts.js"
import { type ChangedFile, type FileVersion, isSameVersion } from "./version.js"

/** The key of the fact that records what became of files. */
export const SNAPSHOT = "snapshot"

/** The fact `snapshot`: what a step did to files, or what an undo or a redo did. The bytes are not in the log. */
export interface SnapshotFact {
  readonly by: "step" | "undo" | "redo"
  /** The machine whose files they are. */
  readonly host: string
  readonly changes: readonly ChangedFile[]
  /** Of an undo and a redo: the number of the entry that moved the conversation. */
  readonly jump?: number
  /** What an undo or a redo is about to do. It is done once a fact of the same `jump` has no plan. */
  readonly plan?: readonly ChangedFile[]
}

declare module "@sotto/core" {
  interface CustomFacts {
    snapshot: SnapshotFact
  }
}

/** Reads the fact that an entry records. */
export function snapshotIn(entry: Entry): SnapshotFact | undefined {
  if (entry.type !== "observed" || entry.key !== SNAPSHOT || entry.fact.is !== "known") return undefined
  const { value } = entry.fact
  return isSnapshot(value) ? value : undefined
}

/**
 * Lists what a session did to files from an entry of its log on: each path with what was there before its first change
 * and after its last. What an undo has brought back is as it was.
 */
export function changedFiles(log: readonly Entry[], from: number): readonly ChangedFile[] {
  const changed = new Map<string, ChangedFile>()
  // A write of a tool is recorded at once, and once more with its modes when its step ends.
  let early = new Map<string, ChangedFile | undefined>()
  for (const entry of log) {
    if (entry.seq <= from) continue
    const { path, fact } = fileFactIn(entry) ?? {}
    if (path !== undefined && fact?.before !== undefined) {
      if (!early.has(path)) early.set(path, changed.get(path))
      const before: FileVersion | null = fact.before === null ? null : { is: "file", hash: fact.before }
      add(changed, { path, before, after: { is: "file", hash: fact.hash } })
    }
    const snapshot = snapshotIn(entry)
    if (snapshot === undefined || snapshot.plan !== undefined) continue
    for (const change of snapshot.changes) {
      if (early.has(change.path)) restore(changed, change.path, early.get(change.path))
      add(changed, change)
    }
    early = new Map()
  }
  return [...changed.values()].filter(({ before, after }) => !isSameVersion(before, after))
}

function restore(changed: Map<string, ChangedFile>, path: string, earlier: ChangedFile | undefined): void {
  if (earlier === undefined) changed.delete(path)
  else changed.set(path, earlier)
}

function add(changed: Map<string, ChangedFile>, change: ChangedFile): void {
  const { path, before, after } = change
  const known = changed.get(path)
  // A subagent's change is found once more at the end of the step in which it worked.
  if (known && isSameVersion(known.after, after)) return
  const isMixed = known !== undefined && (known.mixed === true || !isSameVersion(known.after, before))
  changed.set(path, {
    path,
    before: known === undefined ? before : known.before,
    after,
    ...((isMixed || change.mixed) && { mixed: true }),
  })
}

/** Finds the undo or redo that a crash has cut short, by the number of its entry. */
export function unfinished(log: readonly Entry[]): SnapshotFact | undefined {
  const last = log.findLast((entry) => snapshotIn(entry)?.jump !== undefined)
  const fact = last && snapshotIn(last)
  return fact?.plan === undefined ? undefined : fact
}

/** Finds what an undo did to files when it moved the conversation by this entry. */
export function undoneBy(log: readonly Entry[], jump: number): SnapshotFact | undefined {
  const done = log.findLast((entry) => {
    const fact = snapshotIn(entry)
    return fact?.jump === jump && fact.plan === undefined
  })
  return done && snapshotIn(done)
}

/** Checks a fact, because a log may come from another program: any other value tells nothing of files. */
function isSnapshot(value: unknown): value is SnapshotFact {
  const { by, host, changes, plan, jump } = fieldsOf(value)
  return (
    (by === "step" || by === "undo" || by === "redo") &&
    typeof host === "string" &&
    (jump === undefined || typeof jump === "number") &&
    areChanges(changes) &&
    (plan === undefined || areChanges(plan))
  )
}

function areChanges(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((change) => {
      const { path, before, after } = fieldsOf(change)
      return (
        typeof path === "string" &&
        path !== "" &&
        !path.includes("\0") &&
        isVersion(before) &&
        isVersion(after)
      )
    })
  )
}

function isVersion(value: unknown): boolean {
  if (value === null) return true
  const { is, hash, mode } = fieldsOf(value)
  return (
    ["file", "link", "folder", "other"].includes(String(is)) &&
    (hash === undefined || (typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash))) &&
    (mode === undefined || (typeof mode === "number" && mode >= 0 && mode <= 0o7777))
  )
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
