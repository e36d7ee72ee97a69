import { readdirSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { reasonOf } from "../../platform/text/errors.js"
import { isInside } from "../../platform/workspace/location.js"
import { shownPath } from "../files/facts.js"
import type { WorkspaceTree } from "./tree.js"
import { type ChangedFile, type FileVersion, isSameVersion, readVersion, statAt } from "./version.js"

/** Paths below a folder that a command names which are remembered; of a larger one only that it was there. */
const MOST_NAMED = 2_000

/**
 * What a call may do to files. `named`: it writes the files that it names and no others. `children`: sessions that work
 * for it have snapshots of their own. `anything`: it runs a program.
 */
export type CallReach = "nothing" | "named" | "children" | "anything"

export interface StepSnapshotParts {
  /** The session that the user talks to: for a subagent, whom it works for. */
  readonly family: string
  readonly cwd: string
  readonly tree: WorkspaceTree
  /** True if something works in the background that may write files. */
  isAtWork(): boolean
  /** The number of the turn. */
  turn(): number
  /** Writes down what a step did. */
  record(changes: readonly ChangedFile[]): void
  /** Tells the user that something failed. */
  report(message: string): void
}

/** A step in which files may have changed. */
interface OpenStep {
  readonly named: Map<string, FileVersion | null>
  /** What the calls named, as it is shown. */
  readonly claims: Set<string>
  /** What is looked at by itself, absolute. */
  readonly roots: Set<string>
  /** From which of the tree's changes on they may be the step's. */
  from: number | undefined
  looks: boolean
}

/**
 * Finds out what each step of a session did to files: looks at the workspace before the first call that may change
 * something, and once more after the last. The second look goes on while the model is asked again, and the next step
 * waits for it.
 */
export class StepSnapshots {
  readonly #parts: StepSnapshotParts
  #open: OpenStep | undefined
  #beginning: Promise<void> = Promise.resolve()
  #ending: Promise<void> = Promise.resolve()
  /** How many of the tree's changes have been told apart. */
  #accounted = 0
  /** Something was at work in the background since. */
  #hadWork = false
  #turn: number | undefined

  constructor(parts: StepSnapshotParts) {
    this.#parts = parts
  }

  /** Remembers what is there before a call runs. `named`: the files that it says it will change. */
  before(reach: CallReach, named: readonly string[]): Promise<void> {
    this.#beginning = this.#beginning.then(() => this.#before(reach, named)).catch(this.#fail)
    return this.#beginning
  }

  readonly #fail = (error: unknown) =>
    this.#parts.report(
      `What this step does to files is not remembered, and cannot be undone: ${reasonOf(error)}`,
    )

  async #before(reach: CallReach, named: readonly string[]): Promise<void> {
    const { tree, family, cwd } = this.#parts
    if (this.#open === undefined) {
      await this.#ending
      tree.begin(family)
      this.#open = { named: new Map(), roots: new Set(), claims: new Set(), from: undefined, looks: false }
    }
    const step = this.#open
    if (reach === "anything" && !step.looks) {
      const turn = this.#parts.turn()
      await tree.look(this.#turn !== turn)
      this.#turn = turn
      step.looks = true
    }
    if (reach !== "named" && step.from === undefined) {
      const hadWork = this.#hadWork || this.#parts.isAtWork()
      step.from = hadWork ? this.#accounted : tree.changes.length
    }
    for (const target of named) {
      const path = resolve(cwd, target)
      step.claims.add(shownPath(path, cwd))
      // What a look finds anyway need not be read, and might be the whole workspace.
      const isCovered = isInside(cwd, path) || (step.looks && tree.covers(shownPath(path, cwd)))
      if (isCovered || step.roots.has(path)) continue
      step.roots.add(path)
      for (const [shown, version] of this.#versionsAt(path))
        if (!step.named.has(shown)) step.named.set(shown, version)
    }
  }

  /**
   * Says that the step's calls are done. What they did is written down: the promise is to be waited for where that takes a
   * moment, so that it goes to disk with their results; where every file has to be looked at, see `settled`.
   */
  ended(): Promise<void> | undefined {
    const step = this.#open
    if (step === undefined) return undefined
    this.#open = undefined
    this.#ending = this.#ending.then(() => this.#end(step)).catch(this.#fail)
    return step.looks && !this.#parts.tree.isWatched ? undefined : this.#ending
  }

  /** Resolves when all steps so far are written down. */
  async settled(): Promise<void> {
    await this.#ending
  }

  /** Writes down what was done in the background since the last step. */
  async catchUp(): Promise<void> {
    await this.settled()
    const { tree } = this.#parts
    if (!tree.isBegun) return
    await tree.look(true)
    if (this.#hadWork || this.#parts.isAtWork()) this.#tell(this.#found(this.#accounted))
    this.#account()
  }

  /** Takes what is there now for known: an undo or a redo has put it there. */
  async skip(): Promise<void> {
    const { tree } = this.#parts
    if (!tree.isBegun) return
    await tree.look()
    this.#account()
  }

  async #end(step: OpenStep): Promise<void> {
    const { tree, family } = this.#parts
    try {
      if (step.looks) await tree.look()
      const found =
        step.from === undefined ? new Map<string, ChangedFile>() : this.#found(step.from, step.claims)
      for (const path of step.roots)
        for (const [shown] of this.#versionsAt(path)) if (!step.named.has(shown)) step.named.set(shown, null)
      for (const [path, before] of step.named) {
        const after = this.#versionAt(resolve(this.#parts.cwd, path))
        if (!found.has(path)) found.set(path, { path, before, after })
      }
      this.#tell(found)
    } finally {
      tree.end(family)
      // What only a subagent did has been told of here already.
      if (step.from !== undefined) this.#account()
      this.#hadWork ||= this.#parts.isAtWork()
    }
  }

  #account(): void {
    this.#accounted = this.#parts.tree.changes.length
    this.#hadWork = this.#parts.isAtWork()
  }

  /** Sums up what the tree has found since, where it may be the doing of this session or of those that work for it. */
  #found(from: number, claims: ReadonlySet<string> = new Set()): Map<string, ChangedFile> {
    const { tree, family } = this.#parts
    const found = new Map<string, ChangedFile>()
    for (const { path, before, after, during } of tree.changes.slice(from)) {
      if (during.size > 0 && !during.has(family)) continue
      // Another session worked at the same time: only what a call of this one named is surely its own.
      if (during.size > 1 && ![...claims].some((claim) => path === claim || path.startsWith(`${claim}/`)))
        continue
      found.set(path, { path, before: found.get(path)?.before ?? (found.has(path) ? null : before), after })
    }
    return found
  }

  #tell(found: ReadonlyMap<string, ChangedFile>): void {
    const changes = [...found.values()].filter(({ before, after }) => !isSameVersion(before, after))
    if (changes.length > 0) this.#parts.record(changes)
  }

  /** Lists what stands at a path and below it, and the folders above it that are missing. */
  #versionsAt(path: string): ReadonlyMap<string, FileVersion | null> {
    const { cwd } = this.#parts
    const found = new Map<string, FileVersion | null>([[shownPath(path, cwd), this.#versionAt(path)]])
    for (
      let above = dirname(path);
      above !== dirname(above) && statAt(above) === undefined;
      above = dirname(above)
    )
      found.set(shownPath(above, cwd), null)
    const folders = statAt(path)?.isDirectory() ? [path] : []
    for (const folder of folders)
      for (const entry of entriesIn(folder)) {
        const inner = join(folder, entry.name)
        if (found.size > MOST_NAMED)
          return new Map([[shownPath(path, cwd), { is: "folder", lost: "too large" } as const]])
        found.set(shownPath(inner, cwd), this.#versionAt(inner))
        if (entry.isDirectory()) folders.push(inner)
      }
    return found
  }

  #versionAt(path: string): FileVersion | null {
    const { kept } = this.#parts.tree
    const read = readVersion(path, kept.largest)
    if (read === null) return null
    const { version, bytes } = read
    if (bytes === undefined || version.hash === undefined || kept.keep(version.hash, bytes)) return version
    return { ...version, lost: "no room" }
  }
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // Gone, or closed to us.
  }
}
