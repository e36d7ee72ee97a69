import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  type Stats,
} from "node:fs"
import { isAbsent } from "../../platform/workspace/project.js"
import { hashOf } from "../../tools/file-views/known-files.js"

/** Why the bytes of a version cannot come back. */
type LossReason = "too large" | "no room" | "unreadable"

/** What stood at a path at some time, as it is written into the log. The bytes are kept elsewhere, by their hash. */
export interface FileVersion {
  /** `other`: a pipe, a socket, a device. */
  readonly is: "file" | "link" | "folder" | "other"
  /** Of a file's bytes, or of the path that a link names. */
  readonly hash?: string
  /** The permission bits; undefined where they were not recorded, and for links. */
  readonly mode?: number
  /** Tells two versions apart whose bytes were not read. */
  readonly stamp?: string
  /** Why its bytes were not kept; undefined if they were. */
  readonly lost?: LossReason
}

/** What a session did to a path: from before its first change to after its last. */
export interface ChangedFile {
  /** Relative to the workspace where it is inside, else absolute. */
  readonly path: string
  /** Null if nothing was there. */
  readonly before: FileVersion | null
  readonly after: FileVersion | null
  /** Another program changed it between two changes of the session, so that going back would lose that change. */
  readonly mixed?: true
}

/** A version together with its bytes, if it has any that were read. */
export interface ReadVersion {
  readonly version: FileVersion
  readonly bytes?: Uint8Array
}

const MODE = 0o7777

export function isSameVersion(a: FileVersion | null, b: FileVersion | null): boolean {
  if (a === null || b === null) return a === b
  if (a.is !== b.is || (a.mode !== undefined && b.mode !== undefined && a.mode !== b.mode)) return false
  return a.hash === undefined || b.hash === undefined ? a.stamp === b.stamp : a.hash === b.hash
}

/** Looks at what stands at a path, follows no link, and reads a file only up to a size. Null if nothing is there. */
export function readVersion(path: string, most: number): ReadVersion | null {
  const found = statAt(path)
  return found === undefined ? null : versionOf(path, found, most)
}

/** Reads the version of what a stat was taken of. Null if it has gone meanwhile. */
export function versionOf(path: string, found: Stats, most: number): ReadVersion | null {
  try {
    if (found.isSymbolicLink()) {
      const target = readlinkSync(path, "buffer")
      return { version: { is: "link", hash: hashOf(target) }, bytes: target }
    }
    if (found.isDirectory()) return { version: { is: "folder", mode: found.mode & MODE } }
    if (!found.isFile()) return { version: { is: "other", stamp: stampOf(found) } }
    return found.size > most ? unread(found, "too large") : readBytes(path, most)
  } catch (cause) {
    return isAbsent(cause) ? null : unread(found, "unreadable")
  }
}

/** Opens before it looks, so that what is read is what was looked at; a pipe that takes its place keeps nobody waiting. */
function readBytes(path: string, most: number): ReadVersion {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const found = fstatSync(file)
    if (!found.isFile()) return { version: { is: "other", stamp: stampOf(found) } }
    if (found.size > most) return unread(found, "too large")
    const bytes = readFileSync(file)
    return { version: { is: "file", hash: hashOf(bytes), mode: found.mode & MODE }, bytes }
  } finally {
    closeSync(file)
  }
}

function unread(found: Stats, lost: LossReason): ReadVersion {
  return { version: { is: "file", mode: found.mode & MODE, stamp: stampOf(found), lost } }
}

function stampOf({ size, mtimeMs, ino }: Stats): string {
  return `${size}:${mtimeMs}:${ino}`
}

/** Looks at a path itself, and not at what a link leads to. Undefined if nothing is there, or nothing that we may see. */
export function statAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
