import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs"
import { pause } from "../wait.js"
import { contentOf, IrregularFile, WITHOUT_EFFECT } from "./regular-file.js"

/**
 * Files and folders of Sotto's own, wherever they are made: other users must not read what they hold. A folder that the
 * user has made may be open to others, so the mode of a parent promises nothing.
 */
const FILE = 0o600
const FOLDER = 0o700
const OTHERS = 0o077
const UNLINKED = WITHOUT_EFFECT | (constants.O_NOFOLLOW ?? 0)
const ADD = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | UNLINKED
/** Windows has no modes, and no numbers of users. */
const hasModes = process.getuid !== undefined

/** Makes a folder that only its owner may enter. One of ours from before is closed to others. */
export function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: FOLDER })
  closeToOthers(path, FOLDER)
}

/**
 * Opens a file to add to it, and makes it if it is missing, readable by its owner only. Throws IrregularFile for a link, for
 * anything but a file, and for a file of another user: what is added would go where others decided.
 */
export function openPrivate(path: string): number {
  refuseIrregular(lstatSync(path, { throwIfNoEntry: false }))
  const file = openSync(path, ADD, FILE)
  try {
    const found = fstatSync(file)
    refuseIrregular(found)
    if ((found.mode & OTHERS) !== 0 && hasModes) fchmodSync(file, FILE)
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/**
 * Reads a file that only its owner can read and write. Undefined if no file has that name. Throws IrregularFile for a
 * link, for anything but a file, for one that others own or may open, and for one of more bytes than `most`.
 */
export function readPrivate(path: string, most: number): string | undefined {
  const before = lstatSync(path, { throwIfNoEntry: false })
  if (before === undefined) return undefined
  refuseIrregular(before)
  const file = openSync(path, constants.O_RDONLY | UNLINKED)
  try {
    const found = fstatSync(file)
    refuseIrregular(found)
    if (hasModes && (found.mode & OTHERS) !== 0) throw new IrregularFile("others may open it")
    return contentOf(file, most).toString("utf8")
  } finally {
    closeSync(file)
  }
}

function refuseIrregular(found: Stats | undefined): void {
  if (found === undefined) return
  if (found.isSymbolicLink()) throw new IrregularFile("it is a link")
  if (!found.isFile()) throw new IrregularFile("it is not a regular file")
  if (!isOurs(found.uid)) throw new IrregularFile("it belongs to another user")
}

/** Appends to a file that only its owner may read. */
export function appendPrivate(path: string, content: string | Uint8Array): void {
  appendFileSync(path, content, { mode: FILE })
  closeToOthers(path, FILE)
}

/**
 * Replaces a file as a whole, readable by its owner only: a program that reads it finds the old content or the new, and
 * never a part. The content is on disk before it takes the place of the old one.
 */
export function replacePrivate(path: string, content: string | Uint8Array): void {
  const beside = `${path}.${process.pid}.tmp`
  try {
    const file = openSync(beside, "w", FILE)
    try {
      fchmodSync(file, FILE)
      writeFileSync(file, content)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}

/** Milliseconds: a writer that died has left its lock. */
const STALE = 10_000
const LONGEST_WAIT = 5_000
const PAUSE = 10

/** Has this thread wait a moment for another process: only where a file is made, never while a session works. */
export function blockThread(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE)
}

/** Does some short work while no other process does the same: `path` is there meanwhile. */
export function whileLocked(path: string, work: () => void): void {
  const until = Date.now() + LONGEST_WAIT
  while (!takesLock(path, STALE)) {
    if (Date.now() > until) throw new Error(`another process holds ${path}`)
    blockThread()
  }
  try {
    work()
  } finally {
    rmSync(path, { force: true })
  }
}

/**
 * Does some work that waits for others while no other process does the same: `path` is there meanwhile.
 * @param longest milliseconds that the work may take; who waits gives up after twice that
 */
export async function whileHeld<T>(path: string, longest: number, work: () => Promise<T>): Promise<T> {
  const until = Date.now() + 2 * longest
  while (!takesLock(path, longest)) {
    if (Date.now() > until) throw new Error(`another process holds ${path}`)
    await pause(PAUSE)
  }
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

/** Makes the file of a lock. False if another process has it; one of a process that died is removed. */
function takesLock(path: string, stale: number): boolean {
  try {
    closeSync(openSync(path, "wx", FILE))
    return true
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause
  }
  const held = statSync(path, { throwIfNoEntry: false })
  if (held !== undefined && Date.now() - held.mtimeMs > stale) rmSync(path, { force: true })
  return false
}

/** Closes a file to others that may be there from before. It is not opened: closing it would undo locks on it. */
export function keepPrivate(path: string): void {
  closeToOthers(path, FILE)
}

function closeToOthers(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || (found.mode & OTHERS) === 0 || !isOurs(found.uid)) return
  // The mode of a file would make a folder unusable that was named by mistake.
  if (found.isDirectory() !== (mode === FOLDER)) return
  try {
    chmodSync(path, mode)
  } catch {
    // A file system without modes has none to set.
  }
}

function isOurs(uid: number): boolean {
  return process.getuid === undefined || process.getuid() === uid
}
