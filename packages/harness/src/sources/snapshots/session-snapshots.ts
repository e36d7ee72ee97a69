import type { Session } from "@sotto/core"
import type { Awaitable } from "../../platform/awaitable.js"
import type { RestoreReport } from "../../tools/events/events.js"
import { changedFiles, SNAPSHOT, type SnapshotFact, snapshotIn, undoneBy, unfinished } from "./changed.js"
import type { RestoreParts, RestoreRow } from "./restore.js"
import type { CallReach, StepSnapshots } from "./steps.js"
import type { WorkspaceTree } from "./tree.js"
import type { ChangedFile } from "./version.js"

/** What files are to be brought back to. */
export interface RestorePlan {
  readonly rows: readonly RestoreRow[]
  readonly notices: readonly string[]
}

export interface SessionSnapshotParts {
  readonly session: Session
  readonly cwd: string
  /** The name of this machine. */
  readonly host: string
  readonly family: string
  /** False if nothing is kept for undo. */
  readonly isOn: boolean
  tree(): Promise<WorkspaceTree>
  content(hash: string): Awaitable<string | undefined>
  isAtWork(): boolean
  /** Enters something in the log outside a command. */
  enter(entry: () => void): void
  /** Resolves when what was entered is on disk. */
  onDisk(): Promise<void>
  report(message: string): void
}

/** What one session does to files, step by step, and the way back. Nothing is loaded before the first call that writes. */
export class SessionSnapshots {
  readonly #parts: SessionSnapshotParts
  #steps: Promise<StepSnapshots> | undefined

  constructor(parts: SessionSnapshotParts) {
    this.#parts = parts
  }

  /** Remembers what is there before a call runs. */
  async before(reach: CallReach, named: readonly string[]): Promise<void> {
    if (reach !== "nothing" && this.#parts.isOn) await (await this.#opened()).before(reach, named)
  }

  /** Says that the calls of a step are done. Resolves when the next request may be made: see `StepSnapshots.ended`. */
  async ended(): Promise<void> {
    await (await this.#steps)?.ended()
  }

  /** Resolves when all that steps did so far is written down. */
  async settled(): Promise<void> {
    await (await this.#steps)?.settled()
  }

  /** Says what going back before an entry of the log would do to files. */
  async planBack(from: number): Promise<RestorePlan> {
    await (await this.#opened()).catchUp()
    const { log } = this.#parts.session
    const notices = log.some(
      (entry) => entry.seq > from && entry.type === "recovered" && entry.calls.length > 0,
    )
      ? ["A step was cut short by a crash. What its commands did to files is not known."]
      : []
    return this.#plan(changedFiles(log, from), this.#hostsSince(from), notices)
  }

  /** Says what taking a rewind back would do to files. `jump`: the number of its entry. */
  async planForward(jump: number): Promise<RestorePlan> {
    await (await this.#opened()).catchUp()
    const undone = undoneBy(this.#parts.session.log, jump)
    return this.#plan(undone?.changes ?? [], new Set(undone === undefined ? [] : [undone.host]), [])
  }

  async #plan(
    changes: readonly ChangedFile[],
    hosts: ReadonlySet<string>,
    notices: readonly string[],
  ): Promise<RestorePlan> {
    const { host } = this.#parts
    const other = [...hosts].find((one) => one !== host)
    const tree = await this.#parts.tree()
    const all = tree.isCut
      ? [
          ...notices,
          "This folder has more files than are looked at. What commands did to the others is not known.",
        ]
      : notices
    const { planRestore } = await import("./restore.js")
    if (other === undefined)
      return { rows: await planRestore(byPath(changes), await this.#restoreParts()), notices: all }
    const why = `it was changed on another machine (${other}), and this is ${host}`
    return {
      rows: changes.map(({ path, before: to }) => ({ path, state: "lost", now: null, to, why })),
      notices: all,
    }
  }

  /** Carries a plan out, once the conversation was moved by the entry `jump`. What was edited is overwritten if that is wanted. */
  async restore(by: "undo" | "redo", jump: number, { rows, notices }: RestorePlan, overwrite: boolean) {
    const wanted = ({ state }: RestoreRow) => state === "back" || (overwrite && state === "edited")
    const plan = rows
      .filter(wanted)
      .map(({ path, now, to }): ChangedFile => ({ path, before: now, after: to }))
    const left = plan.length === 0 ? [] : await this.#carryOut(by, jump, plan)
    const report = reportOf({ rows: rows.filter((row) => row.state !== "edited" || !overwrite), notices })
    const done = plan.filter(({ path }) => !left.some((one) => one.path === path)).map(rowOfChange)
    return { ...report, restored: done, lost: [...report.lost, ...left] }
  }

  /** Finishes the undo or redo that a crash has cut short. */
  async finish(): Promise<void> {
    const { session, host, report } = this.#parts
    const fact = unfinished(session.log)
    if (fact?.plan === undefined || fact.jump === undefined || fact.host !== host || fact.by === "step")
      return
    const left = await this.#carryOut(fact.by, fact.jump, fact.plan)
    report(
      `The last ${fact.by} was cut short, and is finished now: ${fact.plan.length - left.length} of ${fact.plan.length} files.`,
    )
    for (const { path, why } of left) report(`${path} was left: ${why}`)
  }

  async #carryOut(by: "undo" | "redo", jump: number, plan: readonly ChangedFile[]) {
    const { family, onDisk } = this.#parts
    this.#record({ by, jump, changes: [], plan })
    // Files are not touched for a plan that a crash would forget.
    await onDisk()
    const { carryOutRestore } = await import("./restore.js")
    const tree = await this.#parts.tree()
    // Other sessions that work here are not to take it for theirs.
    tree.begin(family)
    try {
      const { changes, left } = await carryOutRestore(plan, await this.#restoreParts())
      this.#record({ by, jump, changes })
      await (await this.#opened()).skip()
      return left
    } finally {
      tree.end(family)
    }
  }

  #record(fact: Omit<SnapshotFact, "host">): void {
    const { session, host, enter } = this.#parts
    enter(() => session.observe(SNAPSHOT, { ...fact, host }))
  }

  #hostsSince(from: number): ReadonlySet<string> {
    const facts = this.#parts.session.log.filter(({ seq }) => seq > from).map(snapshotIn)
    return new Set(facts.flatMap((fact) => (fact === undefined ? [] : [fact.host])))
  }

  async #restoreParts(): Promise<RestoreParts> {
    const { cwd, content, tree } = this.#parts
    return { cwd, content, kept: (await tree()).kept }
  }

  #opened(): Promise<StepSnapshots> {
    const { cwd, family, isAtWork, report, session } = this.#parts
    this.#steps ??= Promise.all([this.#parts.tree(), import("./steps.js")]).then(
      ([tree, { StepSnapshots }]) =>
        new StepSnapshots({
          ...{ cwd, family, tree, isAtWork, report },
          turn: () => {
            const step = session.log.findLast(({ type }) => type === "step")
            return step?.type === "step" ? step.turn : 0
          },
          record: (changes) => this.#record({ by: "step", changes }),
        }),
    )
    return this.#steps
  }
}

/** Sums a plan up for people. */
export function reportOf({ rows, notices }: RestorePlan): RestoreReport {
  const told = (state: RestoreRow["state"]) =>
    rows.filter((row) => row.state === state).map(({ path, why = "" }) => ({ path, why }))
  return {
    restored: rows
      .filter(({ state }) => state === "back")
      .map(({ path, now, to }) => rowOfChange({ path, before: now, after: to })),
    conflicts: told("edited"),
    lost: told("lost"),
    notices,
  }
}

function rowOfChange({ path, before, after }: ChangedFile): RestoreReport["restored"][number] {
  return { path, is: after === null ? "removed" : before === null ? "made" : "changed" }
}

function byPath(changes: readonly ChangedFile[]): readonly ChangedFile[] {
  return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
