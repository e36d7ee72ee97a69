import { chmod, mkdir, rename, rmdir, symlink, unlink } from "node:fs/promises"
import { dirname, isAbsolute, relative, resolve, sep } from "node:path"
import type { Awaitable } from "../../platform/awaitable.js"
import { reasonOf } from "../../platform/text/errors.js"
import { temporaryIn, writeWhole } from "../../tools/file-views/text-file.js"
import type { KeptBytes } from "./kept-bytes.js"
import {
  type ChangedFile,
  type FileVersion,
  isSameVersion,
  type ReadVersion,
  readVersion,
  statAt,
} from "./version.js"

/**
 * What going back would do to a path. `back`: it comes back. `same`: it is as it was already. `edited`: another program
 * has changed it since, which would be lost. `lost`: it cannot come back.
 */
export interface RestoreRow {
  readonly path: string
  readonly state: "back" | "same" | "edited" | "lost"
  /** What is there now. */
  readonly now: FileVersion | null
  /** What is to be there. */
  readonly to: FileVersion | null
  /** In words for people, of what is edited or lost. */
  readonly why?: string
}

/** What bytes are read from and kept in. */
export interface RestoreParts {
  readonly cwd: string
  readonly kept: KeptBytes
  /** Texts of files that the model has read, by hash. */
  content(hash: string): Awaitable<string | undefined>
}

/** Says what going back before the changes would do, and does nothing. */
export async function planRestore(
  changes: readonly ChangedFile[],
  parts: RestoreParts,
): Promise<readonly RestoreRow[]> {
  const rows: RestoreRow[] = []
  for (const change of changes) rows.push(await rowOf(change, parts))
  return rows
}

async function rowOf(
  { path, before: to, after, mixed }: ChangedFile,
  parts: RestoreParts,
): Promise<RestoreRow> {
  const full = resolve(parts.cwd, path)
  const blocked = linkAbove(full, parts.cwd)
  if (blocked !== undefined)
    return { path, state: "lost", now: null, to, why: `${blocked} is a link now, and is not followed` }
  const now = readVersion(full, parts.kept.largest)?.version ?? null
  const row = { path, now, to }
  if (isSameVersion(now, to)) return { ...row, state: "same" }
  const lost = await lossOf(to, parts)
  if (lost !== undefined) return { ...row, state: "lost", why: lost }
  if (!isSameVersion(now, after))
    return {
      ...row,
      state: "edited",
      why: now === null ? "it was deleted since" : "somebody else has changed it since",
    }
  if (mixed)
    return { ...row, state: "edited", why: "somebody else has changed it between two changes of the agent" }
  return { ...row, state: "back" }
}

async function lossOf(to: FileVersion | null, parts: RestoreParts): Promise<string | undefined> {
  if (to === null) return undefined
  if (to.is === "folder") return to.lost && "what was in this folder was too much to keep"
  if (to.is === "other") return "it was no file, but a pipe, a socket or a device"
  switch (to.lost) {
    case "too large":
      return `what was there before was too large to keep: ${largestIn(parts.kept)} are kept of a file`
    case "no room":
      return "what was there before was not kept: there was no room left for it"
    case "unreadable":
      return "what was there before could not be read"
    default:
      return (await bytesOf(to, parts)) === undefined
        ? "what was there before is not kept on this machine any more"
        : undefined
  }
}

function largestIn({ largest }: KeptBytes): string {
  return `${Math.floor(largest / 1024 ** 2)} MB`
}

/** Reads the bytes of a version; undefined if they are not kept any more. */
export async function bytesOf(
  { hash }: FileVersion,
  { kept, content }: RestoreParts,
): Promise<Uint8Array | undefined> {
  if (hash === undefined) return undefined
  const bytes = kept.read(hash)
  if (bytes !== undefined) return bytes
  const text = await content(hash)
  return text === undefined ? undefined : Buffer.from(text)
}

/** Finds the folder above a path that is a link: what lies beyond it is not the workspace's. */
function linkAbove(path: string, cwd: string): string | undefined {
  const below = relative(cwd, path)
  const isInside = !isAbsolute(below) && below.split(sep)[0] !== ".."
  const names = dirname(isInside ? below : path).split(sep)
  let at = isInside ? cwd : sep
  for (const name of names) {
    if (name === "" || name === ".") continue
    at = resolve(at, name)
    if (statAt(at)?.isSymbolicLink()) return isInside ? relative(cwd, at) : at
  }
  return undefined
}

/** What came back, and what was left, and why. */
export interface RestoreOutcome {
  readonly changes: readonly ChangedFile[]
  readonly left: readonly { readonly path: string; readonly why: string }[]
}

/**
 * Brings paths to what they are to be. Each is replaced in one step, so that a crash leaves it as it was or as it is to
 * be, and doing all of it again finishes it. `planned` says what was there when it was decided: what has become another
 * one since is left.
 */
export async function carryOutRestore(
  planned: readonly ChangedFile[],
  parts: RestoreParts,
): Promise<RestoreOutcome> {
  const changes: ChangedFile[] = []
  const left: { readonly path: string; readonly why: string }[] = []
  const work = async ({ path, before, after: to }: ChangedFile) => {
    const why = await restoreOne(resolve(parts.cwd, path), before, to, parts).catch(reasonOf)
    if (why === undefined) changes.push({ path, before, after: to })
    else left.push({ path, why })
  }
  const depth = ({ path }: ChangedFile) => path.split("/").length
  const outerFirst = planned.toSorted((a, b) => depth(a) - depth(b))
  const isFolder = ({ after }: ChangedFile) => after?.is === "folder"
  // What stands where a folder, a link or nothing belongs goes first, inner paths before the folders that hold them.
  for (const one of outerFirst.toReversed())
    if (one.after === null || (one.before !== null && one.before.is !== one.after.is)) {
      if (one.after === null) await work(one)
      else await removeOne(resolve(parts.cwd, one.path), one.before, parts).catch(() => {})
    }
  const folders = outerFirst.filter(isFolder)
  for (const one of folders) await openFolder(resolve(parts.cwd, one.path), parts).catch(() => {})
  for (const one of outerFirst) if (one.after !== null && !isFolder(one)) await work(one)
  // Last, because a folder may be one in which nothing can be made.
  for (const one of folders.toReversed()) await work(one)
  return { changes, left }
}

/** Says why a path was left; undefined if it is as it is to be. */
async function restoreOne(
  path: string,
  before: FileVersion | null,
  to: FileVersion | null,
  parts: RestoreParts,
): Promise<string | undefined> {
  const blocked = linkAbove(path, parts.cwd)
  if (blocked !== undefined) return `${blocked} is a link now, and is not followed`
  const now = readVersion(path, parts.kept.largest)
  if (isSameVersion(now?.version ?? null, to)) return undefined
  const wasRemoved = now === null && before !== null && to !== null && before.is !== to.is
  const isOpened = now?.version.is === "folder" && to?.is === "folder"
  if (!wasRemoved && !isOpened && !isSameVersion(now?.version ?? null, before))
    return "somebody else has changed it since"
  keepForRedo(now, parts.kept)
  if (to === null) return removeOne(path, before, parts)
  if (to.is === "folder") {
    await mkdir(path, { recursive: true })
    if (to.mode !== undefined) await chmod(path, to.mode)
    return undefined
  }
  const bytes = await bytesOf(to, parts)
  if (bytes === undefined) return "what was there before is not kept on this machine any more"
  if (to.is === "link") {
    await mkdir(dirname(path), { recursive: true })
    const temporary = temporaryIn(dirname(path))
    await symlink(Buffer.from(bytes), temporary)
    await rename(temporary, path)
    return undefined
  }
  await writeWhole(path, bytes, to.mode)
  return undefined
}

function keepForRedo(now: ReadVersion | null, kept: KeptBytes): void {
  if (now?.version.hash !== undefined && now.bytes !== undefined) kept.keep(now.version.hash, now.bytes)
}

async function removeOne(
  path: string,
  expected: FileVersion | null,
  parts: RestoreParts,
): Promise<string | undefined> {
  const now = readVersion(path, parts.kept.largest)
  if (now === null) return undefined
  if (linkAbove(path, parts.cwd) !== undefined || !isSameVersion(now.version, expected))
    return "somebody else has changed it since"
  keepForRedo(now, parts.kept)
  if (now.version.is !== "folder") {
    await unlink(path)
    return undefined
  }
  return rmdir(path).then(
    () => undefined,
    () => "there is something else in this folder",
  )
}

/** Makes a folder, and lets us make files in it until it gets its mode. */
async function openFolder(path: string, { cwd }: RestoreParts): Promise<void> {
  if (linkAbove(path, cwd) !== undefined) return
  const found = statAt(path)
  if (found === undefined) await mkdir(path, { recursive: true })
  else if (found.isDirectory() && (found.mode & 0o700) !== 0o700)
    await chmod(path, (found.mode & 0o7777) | 0o700)
}
