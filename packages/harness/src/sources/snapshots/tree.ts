import { readdirSync, realpathSync, type Stats } from "node:fs"
import { join } from "node:path"
import { setImmediate as turnOfLoop } from "node:timers/promises"
import { sizeIn } from "../../platform/text/amounts.js"
import { dataFolder, type Environment } from "../../platform/workspace/folders.js"
import { isSettled, isUnchanged } from "../../platform/workspace/stamp.js"
import { USUAL } from "../../settings/config/usual.js"
import type { Config } from "../../settings/load.js"
import { hashOf } from "../../tools/file-views/known-files.js"
import { isTemporary } from "../../tools/file-views/text-file.js"
import { findGitFiles, type GitFiles } from "./git-files.js"
import { KeptBytes } from "./kept-bytes.js"
import { TreeWatch } from "./tree-watch.js"
import { type FileVersion, isSameVersion, type ReadVersion, statAt, versionOf } from "./version.js"

/** Paths that are looked at: in a larger tree the inner ones are left out. */
const MOST_PATHS = 50_000
/** Bytes after which the first look copies only small files. */
const MOST_COPIED = 256 * 1024 ** 2
const SMALL = 64 * 1024
/** Looked at without giving other work a turn. */
const AT_ONCE = 1_000
/** Never looked into: what a repository keeps for itself, and what a program fetches or makes again. */
const SKIPPED = new Set([".git", ".hg", ".jj", ".svn", "node_modules", "__pycache__", ".venv"])

/**
 * Opens the files of a workspace. Their bytes are kept among Sotto's own data, in a folder for each workspace. `own`: paths
 * of Sotto's own files, which may lie in the workspace and are no part of it.
 */
export function openTree(
  cwd: string,
  env: Environment,
  { snapshots }: Pick<Config, "snapshots">,
  own: readonly string[],
): WorkspaceTree {
  const sizes = typeof snapshots === "object" ? snapshots : {}
  const { file = USUAL.snapshotFile, total = USUAL.snapshotTotal } = sizes
  const data = dataFolder(env)
  const folder = join(data, "snapshots", hashOf(cwd).slice(0, 32))
  const kept = new KeptBytes(folder, { file: sizeIn(file) ?? 0, total: sizeIn(total) ?? 0 })
  return new WorkspaceTree(cwd, kept, { leftOut: [`${realPath(data)}/`, ...own.map(realPath)] })
}

interface TreeOptions {
  /** False if the kernel is not to be asked, so that each look is at every file. */
  readonly watches?: boolean
  /** How absolute paths begin that are no part of the workspace. */
  readonly leftOut?: readonly string[]
}

/** A change of the workspace that a look has found. */
export interface TreeChange {
  readonly path: string
  readonly before: FileVersion | null
  readonly after: FileVersion | null
  /** Whose steps were under way: sessions, by the id of the one that the user talks to. */
  readonly during: ReadonlySet<string>
}

interface Seen {
  readonly stat: Stats
  /** Undefined for a file that git has: its bytes are read once it has changed. */
  readonly version: FileVersion | undefined
  readonly object?: string
}

/** A path whose stat is another one than before; without a stat nothing is there any more. */
interface Suspect {
  readonly path: string
  readonly stat: Stats | undefined
}

/**
 * The files of a workspace as they were last seen, with the bytes that they had. A look finds what has changed since, by
 * stat and not by reading, and keeps the bytes of what is new. The first look keeps the bytes of every file, except
 * those that git has. What git ignores is not looked at, and links are never followed.
 */
export class WorkspaceTree {
  readonly cwd: string
  readonly kept: KeptBytes
  /** All changes so far, in the order in which they were found. */
  readonly changes: TreeChange[] = []
  readonly #seen = new Map<string, Seen>()
  /** What was read in the moment in which it was changed: one more change would not show in its stat. */
  readonly #unsettled = new Set<string>()
  readonly #ignored = new Map<string, boolean>()
  readonly #wasIgnored = new Set<string>()
  readonly #active = new Map<string, number>()
  readonly #watch: TreeWatch
  readonly #leftOut: readonly string[]
  /** Bytes that the first look has kept. */
  #copied = 0
  #activeSince = 0
  /** Sessions of which a step has ended while another one's was under way. */
  readonly #ended = new Set<string>()
  #git: GitFiles | undefined
  /** True once the files were looked at for the first time. */
  isBegun = false
  /** When the last look began. */
  #lookedAt = 0
  #looking: Promise<unknown> = Promise.resolve()
  /** True if there are more files than are looked at. */
  isCut = false

  constructor(cwd: string, kept: KeptBytes, { watches = true, leftOut = [] }: TreeOptions = {}) {
    this.cwd = cwd
    this.kept = kept
    this.#leftOut = leftOut
    this.#watch = new TreeWatch(cwd, watches)
  }

  /** Says that a step of the session begins, or ends: what a look finds meanwhile may be its doing. */
  begin(session: string): void {
    if (this.#active.size === 0) {
      this.#activeSince = Date.now()
      this.#ended.clear()
      this.kept.mark(true)
    }
    this.#active.set(session, (this.#active.get(session) ?? 0) + 1)
  }

  end(session: string): void {
    this.#ended.add(session)
    const left = (this.#active.get(session) ?? 1) - 1
    if (left > 0) this.#active.set(session, left)
    else this.#active.delete(session)
    if (this.#active.size === 0) this.kept.mark(false)
  }

  /** Looks for changes. `closely`: at every file, also where the kernel would have told. One look at a time. */
  look(closely = false): Promise<void> {
    const look = this.#looking.then(() => this.#look(closely))
    this.#looking = look.catch(() => {})
    return look
  }

  /** True if the kernel tells of changes, so that a look takes a moment however many files there are. */
  get isWatched(): boolean {
    return this.#watch.isOn
  }

  /** True if looks find what becomes of the path, which is relative to the workspace. */
  covers(path: string): boolean {
    return this.#seen.has(path)
  }

  close(): void {
    this.#watch.close()
    this.#git?.close()
    this.kept.close()
  }

  async #look(closely: boolean): Promise<void> {
    const isFirst = !this.isBegun
    if (isFirst) {
      this.#git = await findGitFiles(this.cwd)
      this.isBegun = true
    }
    const [began, wasCut] = [Date.now(), this.isCut]
    const touched = isFirst || closely ? undefined : await this.#watch.touched()
    // What is told from here on is for the next look.
    if (touched === undefined && !isFirst) await this.#watch.touched()
    const suspects = touched === undefined ? await this.#walk() : await this.#among(touched)
    const known = new Set(suspects.map(({ path }) => path))
    for (const path of this.#unsettled)
      if (!known.has(path)) suspects.push({ path, stat: this.#statOf(path) })
    await this.#settle(suspects, isFirst, wasCut)
    this.#lookedAt = began
  }

  /** Looks at every path: lists those that are not what they were. */
  async #walk(): Promise<Suspect[]> {
    const found = new Set<string>()
    const suspects: Suspect[] = []
    this.isCut = false
    await this.#descend([""], (path, stat) => {
      found.add(path)
      if (this.#isSuspect(path, stat)) suspects.push({ path, stat })
    })
    for (const path of this.#seen.keys())
      if (!found.has(path)) suspects.push({ path, stat: this.isCut ? this.#statOf(path) : undefined })
    return suspects
  }

  /** Looks at some paths, and below those that are folders which were not known. */
  async #among(touched: ReadonlySet<string>): Promise<Suspect[]> {
    const suspects = new Map<string, Suspect>()
    const take = (path: string, stat: Stats) => {
      if (this.#isSuspect(path, stat)) suspects.set(path, { path, stat })
      else suspects.delete(path)
    }
    const lose = (path: string, isFolder: boolean) => {
      if (this.#seen.has(path)) suspects.set(path, { path, stat: undefined })
      for (const known of isFolder ? this.#seen.keys() : [])
        if (known.startsWith(`${path}/`)) suspects.set(known, { path: known, stat: undefined })
    }
    const there = [...touched].filter((path) => path !== "" && !this.#isSkipped(path))
    if (there.some(isIgnoreFile)) this.#forgetIgnored()
    await this.#askGit(there.filter((path) => !this.#seen.has(path)))
    const folders: string[] = []
    for (const path of there) {
      if (this.#ignored.get(path) === true && !this.#seen.has(path)) continue
      const stat = this.#statOf(path)
      const known = this.#seen.get(path)
      const wasFolder = known?.stat.isDirectory() === true
      const isAnother = wasFolder && stat?.ino !== known.stat.ino
      if (stat === undefined || isAnother) lose(path, wasFolder)
      if (isAnother) this.#watch.drop(path)
      if (stat === undefined) continue
      take(path, stat)
      if (stat.isDirectory() && (known === undefined || isAnother)) folders.push(path)
    }
    await this.#descend(folders, take)
    return [...suspects.values()]
  }

  #isSuspect(path: string, stat: Stats): boolean {
    const known = this.#seen.get(path)
    if (known === undefined) return true
    // What lies in a folder changes its times. That is told by what lies in it.
    if (stat.isDirectory() && known.stat.isDirectory())
      return stat.mode !== known.stat.mode || stat.ino !== known.stat.ino
    return !isUnchanged(known.stat, stat)
  }

  /** Goes through folders, outer ones first, and hands over what lies in them. */
  async #descend(folders: readonly string[], take: (path: string, stat: Stats) => void): Promise<void> {
    let level: readonly { readonly path: string; readonly asks: boolean }[] = folders.map((path) => ({
      path,
      asks: true,
    }))
    let count = 0
    while (level.length > 0) {
      const inside: { path: string; isFolder: boolean; asks: boolean }[] = []
      for (const { path: folder, asks } of level) {
        this.#watch.add(folder)
        const entries = entriesIn(this.#at(folder))
        // Git does not answer for what lies in another repository.
        const isOwn = asks && (folder === "" || !entries.some(({ name }) => name === ".git"))
        for (const entry of entries) {
          const path = folder === "" ? entry.name : `${folder}/${entry.name}`
          if (!this.#isSkipped(path)) inside.push({ path, isFolder: entry.isDirectory(), asks: isOwn })
        }
      }
      await this.#askGit(inside.flatMap(({ path, asks }) => (asks && !this.#seen.has(path) ? [path] : [])))
      const next: { path: string; asks: boolean }[] = []
      for (const { path, isFolder, asks } of inside) {
        if (this.#ignored.get(path) === true && !this.#seen.has(path)) continue
        if (++count > MOST_PATHS) {
          this.isCut = true
          this.#watch.close()
          return
        }
        if (count % AT_ONCE === 0) await turnOfLoop()
        const stat = this.#statOf(path)
        if (stat === undefined) continue
        take(path, stat)
        if (isFolder && stat.isDirectory()) next.push({ path, asks })
      }
      level = next
    }
  }

  async #askGit(paths: readonly string[]): Promise<void> {
    const unknown = paths.filter((path) => !this.#ignored.has(path))
    if (this.#git === undefined || unknown.length === 0) return
    const untracked = unknown.filter((path) => !this.#git?.isTracked(path))
    const ignored = untracked.length === 0 ? new Set<string>() : await this.#git.ignored(untracked)
    for (const path of unknown) this.#ignored.set(path, ignored.has(path))
  }

  /** Asks git anew what is ignored. What was until now is nothing that a step has made. */
  #forgetIgnored(): void {
    for (const [path, isIgnored] of this.#ignored) if (isIgnored) this.#wasIgnored.add(path)
    this.#ignored.clear()
    this.#git?.forgetIgnored()
  }

  /** True if a path that was not known may have been there before: git ignored it, or the tree was too large. */
  #mayBeOld(path: string, stat: Stats, wasCut: boolean): boolean {
    if (wasCut && stat.ctimeMs < this.#lookedAt) return true
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
      if (this.#wasIgnored.has(path.slice(0, end))) return true
    return false
  }

  /** Takes in what has become of the suspects: what differs is a change. */
  async #settle(suspects: readonly Suspect[], isFirst: boolean, wasCut: boolean): Promise<void> {
    const during = new Set(this.#active.size > 0 ? [...this.#active.keys(), ...this.#ended] : [])
    if (during.size > 0 && this.kept.othersSince(this.#activeSince)) during.add("another process")
    const before = await this.#versionsBefore(suspects)
    let count = 0
    for (const [i, { path, stat }] of suspects.entries()) {
      if (++count % AT_ONCE === 0) await turnOfLoop()
      const object = isFirst && stat?.isFile() ? this.#git?.objectOf(path, stat) : undefined
      this.#unsettled.delete(path)
      if (stat !== undefined && object !== undefined) {
        this.#seen.set(path, { stat, version: undefined, object })
        continue
      }
      const read = stat === undefined ? null : versionOf(this.#at(path), stat, this.#mostOf(isFirst))
      if (isFirst) this.#copied += read?.bytes?.byteLength ?? 0
      const after = read === null ? null : this.#keep(read)
      if (stat === undefined || after === null) this.#seen.delete(path)
      else {
        this.#seen.set(path, { stat, version: after })
        if (!isSettled(stat) && !stat.isDirectory()) this.#unsettled.add(path)
      }
      if (stat === undefined && before[i]?.is === "folder") this.#watch.drop(path)
      const was = before[i] ?? null
      if (isIgnoreFile(path) && !isFirst && this.#ignored.size > 0) this.#forgetIgnored()
      const isOld = was === null && stat !== undefined && this.#mayBeOld(path, stat, wasCut)
      if (!isFirst && !isOld && !isSameVersion(was, after))
        this.changes.push({ path, before: was, after, during })
    }
  }

  /** Gives the size up to which a file is read. The first command does not wait until gigabytes are copied. */
  #mostOf(isFirst: boolean): number {
    return isFirst && this.#copied > MOST_COPIED ? SMALL : this.kept.largest
  }

  #keep({ version, bytes }: ReadVersion): FileVersion {
    if (bytes === undefined || version.hash === undefined || this.kept.keep(version.hash, bytes))
      return version
    return { ...version, lost: "no room" }
  }

  /** Gives what was there before. What only git has is read now, and kept: git may drop it. */
  async #versionsBefore(suspects: readonly Suspect[]): Promise<readonly (FileVersion | null)[]> {
    const known = suspects.map(({ path }) => this.#seen.get(path))
    const ofGit = known.flatMap((seen) => (seen?.version === undefined && seen?.object ? [seen.object] : []))
    const blobs = new Map<string, Uint8Array | undefined>()
    for (const [i, bytes] of ((await this.#git?.objects(ofGit)) ?? []).entries())
      blobs.set(ofGit[i] ?? "", bytes)
    return known.map((seen) => {
      if (seen === undefined) return null
      return seen.version ?? this.#fromGit(seen, blobs.get(seen.object ?? ""))
    })
  }

  #fromGit({ stat }: Seen, bytes: Uint8Array | undefined): FileVersion {
    const mode = stat.mode & 0o7777
    if (bytes === undefined || bytes.byteLength !== stat.size)
      return { is: "file", mode, stamp: `${stat.size}:${stat.mtimeMs}:${stat.ino}`, lost: "unreadable" }
    return this.#keep({ version: { is: "file", hash: hashOf(bytes), mode }, bytes })
  }

  /** A pipe, a socket or a device counts as nothing: there are no bytes to keep. */
  #statOf(path: string): Stats | undefined {
    const stat = statAt(this.#at(path))
    return stat?.isFile() || stat?.isDirectory() || stat?.isSymbolicLink() ? stat : undefined
  }

  #isSkipped(path: string): boolean {
    const full = `${this.#at(path)}/`
    return this.#leftOut.some((own) => full.startsWith(own)) || path.split("/").some(isSkippedName)
  }

  #at(path: string): string {
    return path === "" ? this.cwd : `${this.cwd}/${path}`
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // Not made yet.
  }
}

function isIgnoreFile(path: string): boolean {
  return path === ".gitignore" || path.endsWith("/.gitignore")
}

function isSkippedName(name: string): boolean {
  return SKIPPED.has(name) || isTemporary(name)
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // Gone, or closed to us.
  }
}
